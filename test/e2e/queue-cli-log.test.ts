// inputs: src/** package.json tsconfig.json tsconfig.build.json
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { ClusterStatus } from "../../src/app/status/cluster-status.ts";
import { addFinished, createQueueSandbox } from "../support/queue-sandbox.ts";

const dayMs = 86_400_000;
const tasks = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ kind: "work", key: `${prefix}${at}`, job: "j" }));

/** Three tasks that ended 10, 20 and 30 days ago. */
async function setUp() {
  const sandbox = await createQueueSandbox();
  await sandbox.use((queue) => addFinished(queue, tasks("old", 3), "done"));
  const db = new Database(sandbox.file);
  db.prepare("update task set finished_at = finished_at - (4 - id) * ?").run(10 * dayMs);
  db.close();
  return sandbox;
}

test("D16: `work` moves what is old into the log, which status shows and prune shortens", async () => {
  const { forager, json, queue, use, write } = await setUp();
  await use((opened) => addFinished(opened, tasks("new", 1), "done"));
  write("handlers.mjs", "export const work = { kind: 'work', run: () => {} };");
  const work = ["work", "--handlers", "handlers.mjs", "--drain", "--queue", "sqlite:q.db"];
  const { exitCode, stderr } = await forager(work);
  expect(exitCode, stderr).toBe(0);

  expect(await json("list")).toMatchObject({ tasks: [{ key: "new0" }] });
  const keys = async () => ((await json("log")) as { key: string }[]).map(({ key }) => key);
  expect(await keys()).toEqual(["old0", "old1", "old2", "new0"]);
  expect((await queue("add work --key old0 --job j")).stdout).toBe(
    "duplicate: task 1 has this key\n",
  );

  expect((await queue("show 1")).stdout).toMatch(/^task +1, in the log: its payload/);
  expect(await json("show 1")).toMatchObject({ id: 1, state: "done", isArchived: true });
  expect((await queue("retry --id 1 --yes")).stderr).toContain("task 1 is only in the log");

  const status = ["status", "--queue", "sqlite:q.db"];
  const seen = JSON.parse((await forager([...status, "--json"])).stdout) as ClusterStatus;
  expect(seen.queue).toMatchObject({
    log: { entries: 3, keptKeys: 3 },
    keep: { doneDays: 7, failedDays: 30, keysDays: 90 },
  });
  const ageDays = (seen.atMs - seen.queue!.log.oldestAtMs) / dayMs;
  expect(Math.round(ageDays)).toBe(30);
  expect((await forager(status)).stdout).toMatch(
    /^ {2}log: 3 entries since \S+Z, 3 keys reserved for 90 days; finished tasks move into it after 7 days, failed ones after 30$/m,
  );

  expect(await json("log prune --before 25d --dry-run")).toEqual({ isDryRun: true, matching: 1 });
  const unasked = await queue("log prune --before 25d");
  expect(unasked.exitCode).toBe(2);
  expect(unasked.stderr).toMatch(/remove 1 entry older than \S+ from the log\? Not a terminal/);
  expect((await queue("log prune --before 25d --yes")).stdout).toBe(
    "removed 1 entry from the log\n",
  );
  expect(await keys()).toEqual(["old1", "old2", "new0"]);
  expect(await json("add work --key old0 --job j")).toMatchObject({ status: "duplicate" });
});

test("purge frees keys of what moved into the log before, and asks also where no row is left", async () => {
  const { json, queue } = await setUp();
  expect(await json("purge --yes")).toEqual({ changed: 3 });
  expect(await json("add work --key old0 --job j")).toMatchObject({ status: "duplicate" });
  await json("add work --key other --job j");
  const unasked = await queue("purge --job j");
  expect(unasked.exitCode).toBe(2);
  expect(unasked.stderr).toContain("those of such tasks in the log? Not a terminal");
  expect(await json("add work --key old0 --job j")).toMatchObject({ status: "duplicate" });
  expect(await json("purge --job j --yes")).toEqual({ changed: 0 });
  expect(await json("add work --key old0 --job j")).toMatchObject({ status: "added" });
  expect(await json("log")).toHaveLength(3);
});

test("queue log and purge take a job that is only in the log, and refuses what makes no sense", async () => {
  const { json, queue } = await setUp();
  await json("seal j");
  expect(await json("purge --yes")).toEqual({ changed: 3 });
  expect(await json("log --job j")).toHaveLength(3);
  expect(await json("add work --key old0 --job j")).toMatchObject({ status: "duplicate" });
  expect(await json("purge --job j --yes")).toEqual({ changed: 0 });
  expect(await json("add work --key old0 --job j")).toMatchObject({ status: "added" });
  expect((await queue("purge --job nobody")).stderr).toContain("there is no job 'nobody'");
  expect((await queue("log --job nobody")).stderr).toContain("there is no job 'nobody'");
  for (const [line, message] of [
    ["log prun", "the only argument of queue log is prune, not 'prun'"],
    ["log --before 3d", "--before, --yes and --dry-run can only be used with `queue log prune`"],
    ["log prune", "queue log prune needs --before, such as 365d"],
    ["log prune --before soon", "--before takes a moment such as 2026-11-20"],
  ] as const) {
    const { exitCode, stderr } = await queue(line);
    expect(exitCode, line).toBe(2);
    expect(stderr).toContain(message);
  }
});
