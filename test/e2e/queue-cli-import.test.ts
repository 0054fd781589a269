// inputs: src/** package.json tsconfig.json tsconfig.build.json
import Database from "better-sqlite3";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { createQueueSandbox } from "../support/queue-sandbox.ts";

const oneLine = /^forager: [^\n]+\n$/;
const jsonl = (tasks: readonly unknown[]) => tasks.map((task) => JSON.stringify(task)).join("\n");
const many = (count: number) =>
  jsonl(
    Array.from({ length: count }, (_, n) => ({ kind: "fetch", payload: { n }, gate: `g${n % 9}` })),
  );

function countTasks(file: string): number {
  if (!existsSync(file)) return 0;
  const db = new Database(file, { readonly: true });
  try {
    return Number(db.prepare("select count(*) from task").pluck().get());
  } catch {
    return 0; // the file is there before its tables are
  } finally {
    db.close();
  }
}

test("every field of a line reaches the queue", async () => {
  const { write, json, use } = await createQueueSandbox();
  const task = {
    kind: "fetch",
    payload: { url: "https://example.org/ü" },
    key: "k",
    job: "j",
    gate: "g",
    priority: 7,
    dueAtMs: 4_000_000_000_000,
    attemptsMax: 2,
  };
  write("tasks.jsonl", jsonl([task, { kind: "later", delayMs: 3_600_000 }]));
  expect(await json("import tasks.jsonl")).toEqual({
    file: "tasks.jsonl",
    isDryRun: false,
    isStopped: false,
    lines: 2,
    added: 2,
    duplicate: 0,
    over_budget: 0,
    closed: 0,
    full: 0,
    invalid: 0,
    problems: [],
  });
  const [first, second] = await use((queue) => queue.browse());
  expect(first).toMatchObject({ ...task, payload: JSON.stringify(task.payload) });
  expect(second!.dueAtMs - Date.now()).toBeGreaterThan(3_500_000);
});

test("a repeated import adds nothing, with keys and without", async () => {
  const { write, queue, json } = await createQueueSandbox();
  write("tasks.jsonl", jsonl([{ kind: "a", key: "k" }, { kind: "a" }, { kind: "b" }]));
  expect((await queue("import tasks.jsonl")).stdout).toBe("tasks.jsonl: 3 lines, 3 added\n");
  const again = await queue("import tasks.jsonl");
  expect(again).toMatchObject({
    exitCode: 0,
    stdout: "tasks.jsonl: 3 lines, 0 added, 3 duplicate\n",
  });
  // Two equal lines without a key are one task.
  write("twice.jsonl", '{"kind":"c"}\n{"kind":"c"}\n');
  expect(await json("import twice.jsonl")).toMatchObject({ added: 1, duplicate: 1 });
});

test("a byte order mark, CRLF, empty lines and a missing last line end are fine", async () => {
  const { write, json } = await createQueueSandbox();
  write("windows.jsonl", '\ufeff{"kind":"a"}\r\n\r\n   \r\n{"kind":"b"}');
  expect(await json("import windows.jsonl")).toMatchObject({ lines: 2, added: 2 });
  write("empty.jsonl", "");
  expect(await json("import empty.jsonl")).toMatchObject({ lines: 0, added: 0 });
});

describe("wrong lines", () => {
  const bad = [
    '{"kind":"a"}',
    "",
    '{"kidn":"b"}',
    "nope",
    `{"kind":"c","payload":"${"x".repeat(300_000)}"}`,
    "y".repeat(1_048_577),
    '{"kind":"d"}',
  ].join("\n");

  test("stop: nothing is imported, and every wrong line is reported with its number", async () => {
    const { write, queue, file } = await createQueueSandbox();
    write("bad.jsonl", bad);
    const { exitCode, stdout, stderr } = await queue("import bad.jsonl --quiet");
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      "forager: bad.jsonl has 4 wrong lines; nothing was imported",
      "  line 3: unknown field 'kidn': the nearest is kind",
      expect.stringMatching(/^ {2}line 4: it is not JSON: /),
      expect.stringMatching(/^ {2}line 5: the payload of task ".*" has 300/),
      "  line 6: it is longer than 1048576 bytes",
      "",
    ]);
    expect(existsSync(file)).toBe(false);
  });

  test("stop: one wrong line behind 6,000 right ones is one line of error", async () => {
    const { write, queue, file } = await createQueueSandbox();
    write("tasks.jsonl", `${many(6_000)}\n{"kind":"a","delayMs":-1}`);
    const { exitCode, stderr } = await queue("import tasks.jsonl --quiet");
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain("tasks.jsonl line 6001: delayMs is -1");
    expect(countTasks(file)).toBe(0);
  });

  test("skip: the others are imported, and exit code 3 says that it is not all", async () => {
    const { write, queue, json, file } = await createQueueSandbox();
    write("bad.jsonl", bad);
    const { exitCode, stdout } = await queue("import bad.jsonl --on-error skip --quiet");
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^bad\.jsonl: 6 lines, 2 added, 4 invalid\n {2}line 3: /);
    expect(countTasks(file)).toBe(2);
    expect(await json("import bad.jsonl --on-error skip", 3)).toMatchObject({
      added: 0,
      duplicate: 2,
      invalid: 4,
      problems: [{ line: 3 }, { line: 4 }, { line: 5 }, { line: 6 }],
    });
  });

  test("skip: the first 20 are listed, the rest counted; nothing right is exit code 1", async () => {
    const { write, queue } = await createQueueSandbox();
    write("bad.jsonl", "nope\n".repeat(23));
    const { exitCode, stdout } = await queue("import bad.jsonl --on-error skip");
    expect(exitCode).toBe(1);
    expect(stdout.trimEnd().split("\n")).toHaveLength(22);
    expect(stdout).toMatch(/\n {2}and 3 more lines\n$/);
  });

  test("--dry-run reports the same and writes nothing", async () => {
    const { write, queue, file } = await createQueueSandbox();
    write("good.jsonl", many(10));
    write("bad.jsonl", bad);
    const good = await queue("import good.jsonl --dry-run");
    expect(good.stdout).toBe("good.jsonl: 10 lines, 10 tasks would be imported\n");
    expect(await queue("import bad.jsonl --dry-run")).toMatchObject({ exitCode: 1 });
    const skip = await queue("import bad.jsonl --dry-run --on-error skip");
    expect(skip.exitCode).toBe(3);
    expect(skip.stdout).toContain("2 tasks would be imported, 4 invalid");
    expect(existsSync(file)).toBe(false);
  });

  test("--on-error takes no other word", async () => {
    const { queue } = await createQueueSandbox();
    const { exitCode, stderr } = await queue("import x.jsonl --on-error ignore");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Allowed choices are stop, skip");
  });
});

test("what the queue refuses is counted, and exit code 3 says so", async () => {
  const { write, queue, json } = await createQueueSandbox();
  await queue("job small --budget 2");
  await queue("job shut --budget 5");
  await queue("seal shut");
  write(
    "tasks.jsonl",
    jsonl([
      ...Array.from({ length: 5 }, () => ({ kind: "a", job: "small" })).map((task, n) => ({
        ...task,
        key: `k${n}`,
      })),
      { kind: "a", job: "shut" },
    ]),
  );
  expect(await json("import tasks.jsonl", 3)).toMatchObject({
    lines: 6,
    added: 2,
    over_budget: 3,
    closed: 1,
    invalid: 0,
  });
});

test("a line whose job is bound to another gate is reported by its number", async () => {
  const { write, queue, json, file } = await createQueueSandbox();
  await queue("job site --gate example.org");
  const wrong = { kind: "a", job: "site", gate: "other.org" };
  write("tasks.jsonl", jsonl([{ kind: "a" }, { kind: "b", job: "site" }, wrong, { kind: "c" }]));
  expect(await json("import tasks.jsonl --on-error skip", 3)).toMatchObject({
    added: 3,
    invalid: 1,
    problems: [{ line: 3, text: expect.stringContaining("bound to the gate") as string }],
  });
  expect(countTasks(file)).toBe(3);
});

describe("sources", () => {
  test("- reads standard input, whole before the first task is added", async () => {
    const { queue, file } = await createQueueSandbox();
    const good = await queue("import - --quiet", { input: many(20) });
    expect(good.stdout).toBe("standard input: 20 lines, 20 added\n");
    const bad = await queue("import - --quiet", { input: `${many(30)}\nnope` });
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toContain("standard input line 31: it is not JSON");
    expect(countTasks(file)).toBe(20);
    const skipped = await queue("import - --on-error skip --quiet", { input: "nope\n" + many(30) });
    expect(skipped.exitCode, skipped.stderr).toBe(3);
    expect(countTasks(file)).toBe(30);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith("forager-import-"))).toEqual([]);
  });

  test("a pipe with a name can be read only once, and all of it is imported", async () => {
    const { write, run, file } = await createQueueSandbox();
    write("tasks.jsonl", many(50));
    const line = `"${process.execPath}" "$FORAGER_TEST_MAIN" queue import <(cat tasks.jsonl)`;
    const result = await run("bash", ["-c", `${line} --queue sqlite:q.db --quiet`]);
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(countTasks(file)).toBe(50);
  });

  test("a file that is absent or a folder is a usage error", async () => {
    const { queue } = await createQueueSandbox();
    const absent = await queue("import absent.jsonl");
    expect(absent).toMatchObject({
      exitCode: 2,
      stderr: "forager: absent.jsonl cannot be read: there is no such file\n",
    });
    const folder = await queue("import .");
    expect(folder.exitCode).toBe(2);
    expect(folder.stderr).toContain(". is a folder");
  });
});

test("a long import says how far it is", async () => {
  const { write, queue } = await createQueueSandbox();
  write("tasks.jsonl", many(30_000));
  const { stderr } = await queue("import tasks.jsonl");
  expect(stderr).toMatch(/^check tasks\.jsonl \[#{20}\] 1\.\dMB\/1\.\dMB 100%/m);
  expect(stderr).toMatch(/^import tasks\.jsonl \[#{20}\] 1\.\dMB\/1\.\dMB 100%/m);
});

test("two imports of one file at once add each task once", async () => {
  const { write, json, file } = await createQueueSandbox();
  write("tasks.jsonl", many(20_000));
  const reports = (await Promise.all([json("import tasks.jsonl"), json("import tasks.jsonl")])) as {
    added: number;
    duplicate: number;
  }[];
  expect(countTasks(file)).toBe(20_000);
  expect(reports.map(({ added, duplicate }) => added + duplicate)).toEqual([20_000, 20_000]);
  expect(reports[0]!.added + reports[1]!.added).toBe(20_000);
});

test("Ctrl-C in the middle ends with whole batches, and the same import continues", async () => {
  const { write, queue, json, file } = await createQueueSandbox();
  const total = 120_000;
  write("tasks.jsonl", many(total));
  const stopped = await queue("import tasks.jsonl --json --on-error skip", {
    onStart(kill) {
      const watch = setInterval(() => {
        if (countTasks(file) === 0) return;
        clearInterval(watch);
        kill("SIGINT");
      }, 5);
    },
  });
  expect(stopped.exitCode).toBe(130);
  const report = JSON.parse(stopped.stdout) as { added: number; isStopped: boolean };
  expect(report.isStopped).toBe(true);
  expect(report.added).toBeGreaterThan(0);
  expect(report.added).toBeLessThan(total);
  expect(countTasks(file)).toBe(report.added);
  expect(stopped.stderr).toContain(`stopped after line ${report.added}: run the same import again`);

  expect(await json("import tasks.jsonl --on-error skip")).toMatchObject({
    added: total - report.added,
    duplicate: report.added,
  });
  expect(countTasks(file)).toBe(total);
});

test("Ctrl-C ends an import that waits for standard input", async () => {
  const { queue } = await createQueueSandbox();
  for (const mode of ["skip", "stop"]) {
    const { exitCode } = await queue(`import - --on-error ${mode}`, {
      input: "open",
      onStart: (kill) => setTimeout(() => kill("SIGINT"), 2_000),
    });
    expect(exitCode, mode).toBe(130);
  }
});
