// inputs: src/** package.json tsconfig.json tsconfig.build.json
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { addFinished, createQueueSandbox } from "../support/queue-sandbox.ts";

const oneLine = /^forager: [^\n]+\n$/;
const tasks = (count: number, task: object = {}) =>
  Array.from({ length: count }, () => ({ kind: "a", ...task }));

describe("jobs", () => {
  test("pause and resume: what waits says so", async () => {
    const { queue, json } = await createQueueSandbox();
    await queue("add a --job nightly");
    expect((await queue("pause nightly")).stdout).toBe(
      "job 'nightly' is paused: 1 task pending, 0 still running\n",
    );
    expect(await json("show 1")).toMatchObject({ waiting: { reason: "paused" } });
    expect(await json("resume nightly")).toMatchObject({ name: "nightly", isPaused: false });
    expect(await json("show 1")).toMatchObject({ waiting: { reason: "worker_capacity" } });
  });

  test("seal: an empty job completes at once, another after its tasks", async () => {
    const { queue, json, use } = await createQueueSandbox();
    await use((opened) => addFinished(opened, tasks(1, { job: "idle" }), "done"));
    await queue("add a --job busy");
    expect((await queue("seal busy")).stdout).toContain("completes after 1 task pending");
    expect(await json("seal idle")).toMatchObject({ isSealed: true, ended: "completed" });
    const again = await queue("seal idle");
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toBe(
      "forager: job 'idle' is completed: only `forager --queue sqlite:q.db queue retry --job idle --yes` opens it again\n",
    );
  });

  test("cancel asks, skips every task however many, and says how to undo it", async () => {
    const { queue, json, use } = await createQueueSandbox();
    await use(async (opened) => {
      await opened.add(tasks(9_000, { job: "big" }));
      await opened.add(tasks(3_500, { job: "big" }));
    });
    expect((await queue("cancel big --dry-run")).stdout).toBe(
      "would cancel job 'big': 12,500 tasks pending, 0 running\n",
    );
    const unasked = await queue("cancel big");
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain("pass --yes to confirm");
    expect(await json("show 1")).toMatchObject({ state: "pending" });

    expect(await json("cancel big --yes")).toMatchObject({
      ended: "cancelled",
      pending: 0,
      skipped: 12_500,
    });
    const again = await queue("pause big");
    expect(again.stderr).toContain(
      "`forager --queue sqlite:q.db queue retry --job big --state skipped --yes` opens it",
    );
    expect(await json("retry --job big --state skipped --yes")).toEqual({ changed: 12_500 });
    expect(await json("job big")).toMatchObject({ ended: null, pending: 12_500 });
  });

  test("the default job cannot end, and that is reported before anything is asked", async () => {
    const { queue } = await createQueueSandbox();
    await queue("add a");
    for (const line of ["seal default", "cancel default"]) {
      const { exitCode, stderr } = await queue(line);
      expect(exitCode, line).toBe(2);
      expect(stderr).toMatch(oneLine);
      expect(stderr).toContain("is never sealed or cancelled: pause it");
    }
  });

  test("a job that does not exist is reported, with the nearest name", async () => {
    const { queue } = await createQueueSandbox();
    await queue("add a --job nightly");
    for (const verb of ["pause", "resume", "seal", "cancel", "job"]) {
      const { exitCode, stdout, stderr } = await queue(`${verb} nihgtly`);
      expect({ exitCode, stdout }, verb).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toMatch(oneLine);
      expect(stderr).toContain("there is no job 'nihgtly': the nearest is 'nightly'");
    }
  });

  test("job sets limits one by one, and lifts them", async () => {
    const { queue, json } = await createQueueSandbox();
    const limits = (value: unknown) => {
      const { concurrency, budget, gate } = value as Record<string, unknown>;
      return { concurrency, budget, gate };
    };
    expect(limits(await json("job j --concurrency 4 --gate g"))).toEqual({
      concurrency: 4,
      budget: null,
      gate: "g",
    });
    expect(limits(await json("job j --budget 10"))).toEqual({
      concurrency: 4,
      budget: 10,
      gate: "g",
    });
    expect(limits(await json("job j --concurrency any --gate any"))).toEqual({
      concurrency: null,
      budget: 10,
      gate: "",
    });
    expect(await queue("job j --concurrency 0")).toMatchObject({ exitCode: 2 });
  });

  test("jobs lists each with its counters", async () => {
    const { use, queue } = await createQueueSandbox();
    await use(async (opened) => {
      await addFinished(opened, tasks(3, { job: "one" }), "done");
      await opened.add(tasks(1, { job: "one" }));
    });
    expect((await queue("jobs")).stdout).toMatch(
      /^one +open +1 +0 +3 +0 +0 +75% +0 +- +any +any$/m,
    );
  });
});

describe("gates", () => {
  test("gate sets, blocks and lifts; gates lists", async () => {
    const { queue, json } = await createQueueSandbox();
    await queue("add a --gate example.org");
    expect(await json("gate example.org --delay 2s --limit 3 --block 1h")).toMatchObject({
      name: "example.org",
      delayMs: 2_000,
      limit: 3,
    });
    expect(await json("show 1")).toMatchObject({ waiting: { reason: "domain_delay" } });
    const { stdout } = await queue("gates");
    expect(stdout).toMatch(/^example\.org +2\.0s +3 +0 +blocked for 59m\d\ds$/m);
    expect(await json("gate example.org --block 0")).toMatchObject({ blockedForMs: 0, limit: 3 });
    expect((await queue("gate example.org")).stdout).toMatch(/^example\.org .* open$/m);
  });

  test("an unknown gate and wrong values are reported, and nothing is half done", async () => {
    const { queue, json } = await createQueueSandbox();
    await queue("add a --gate example.org");
    const absent = await queue("gate exampel.org");
    expect(absent.exitCode).toBe(1);
    expect(absent.stderr).toContain("there is no gate 'exampel.org': the nearest is 'example.org'");
    for (const flags of ["--delay 5", "--limit 0", "--block -1s", "--limit 5 --block 9999d"]) {
      const { exitCode, stderr } = await queue(`gate example.org ${flags}`);
      expect(exitCode, flags).toBe(2);
      expect(stderr).toMatch(oneLine);
    }
    expect(await json("gate example.org")).toMatchObject({ limit: 1, delayMs: 0 });
  });
});

describe("retry", () => {
  test("by filter: only what matches, more than one only with an answer", async () => {
    const { use, queue, json } = await createQueueSandbox();
    await use(async (opened) => {
      await addFinished(opened, tasks(2, { job: "one" }), "fail");
      await addFinished(
        opened,
        [
          { kind: "b", job: "one" },
          { kind: "b", gate: "g" },
        ],
        "fail",
      );
      await addFinished(opened, tasks(1, { job: "one" }), "skip");
      await addFinished(opened, tasks(1), "done");
    });
    expect(await json("retry --dry-run")).toEqual({ isDryRun: true, matching: 4 });
    expect((await queue("retry --job one --dry-run")).stdout).toBe(
      "would make 3 tasks (failed) pending again\n",
    );
    const unasked = await queue("retry --job one");
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain("make 3 tasks (failed) pending again? Not a terminal");
    // One task needs no answer.
    expect((await queue("retry --kind b --gate g")).stdout).toBe("made 1 task pending again\n");
    expect(await json("retry --older-than 1h --yes")).toEqual({ changed: 0 });
    expect(await json("retry --job one --state failed --state skipped --yes")).toEqual({
      changed: 4,
    });
    expect(await json("stats")).toMatchObject({ states: { pending: 5, done: 1, failed: 0 } });
  });

  test("by id: a task that is absent or cannot be retried changes nothing", async () => {
    const { use, queue, json } = await createQueueSandbox();
    await use(async (opened) => {
      await addFinished(opened, tasks(2), "fail");
      await opened.add(tasks(1));
    });
    const absent = await queue("retry --id 1 --id 99 --yes");
    expect(absent).toMatchObject({ exitCode: 1, stdout: "" });
    expect(absent.stderr).toContain("there is no task 99");
    const pending = await queue("retry --id 1,3 --yes");
    expect(pending.exitCode).toBe(1);
    expect(pending.stderr).toContain("task 3 is pending, which is none of failed");
    expect(await json("show 1")).toMatchObject({ state: "failed" });

    expect(await json("retry --id 1")).toEqual({ changed: 1 });
    expect(await json("show 1")).toMatchObject({
      state: "pending",
      used: 0,
      attempts: [{ outcome: "fail", reason: "it rained" }],
    });
    expect(await json("show 2")).toMatchObject({ state: "failed" });
  });

  test.each([
    ["retry --state done", "--state takes failed, skipped, not 'done'"],
    ["retry --id x", "--id takes the number of a task, not 'x'"],
    ["retry --older-than week", "--older-than takes a time"],
    ["purge --state pending", "--state takes done, skipped, failed"],
    ["show x", "takes the number of a task"],
  ])("%s is a usage error", async (line, message) => {
    const { queue } = await createQueueSandbox();
    const { exitCode, stderr } = await queue(line);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(oneLine);
    expect(stderr).toContain(message);
  });
});

describe("purge", () => {
  test("failed tasks stay unless they are named; it always asks", async () => {
    const { use, queue, json } = await createQueueSandbox();
    await use(async (opened) => {
      await addFinished(opened, tasks(3), "done");
      await addFinished(opened, tasks(1), "skip");
      await addFinished(opened, tasks(2), "fail");
    });
    expect(await json("purge --kind a --dry-run")).toEqual({ isDryRun: true, matching: 4 });
    const unasked = await queue("purge --id 1");
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain(
      "purge 1 task and free their keys and those of such tasks in the log? Not a terminal",
    );
    expect((await queue("purge --kind a --yes")).stdout).toBe("purged 4 tasks\n");
    expect(await json("purge --id 5 --yes")).toEqual({ changed: 1 });
    expect(await json("purge --state failed --yes")).toEqual({ changed: 1 });
    expect(await json("list")).toEqual({ tasks: [], after: null });
  });

  test("without a filter tasks that the settings no longer keep; --older-than counts from now", async () => {
    const { use, json, file, forager } = await createQueueSandbox();
    await use(async (opened) => {
      await addFinished(opened, tasks(4), "done");
      await addFinished(opened, tasks(4), "fail");
    });
    const dayMs = 86_400_000;
    const db = new Database(file);
    db.prepare("update task set finished_at = finished_at - id * ?").run(2 * dayMs + 60_000);
    db.close();
    // Ages in days: done 2, 4, 6, 8; failed 10, 12, 14, 16.
    expect(await json("purge --older-than 5d --dry-run")).toMatchObject({ matching: 2 });
    expect(await json("purge --older-than 3d --state failed --dry-run")).toMatchObject({
      matching: 4,
    });
    const { stdout } = await forager(["queue", "purge", "--queue", "sqlite:q.db", "--yes"], {
      env: { FORAGER_QUEUE_KEEP_DONE_DAYS: "5", FORAGER_QUEUE_KEEP_FAILED_DAYS: "13" },
    });
    expect(stdout).toBe("moved 4 tasks into the log\n");
    const { tasks: left } = (await json("list")) as { tasks: { id: number }[] };
    expect(left.map(({ id }) => id)).toEqual([1, 2, 5, 6]);
    expect(await json("log")).toHaveLength(8);
  });

  test("many go in chunks, with progress", async () => {
    const { use, queue } = await createQueueSandbox();
    await use((opened) => addFinished(opened, tasks(6_000), "done"));
    const { stdout, stderr } = await queue("purge --state done --yes");
    expect(stdout).toBe("purged 6,000 tasks\n");
    expect(stderr).toMatch(/^purge \[#{20}\] 6000\/6000 100%/m);
  });
});

describe("reconcile", () => {
  test("finds true drift, and repairs it only when asked and answered", async () => {
    const { use, queue, json, file } = await createQueueSandbox();
    await use((opened) => opened.add(tasks(3)));
    expect(await json("reconcile")).toEqual({ drift: [], orphans: 0, repaired: false });
    const db = new Database(file);
    db.prepare("update lane set done = done + 7").run();
    db.close();
    const found = await queue("reconcile");
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toMatch(/^lane a\/default\/ done +7 +0$/m);
    expect(found.stdout).toContain("1 wrong counter, 0 orphans: --repair corrects them");
    const unasked = await queue("reconcile --repair");
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain("repair 1 counter and 0 orphans? Not a terminal");
    expect(await json("reconcile", 1)).toMatchObject({ drift: [{ counted: 7, actual: 0 }] });
    expect(await json("reconcile --repair --yes")).toMatchObject({ repaired: true });
    expect((await queue("reconcile --repair")).stdout).toBe("nothing differs\n");
  });
});
