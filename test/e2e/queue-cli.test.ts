// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { addFinished, createQueueSandbox } from "../support/queue-sandbox.ts";

const oneLine = /^forager: [^\n]+\n$/;

describe("which queue", () => {
  test("by default queue.db in the data folder, which only its owner may enter", async () => {
    const { forager, folder } = await createQueueSandbox();
    expect(await forager(["queue", "add", "a", "--data", "data"])).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(folder, "data/queue.db"))).toBe(true);
    expect(statSync(join(folder, "data")).mode & 0o777).toBe(0o700);
    const { stdout } = await forager(["queue", "list", "--data", "data", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ tasks: [{ kind: "a" }] });
  });

  test("queue.url: a relative file is in the data folder and cannot leave it", async () => {
    const { forager, folder } = await createQueueSandbox();
    const add = (url: string) =>
      forager(["queue", "add", "a", "--data", "data"], { env: { FORAGER_QUEUE_URL: url } });
    expect(await add("sqlite:sub/own.db")).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(folder, "data/sub/own.db"))).toBe(true);
    const outside = await add("sqlite:../own.db");
    expect(outside.exitCode).toBe(1);
    expect(outside.stderr).toContain("it must not contain . or ..");
    expect(await add(`sqlite:${join(folder, "absolute.db")}`)).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(folder, "absolute.db"))).toBe(true);
  });

  test("--queue sqlite:FILE is relative to where you are, wherever the flag stands", async () => {
    const { forager, folder } = await createQueueSandbox();
    mkdirSync(join(folder, "sub"));
    const flag = ["--queue", "sqlite:sub/q.db"];
    expect(await forager([...flag, "queue", "add", "a"])).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(folder, "sub/q.db"))).toBe(true);
    for (const args of [
      ["queue", ...flag, "list"],
      ["queue", "list", ...flag],
    ]) {
      expect((await forager(args)).stdout).toContain("pending");
    }
    const shown = await forager(["config", "show", ...flag]);
    expect(shown.stdout).toMatch(/^queue\.url +sqlite:\/.*\/sub\/q\.db +--queue$/m);
  });

  test("an address that is none is a usage error", async () => {
    const { forager } = await createQueueSandbox();
    for (const address of ["q.db", "sqlite:", "mysql://localhost/x"]) {
      const { exitCode, stderr } = await forager(["queue", "list", "--queue", address]);
      expect(exitCode, address).toBe(2);
      expect(stderr).toMatch(oneLine);
    }
  });

  test("only add, import, job and a changed gate make a queue; the others say that there is none", async () => {
    const { queue, file } = await createQueueSandbox();
    const lines = ["list", "show 1", "stats", "jobs", "gates", "gate g", "pause default"];
    for (const line of [...lines, "retry --yes", "purge --yes", "reconcile", "job j"]) {
      const { exitCode, stdout, stderr } = await queue(line);
      expect({ exitCode, stdout }, line).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr, line).toMatch(oneLine);
      expect(stderr, line).toContain(`there is no queue ${file}`);
    }
    expect(existsSync(file)).toBe(false);
  });

  test("a wrong queue.durability stops before the queue is made", async () => {
    const { queue, file } = await createQueueSandbox();
    const wrong = await queue("add a", { env: { FORAGER_QUEUE_DURABILITY: "some" } });
    expect(wrong.exitCode).toBe(2);
    expect(existsSync(file)).toBe(false);
    const full = await queue("add a", { env: { FORAGER_QUEUE_DURABILITY: "full" } });
    expect(full.exitCode).toBe(0);
  });
});

describe("add", () => {
  test("stores everything it is given", async () => {
    const { queue, json, use } = await createQueueSandbox();
    const words = ["add", "fetch", '{"url":"https://example.org/"}', "--key", "k", "--job", "j"];
    const flags = ["--gate", "g", "--priority", "900", "--delay", "5m", "--attempts", "2"];
    const before = Date.now();
    expect(await json([...words, ...flags])).toEqual({
      status: "added",
      id: 1,
      kind: "fetch",
      job: "j",
      gate: "g",
      key: "k",
    });
    const shown = await use((opened) => opened.show(1));
    expect(shown?.task).toMatchObject({
      kind: "fetch",
      payload: '{"url":"https://example.org/"}',
      job: "j",
      gate: "g",
      key: "k",
      priority: 900,
      attemptsMax: 2,
    });
    expect(shown!.task.dueAtMs - before).toBeGreaterThanOrEqual(300_000);
    expect(shown!.task.dueAtMs - before).toBeLessThan(330_000);
    expect((await queue("add fetch")).stdout).toBe("task 2 was added\n");
  });

  test("a duplicate is reported, with the id of the existing task, and is not a failure", async () => {
    const { queue, json } = await createQueueSandbox();
    for (const key of ["k2", "k1", "k"]) await queue(`add fetch --key ${key}`);
    expect(await json("add fetch --key k")).toMatchObject({ status: "duplicate", id: 3 });
    expect((await queue("add fetch --key k2")).stdout).toBe("duplicate: task 1 has this key\n");
  });

  test("over_budget and closed are failures that say why", async () => {
    const { queue, json } = await createQueueSandbox();
    await queue("job small --budget 1");
    await queue("add a --job small");
    expect(await json("add a --job small", 1)).toMatchObject({ status: "over_budget", id: null });
    await queue("seal small");
    const { exitCode, stdout } = await queue("add a --job small");
    expect(exitCode).toBe(1);
    expect(stdout).toBe("closed: job 'small' was sealed or has ended; nothing was added\n");
  });

  test("a task of a job bound to a gate is found behind that gate", async () => {
    const { queue, json } = await createQueueSandbox();
    await queue("job site --gate example.org");
    expect(await json("add a --job site --key k")).toMatchObject({ status: "added", id: 1 });
    const other = await queue("add a --job site --key k2 --gate other.org");
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toContain("is bound to the gate");
  });

  test.each([
    [["add"], "missing required argument 'kind'"],
    [["add", ""], "kind is empty"],
    [["add", "a", "{bad"], "the payload is not JSON"],
    [["add", "a", "--delay", "-5m"], "--delay takes a time such as 500ms, 30s, 5m, 2h or 7d"],
    [["add", "a", "--delay", "5"], "not '5'"],
    [["add", "a", "--delay", "9999d"], "delayMs is"],
    [["add", "a", "--priority", "1001"], "--priority takes a whole number from 0 to 1000"],
    [["add", "a", "--attempts", "0"], "--attempts takes a whole number from 1"],
    [["add", "a", "--key", ""], "key is empty"],
    [["add", "a", "--key", "a\nb"], "control character"],
  ])("%j is a usage error and makes no task", async (words, message) => {
    const { queue, file, use } = await createQueueSandbox();
    const { exitCode, stdout, stderr } = await queue(words);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(message);
    if (existsSync(file)) expect(await use((opened) => opened.browse())).toEqual([]);
  });
});

describe("list", () => {
  test("each filter finds its tasks, and several all that match", async () => {
    const { use, json } = await createQueueSandbox();
    await use(async (opened) => {
      await addFinished(opened, [{ kind: "old", key: "x" }], "done");
      await opened.add([
        { kind: "a", job: "one", gate: "g", key: "key-1", payload: { word: "needle" } },
        { kind: "a", job: "two", key: "key-2" },
        { kind: "b", job: "two", gate: "g", key: "other", payload: "needle" },
      ]);
    });
    const ids = async (filter: string) => {
      const { tasks } = (await json(`list ${filter}`)) as { tasks: { id: number }[] };
      return tasks.map(({ id }) => id);
    };
    expect(await ids("")).toEqual([1, 2, 3, 4]);
    expect(await ids("--state done")).toEqual([1]);
    expect(await ids("--state done --state pending --kind a")).toEqual([2, 3]);
    expect(await ids("--state done,failed")).toEqual([1]);
    expect(await ids("--job two")).toEqual([3, 4]);
    expect(await ids("--gate g")).toEqual([2, 4]);
    expect(await ids("--key-prefix key-")).toEqual([2, 3]);
    expect(await ids("--text needle --job one")).toEqual([2]);
    expect(await ids("--gate g --job two --kind a")).toEqual([]);
  });

  test("--limit and --after show page after page, and JSON says where to continue", async () => {
    const { use, json, queue } = await createQueueSandbox();
    await use((opened) => opened.add(Array.from({ length: 5 }, () => ({ kind: "a" }))));
    const seen: number[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page = (await json(`list --limit 2 --after ${after}`)) as {
        tasks: { id: number }[];
        after: number | null;
      };
      seen.push(...page.tasks.map(({ id }) => id));
      after = page.after;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    const { stdout, stderr } = await queue("list --limit 2");
    expect(stdout.split("\n")[0]).toMatch(/^id +state +kind +job +gate +key +priority/);
    expect(stderr).toBe("there may be more: add --page 2, --after 2 or --all\n");
  });

  test("payloads are JSON values, not text", async () => {
    const { json, queue } = await createQueueSandbox();
    await queue(["add", "a", '{"deep":[1,"ü"]}']);
    expect(await json("list")).toMatchObject({ tasks: [{ payload: { deep: [1, "ü"] } }] });
  });

  test("| head -1 ends in silence", async () => {
    const { use, run } = await createQueueSandbox();
    await use((opened) => opened.add(Array.from({ length: 9_000 }, () => ({ kind: "a" }))));
    const list = `"${process.execPath}" "$FORAGER_TEST_MAIN" queue list --queue sqlite:q.db`;
    const line = `set -o pipefail; ${list} --limit 9000 --quiet | head -1 | cut -c 1-9`;
    expect(await run("bash", ["-c", line])).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test.each([
    ["--state pendign", "not 'pendign' (the nearest is pending)"],
    ["--limit 10001", "--limit takes at most 10000"],
    ["--limit 0", "--limit takes a whole number from 1"],
    ["--after x", "--after takes the number of a task"],
  ])("%s is a usage error", async (flags, message) => {
    const { queue } = await createQueueSandbox();
    const { exitCode, stderr } = await queue(`list ${flags}`);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(message);
  });

  test("a job that does not exist is an error that names the nearest", async () => {
    const { queue } = await createQueueSandbox();
    await queue("add a --job nightly");
    for (const line of ["list", "retry", "purge"]) {
      const { exitCode, stderr } = await queue(`${line} --job nigthly`);
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(oneLine);
      expect(stderr).toContain("there is no job 'nigthly': the nearest is 'nightly'");
    }
  });
});

test("text from outside reaches the terminal without control sequences", async () => {
  const { use, queue } = await createQueueSandbox();
  await use((opened) =>
    opened.add([{ kind: "a\u009b31m", key: "k\u202ey", payload: "\u009bp\u001b" }]),
  );
  for (const line of ["list", "show 1", "stats"]) {
    const { exitCode, stdout } = await queue(line);
    expect(exitCode).toBe(0);
    for (const obeyed of ["\u009b", "\u001b", "\u202e"]) expect(stdout).not.toContain(obeyed);
  }
});

test("a settings file may name the queue", async () => {
  const { forager, folder } = await createQueueSandbox();
  writeFileSync(join(folder, "forager.toml"), '[queue]\nurl = "sqlite:mine.db"\n');
  expect(await forager(["queue", "add", "a", "--data", "d"])).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(folder, "d/mine.db"))).toBe(true);
});
