import { expect } from "vitest";
import { bulkRowsMax } from "../../operation.ts";
import {
  type QueueClause,
  type QueueFixture,
  keysOf,
  statusesOf,
  work,
  works,
} from "../suite-fixture.ts";

export function jobEndClauses(clause: QueueClause): void {
  clause("a sealed job completes with its last task, once", async (at) => {
    await at.add(...works("a", 2, { job: "j" }));
    const [first, second] = await at.claim();
    await at.finish(first!);
    expect(await at.queue.seal("j")).toBe("ok");
    expect(await at.queue.job("j")).toMatchObject({ isSealed: true, ended: null });
    await at.time.advance(70);
    await at.finish(second!);
    const completed = { ended: "completed", endedAtMs: at.time.now().ms, completions: 1 };
    expect(await at.queue.job("j")).toMatchObject(completed);
    await at.time.advance(70);
    await at.finish(second!);
    await at.queue.sweep();
    await at.claim();
    expect(await at.queue.job("j")).toMatchObject(completed);
  });

  clause("a job without tasks completes when it is sealed", async (at) => {
    await at.queue.openJob("empty");
    await at.queue.seal("empty");
    expect(await at.queue.job("empty")).toMatchObject({ ended: "completed", completions: 1 });
    expect(await at.queue.seal("empty")).toBe("closed");
    expect(await at.queue.job("empty")).toMatchObject({ completions: 1 });
  });

  clause("a job whose tasks have all ended completes when it is sealed", async (at) => {
    await at.add(work("a", { job: "j" }));
    await at.finish(await at.claimOne(), { kind: "fail", reason: "f" });
    expect(await at.queue.job("j")).toMatchObject({ ended: null, completions: 0 });
    await at.queue.seal("j");
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed", completions: 1 });
  });

  clause("a job completes also when the sweep ends its last task", async (at) => {
    await at.add(work("a", { job: "j", attemptsMax: 1 }));
    await at.queue.seal("j");
    await at.claimOne({ leaseMs: 1_000 });
    await at.time.advance(1_000);
    expect(await at.queue.sweep()).toMatchObject({ failed: 1 });
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed", completions: 1 });
  });

  clause("finishing the last tasks at the same time completes once", async (at) => {
    await at.add(...works("a", 6, { job: "j" }));
    await at.queue.seal("j");
    const other = await at.another();
    const leases = await at.claim();
    const statuses = await Promise.all(
      leases.map((lease, index) =>
        (index % 2 === 0 ? at.queue : other).finish([{ ...lease, outcome: { kind: "done" } }]),
      ),
    );
    expect(statuses.flat().every(({ status }) => status === "done")).toBe(true);
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed", completions: 1, done: 6 });
  });

  clause("lesson 17: a job that is not sealed does not complete", async (at) => {
    await at.add(work("a", { job: "j" }));
    await at.finish(await at.claimOne());
    await at.queue.sweep();
    expect(await at.queue.job("j")).toMatchObject({ ended: null, pending: 0, running: 0 });
    expect(statusesOf(await at.queue.add([work("b", { job: "j" })]))).toEqual(["added"]);
  });

  clause("lesson 17: a sealed job does not complete while discovery still adds", async (at) => {
    await at.add(work("page0", { job: "j" }));
    await at.queue.seal("j");
    for (let page = 0; page < 3; page++) {
      const lease = await at.claimOne();
      const add = page < 2 ? { add: [work(`page${page + 1}`, { job: "j" })] } : {};
      await at.finish(lease, undefined, add);
      expect((await at.queue.job("j"))!.ended).toBe(page < 2 ? null : "completed");
    }
    expect(await at.queue.job("j")).toMatchObject({ done: 3, completions: 1 });
  });

  clause("lesson 17: a retry that waits keeps its job open", async (at) => {
    await at.add(work("a", { job: "j" }));
    await at.queue.seal("j");
    await at.finish(await at.claimOne(), { kind: "retry", delayMs: 1_000, reason: "later" });
    await at.queue.sweep();
    expect(await at.queue.job("j")).toMatchObject({ ended: null });
    await at.time.advance(1_000);
    await at.finish(await at.claimOne());
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed" });
  });

  clause("a paused job completes too when its last running task ends", async (at) => {
    await at.add(work("a", { job: "j" }));
    const lease = await at.claimOne();
    await at.queue.seal("j");
    await at.queue.pause("j");
    await at.finish(lease);
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed" });
  });

  clause("a cancelled job skips what waits and starts nothing", async (at) => {
    await at.add(...works("a", 3, { job: "j" }), work("later", { job: "j", delayMs: 9_000 }));
    expect(await at.queue.cancel("j")).toBe("ok");
    expect(await at.claim()).toEqual([]);
    for (const task of await at.queue.browse({ job: "j" })) {
      expect(task).toMatchObject({
        state: "skipped",
        finishedAtMs: at.time.now().ms,
        attempts: [{ outcome: "cancelled", reason: "its job was cancelled" }],
      });
    }
    expect(await at.queue.job("j")).toMatchObject({
      ended: "cancelled",
      endedAtMs: at.time.now().ms,
      skipped: 4,
      pending: 0,
      completions: 0,
    });
    expect(statusesOf(await at.queue.add([work("b", { job: "j" })]))).toEqual(["closed"]);
  });

  clause("leases of a cancelled job are lost, and write nothing", async (at) => {
    const { running } = await cancelledWhileRunning(at);
    const stored = await at.queue.browse();
    const more = { add: [work("b")], raise: [{ key: "low", priority: 999 }] };
    for (const lease of running) {
      expect(await at.finish(lease, undefined, more)).toBe("lost");
      expect(await at.extend(lease)).toBe("lost");
      expect(await at.release(lease)).toBe("lost");
    }
    expect(await at.queue.browse()).toEqual(stored);
  });

  clause(
    "running tasks of a cancelled job keep gate and slot until their lease ends",
    async (at) => {
      const { running } = await cancelledWhileRunning(at);
      expect(await at.queue.job("j")).toMatchObject({ running: 2, slots: 1 });
      await at.add(work("next", { gate: "g" }));
      expect(await at.claim({ worker: "w2" })).toEqual([]);
      await at.time.advance(1_000);
      expect(await at.queue.sweep()).toMatchObject({ cancelled: 2, requeued: 0 });
      for (const { key } of running) {
        expect(await at.find(key)).toMatchObject({
          state: "skipped",
          attempts: [{ outcome: "cancelled" }],
        });
      }
      expect(await at.queue.job("j")).toMatchObject({ running: 0, slots: 0, skipped: 3 });
      expect(keysOf(await at.claim({ worker: "w2" }))).toEqual(["next"]);
    },
  );

  clause("lesson 17: a cancel is not overwritten by completion", async (at) => {
    await at.add(work("a", { job: "j" }));
    await at.queue.seal("j");
    const lease = await at.claimOne({ leaseMs: 1_000 });
    await at.queue.cancel("j");
    await at.finish(lease);
    await at.time.advance(1_000);
    await at.queue.sweep();
    await at.queue.sweep();
    expect(await at.queue.job("j")).toMatchObject({ ended: "cancelled", completions: 0 });
  });

  clause("a finish that came before the cancel may be repeated after it", async (at) => {
    await at.add(...works("a", 2, { job: "j" }));
    const [first] = await at.claim({ limit: 1 });
    await at.finish(first!);
    await at.queue.cancel("j");
    expect(await at.finish(first!)).toBe("done");
    expect(await at.find("a0")).toMatchObject({ state: "done" });
  });

  clause("a job that has ended is closed to all changes", async (at) => {
    await at.queue.openJob("completed");
    await at.queue.seal("completed");
    await at.queue.openJob("cancelled");
    await at.queue.cancel("cancelled");
    for (const job of ["completed", "cancelled"]) {
      const before = await at.queue.job(job);
      for (const change of ["seal", "pause", "resume", "cancel"] as const) {
        expect(await at.queue[change](job)).toBe("closed");
      }
      expect(await at.queue.openJob(job, { concurrency: 1 })).toBe("closed");
      expect(await at.queue.job(job)).toEqual(before);
    }
  });

  clause("the rows of a cancelled job follow in chunks", async (at) => {
    await at.add(...works("a", bulkRowsMax, { job: "j" }), ...works("other", 1));
    await at.add(...works("b", 7, { job: "j" }));
    await at.queue.cancel("j");
    expect(await at.queue.job("j")).toMatchObject({ ended: "cancelled", skipped: bulkRowsMax });
    expect(keysOf(await at.claim())).toEqual(["other0"]);
    expect(await at.queue.job("j")).toMatchObject({ pending: 0, skipped: bulkRowsMax + 7 });
    expect(await at.queue.sweep()).toMatchObject({ cancelled: 0, hasMore: false });
  });

  clause("a retry reopens a completed job, which then completes again", async (at) => {
    await at.add(...works("a", 2, { job: "j" }));
    await at.queue.seal("j");
    const [first, second] = await at.claim();
    await at.finish(first!);
    await at.finish(second!, { kind: "fail", reason: "f" });
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed", completions: 1 });
    expect(await at.queue.retry({ job: "j" })).toBe(1);
    expect(await at.queue.job("j")).toMatchObject({
      ended: null,
      endedAtMs: 0,
      isSealed: true,
      pending: 1,
      failed: 0,
    });
    await at.finish(await at.claimOne());
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed", completions: 2, done: 2 });
  });

  clause("a retry reopens a cancelled job", async (at) => {
    await at.add(...works("a", 3, { job: "j" }));
    await at.queue.cancel("j");
    expect(await at.queue.retry({ job: "j", states: ["skipped"] })).toBe(3);
    expect(await at.queue.job("j")).toMatchObject({ ended: null, pending: 3, skipped: 0 });
    expect(await at.claim()).toHaveLength(3);
  });

  clause("an ended job goes with its last task, and its name is free again", async (at) => {
    await at.add(...works("a", 2, { job: "j" }));
    const [first, second] = await at.claim();
    await at.finish(first!);
    await at.queue.purge({ states: ["done"] });
    await at.queue.seal("j");
    await at.finish(second!);
    expect(await at.queue.job("j")).toMatchObject({ ended: "completed", added: 2, done: 2 });
    await at.queue.purge({ states: ["done"] });
    expect(await at.queue.job("j")).toBeUndefined();
    await at.add(work("a0", { job: "j" }));
    expect(await at.queue.job("j")).toMatchObject({ ended: null, added: 1, isSealed: false });
  });
}

/** A run of two running tasks and one waiting task, whose job is then cancelled. */
async function cancelledWhileRunning(at: QueueFixture) {
  await at.add(...works("a", 3, { job: "j", gate: "g" }), work("low", { delayMs: 600_000 }));
  const running = await at.claim({ burst: 2, leaseMs: 1_000 });
  expect(running).toHaveLength(2);
  await at.queue.cancel("j");
  expect(await at.find("a2")).toMatchObject({ state: "skipped" });
  return { running };
}
