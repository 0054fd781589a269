import { expect } from "vitest";
import { keysOf, work, works, type QueueClause } from "../suite-fixture.ts";

const crash = { kind: "crash", reason: "the worker process ended (SIGKILL)" } as const;

/**
 * A process died, and another process that knows it ends its leases instead of waiting for their
 * end.
 */
export function crashClauses(clause: QueueClause): void {
  clause(
    "lesson 10: a crash is charged, keeps its reason and makes a suspect at once",
    async (at) => {
      await at.add(work("bad", { priority: 1 }), ...works("good", 2, { delayMs: 1 }));
      const bad = await at.claimOne({ worker: "dead" });
      await at.time.advance(1);
      expect(await at.finish(bad, crash)).toBe("retried");
      const { ms } = at.time.now();
      expect(await at.find("bad")).toMatchObject({
        state: "pending",
        used: 1,
        isSuspect: true,
        dueAtMs: 0,
        expiresAtMs: 0,
        attempts: [{ token: bad.token, atMs: ms, outcome: "crash", reason: crash.reason }],
      });
      expect(await at.queue.wakeInMs(["work"], "w2")).toBe(0);
      expect(await at.queue.claim({ worker: "w2", kinds: ["work"], limit: 10 })).toMatchObject({
        leases: [{ key: "bad", isSuspect: true, used: 2 }],
      });
    },
  );

  clause("lesson 10: a task that crashes its process ends as a dead letter", async (at) => {
    await at.add(work("poison", { attemptsMax: 2 }), work("limited", { attemptsMax: 9 }));
    const first = await at.claim({ worker: "w0" });
    for (const lease of first) await at.finish(lease, { ...crash, attemptsMax: 3 });
    for (let crashes = 0; crashes < 3; crashes++) {
      const lease = await at.claimOne({ worker: `w${crashes}` });
      await at.finish(lease, { ...crash, attemptsMax: 3 });
    }
    expect(await at.claim()).toEqual([]);
    // The lower of the task's limit and its handler's limit applies.
    expect(await at.find("poison")).toMatchObject({ state: "failed", used: 2 });
    expect(await at.find("limited")).toMatchObject({ state: "failed", used: 3 });
    for (const key of ["poison", "limited"]) {
      const { attempts, finishedAtMs } = await at.find(key);
      expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(["crash"]));
      expect(finishedAtMs).toBe(at.time.now().ms);
    }
    expect(await at.queue.retry()).toBe(2);
    expect(await at.claim()).toMatchObject([
      { used: 1, isSuspect: false },
      { used: 1, isSuspect: false },
    ]);
  });

  clause(
    "lesson 19: of a dead worker, what has not begun runs at once and uncharged",
    async (at) => {
      await at.add(...works("a", 5));
      const leases = await at.claim({ worker: "dead", requestId: "r1" });
      const [first, second, ...rest] = leases;
      await at.finish(first!);
      // Another process repeats the claim to get the leases whose answer was lost.
      const other = await at.another();
      const again = await other.claim({
        worker: "dead",
        kinds: ["work"],
        limit: 100,
        requestId: "r1",
      });
      expect(again.leases.map(({ id, token }) => [id, token])).toEqual(
        leases.slice(1).map(({ id, token }) => [id, token]),
      );
      const ended = await Promise.all([
        other.finish([second!].map(({ id, token }) => ({ id, token, outcome: crash }))),
        other.release(rest.map(({ id, token }) => ({ id, token }))),
      ]);
      expect(ended.flat().map(({ status }) => status)).toEqual(["retried", "held", "held", "held"]);
      expect(await at.claimOne({ worker: "w2" })).toMatchObject({ key: "a1", used: 2 });
      const others = await at.claim({ worker: "w3" });
      expect(others.map(({ key, used, isSuspect }) => [key, used, isSuspect])).toEqual([
        ["a2", 1, false],
        ["a3", 1, false],
        ["a4", 1, false],
      ]);
    },
  );

  clause("lesson 3: a crash that is reported late touches no other worker's task", async (at) => {
    await at.add(work("a"), work("b"), work("c"));
    const [a, b, c] = await at.claim({ worker: "dead", leaseMs: 1_000 });
    await at.finish(c!);
    await at.time.advance(1_000);
    const mine = await at.claimOne({ worker: "w2" });
    expect(mine.key).toBe("a");
    const before = await at.queue.browse();
    for (const lease of [a!, b!, c!]) expect(await at.finish(lease, crash)).toBe("lost");
    expect(await at.finish({ ...mine, token: mine.token - 1 }, crash)).toBe("lost");
    expect(await at.queue.browse()).toEqual(before);
    expect(await at.finish(mine)).toBe("done");
  });

  clause("a crash frees its gate and its job's slots, and keeps the gap", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.queue.openJob("j", { concurrency: 2 });
    await at.add(...works("run", 3, { gate: "g" }), ...works("j", 3, { job: "j" }));
    const leases = await at.claim({ worker: "dead" });
    const run = leases.filter(({ gate }) => gate === "g");
    const capped = leases.filter(({ job }) => job === "j");
    expect([run.length, capped.length]).toEqual([3, 2]);
    await at.time.advance(5_000);
    await at.finish(run[0]!, crash);
    for (const lease of run.slice(1)) await at.release(lease);
    for (const lease of capped) await at.release(lease);
    expect(keysOf(await at.claim({ worker: "w2" }))).toEqual(["j0", "j1"]);
    // The time of its last request is unknown, so the delay counts from the report.
    await at.time.advance(999);
    expect(await at.claim({ worker: "w3" })).toEqual([]);
    await at.time.advance(1);
    expect(keysOf(await at.claim({ worker: "w3" }))).toEqual(["run0"]);
  });
}
