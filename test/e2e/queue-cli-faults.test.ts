// inputs: src/** package.json tsconfig.json tsconfig.build.json
import Database from "better-sqlite3";
import { chmodSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";

const oneLine = /^forager: [^\n]+\n$/;

async function expectRefused(
  { queue }: QueueSandbox,
  message: string,
  lines: readonly string[] = ["add a", "list", "stats"],
) {
  for (const line of lines) {
    const { exitCode, stdout, stderr } = await queue(line);
    expect({ exitCode, stdout }, `${line}: ${stderr}`).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(message);
  }
}

test("a queue of a newer version is left alone", async () => {
  const sandbox = await createQueueSandbox();
  await sandbox.queue("add a");
  const db = new Database(sandbox.file);
  db.pragma("user_version = 999");
  db.close();
  await expectRefused(sandbox, "was made by a newer version (format 999");
  const after = new Database(sandbox.file);
  expect(after.pragma("user_version", { simple: true })).toBe(999);
  expect(after.prepare("select count(*) from task").pluck().get()).toBe(1);
  after.close();
});

test("a SQLite file of another program is left alone", async () => {
  const sandbox = await createQueueSandbox();
  const db = new Database(sandbox.file);
  db.exec("create table theirs (x)");
  db.close();
  await expectRefused(sandbox, "is a SQLite file of another program");
});

test("a file that is not a SQLite file is left alone", async () => {
  const sandbox = await createQueueSandbox();
  const text = "Dear diary, today I was not a database. ".repeat(200);
  sandbox.write("q.db", text);
  await expectRefused(sandbox, "is damaged or is not a queue");
  expect(readFileSync(sandbox.file, "utf8")).toBe(text);
});

test("a folder in place of the file, and a folder that cannot be made, are reported", async () => {
  const { forager, write } = await createQueueSandbox();
  write("file", "");
  const folder = await forager(["queue", "list", "--queue", "sqlite:."]);
  expect(folder.exitCode).toBe(1);
  expect(folder.stderr).toMatch(oneLine);
  const below = await forager(["queue", "add", "a", "--queue", "sqlite:file/q.db"]);
  expect(below.exitCode).toBe(1);
  expect(below.stderr).toMatch(oneLine);
});

test("a file that may not be written is reported, and read by nobody as an empty queue", async () => {
  const sandbox = await createQueueSandbox();
  const { queue, run, folder, file } = sandbox;
  await queue("add a");
  chmodSync(file, 0o444);
  chmodSync(folder, 0o555);
  chmodSync(dirname(folder), 0o755);
  try {
    if (process.getuid?.() !== 0) return await expectRefused(sandbox, "cannot be written");
    // Root may write anything, so it tries without the right to. Another user may not be able to read this checkout.
    const asOther = (line: string) => {
      const as = ["--bounding-set=-dac_override,-dac_read_search", "bash", "-c"];
      const script = `exec "${process.execPath}" "$FORAGER_TEST_MAIN" queue ${line} --queue sqlite:q.db`;
      return run("setpriv", [...as, script]);
    };
    const { exitCode, stdout, stderr } = await asOther("add a");
    expect({ exitCode, stdout }, stderr).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain("cannot be written");
    const listed = await asOther("list --json");
    expect(listed, listed.stderr).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(listed.stdout)).toMatchObject({ tasks: [{ kind: "a" }] });
  } finally {
    chmodSync(folder, 0o755);
    chmodSync(file, 0o644);
  }
});

describe("show", () => {
  test("everything about a task that waits, runs and failed", async () => {
    const { queue, json, use } = await createQueueSandbox();
    await queue(["add", "fetch", '{"deep":{"url":"x"}}', "--delay", "10m", "--key", "k"]);
    const waiting = await queue("show 1");
    expect(waiting.stdout).toMatch(
      /^state +pending: scheduled \(it is due later\), 9m\d\ds more at least$/m,
    );
    expect(waiting.stdout).toContain('\n  {\n    "deep": {\n      "url": "x"\n    }\n  }\n');

    await queue("add now --key n --attempts 2");
    const leased = await use(async (opened) => {
      const { leases } = await opened.claim({ worker: "w1", kinds: ["now"], leaseMs: 3_600_000 });
      return leases[0]!;
    });
    expect(await json("show 2")).toMatchObject({
      state: "running",
      worker: "w1",
      used: 1,
      token: leased.token,
      waiting: null,
    });
    const running = await queue("show 2");
    expect(running.stdout).toMatch(/^worker +w1$/m);
    expect(running.stdout).toMatch(/^lease +59m\d\ds left$/m);

    await use((opened) =>
      opened.finish([
        {
          ...leased,
          outcome: { kind: "fail", reason: "no such host", stack: "at visit (site.mjs:7:1)" },
        },
      ]),
    );
    const failed = await queue("show 2");
    expect(failed.stdout).toMatch(/^state +failed$/m);
    expect(failed.stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:]+Z +fail +no such host$/m);
    expect(failed.stdout).toMatch(
      /^where the attempt of .+ failed\n {2}at visit \(site.mjs:7:1\)$/m,
    );
    expect(await json("show 2")).toMatchObject({
      attempts: [{ outcome: "fail", reason: "no such host" }],
    });
  });

  test("a task that does not exist", async () => {
    const { queue } = await createQueueSandbox();
    await queue("add a");
    expect(await queue("show 99")).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "forager: there is no task 99: it was never added, or was pruned from the log\n",
    });
  });
});

describe("stats", () => {
  test("states, reasons, kinds with waits, and jobs", async () => {
    const { use, queue, json } = await createQueueSandbox();
    await use(async (opened) => {
      await opened.add([
        { kind: "a" },
        { kind: "a", delayMs: 3_600_000 },
        { kind: "b", job: "held" },
        { kind: "b", job: "held" },
      ]);
      await opened.pause("held");
      const { leases } = await opened.claim({ worker: "w", kinds: ["a"] });
      await opened.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } })));
    });
    expect(await json("stats")).toMatchObject({
      states: { pending: 3, running: 0, done: 1, skipped: 0, failed: 0 },
      kinds: [
        { kind: "a", pending: 1, done: 1, waits: { count: 1 } },
        { kind: "b", pending: 2, waits: { count: 0 } },
      ],
      jobs: { open: 1, paused: 1, ended: 0, list: [{ name: "default" }, { name: "held" }] },
    });
    const { stdout } = await queue("stats");
    expect(stdout).toMatch(/^pending +3$/m);
    expect(stdout).toMatch(/^paused +2 +67% +\d/m);
    expect(stdout).toMatch(/^scheduled +1 +33% +\d/m);
    expect(stdout).toMatch(/^worker_capacity +0 +0% +-$/m);
    expect(stdout).toMatch(/^b +2 +0 +0 +0 +0 +- +- +-$/m);
    expect(stdout).toMatch(/^held +paused +2 /m);
  });

  test("--watch continues until Ctrl-C: a line each time, or a JSON document", async () => {
    const { queue } = await createQueueSandbox();
    await queue("add a");
    const untilTwo = {
      onStdout: (text: string, kill: (signal: NodeJS.Signals) => void) => {
        if (text.split("\n").length > 2) kill("SIGINT");
      },
    };
    const lines = await queue("stats --watch --every 200ms", untilTwo);
    expect(lines.exitCode).toBe(130);
    expect(lines.stdout.split("\n")[1]).toMatch(
      /^\d{4}-.*Z pending 1, running 0, done 0, skipped 0, failed 0 \(worker_capacity 1\)$/,
    );
    const documents = await queue("stats --watch --json --every 200ms", untilTwo);
    for (const line of documents.stdout.trimEnd().split("\n")) {
      expect(JSON.parse(line)).toMatchObject({ states: { pending: 1 } });
    }
  });

  test("--watch ends in silence when nobody reads any more", async () => {
    const { queue, run } = await createQueueSandbox();
    await queue("add a");
    const stats = `"${process.execPath}" "$FORAGER_TEST_MAIN" queue stats --queue sqlite:q.db`;
    const line = `set -o pipefail; ${stats} --watch --every 100ms | head -1 | cut -c 1-2`;
    expect(await run("bash", ["-c", line])).toEqual({ exitCode: 0, stdout: "20\n", stderr: "" });
  });

  test("--every is checked", async () => {
    const { queue } = await createQueueSandbox();
    for (const flags of ["--every 1s", "--watch --every 1ms", "--watch --every often"]) {
      const { exitCode, stderr } = await queue(`stats ${flags}`);
      expect(exitCode, flags).toBe(2);
      expect(stderr).toMatch(oneLine);
    }
  });
});
