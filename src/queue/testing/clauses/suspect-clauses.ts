import { expect } from "vitest";
import { keysOf, work, works, type QueueClause, type QueueFixture } from "../suite-fixture.ts";

const asked = { kinds: ["work"], limit: 10 };

export function suspectClauses(clause: QueueClause): void {
  clause("a task whose lease was swept is handed out alone, before all others", async (at) => {
    await sweptTask(at, "bad", { priority: 1 });
    await at.add(...works("good", 5, { priority: 1_000 }));
    expect(await at.queue.claim({ worker: "w2", ...asked })).toMatchObject({
      leases: [{ key: "bad", isSuspect: true }],
      hasSuspect: false,
    });
  });

  clause("a worker that holds anything does not get a suspect, but learns of it", async (at) => {
    await at.add(work("good"));
    const good = await at.claimOne({ worker: "busy", leaseMs: 600_000 });
    await sweptTask(at, "bad");
    await at.add(work("more"));
    const claimed = await at.queue.claim({ worker: "busy", ...asked });
    expect(keysOf(claimed.leases)).toEqual(["more"]);
    expect(claimed.hasSuspect).toBe(true);
    await at.finish(good);
    await at.finish(claimed.leases[0]!);
    expect(await at.claimOne({ worker: "busy" })).toMatchObject({ key: "bad" });
  });

  clause("a worker that holds a suspect gets nothing else until that ends", async (at) => {
    await sweptTask(at, "bad");
    await at.add(...works("good", 3));
    const bad = await at.claimOne({ worker: "w2" });
    expect(bad.key).toBe("bad");
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    expect(await at.claim({ worker: "w3", limit: 1 })).toHaveLength(1);
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.finish(bad);
    expect(await at.claim({ worker: "w2" })).toHaveLength(2);
  });

  clause("a claim sees what its worker finished in the same breath", async (at) => {
    await sweptTask(at, "bad");
    await at.add(...works("good", 3));
    const bad = await at.claimOne({ worker: "w2" });
    const [status, good] = await Promise.all([at.finish(bad), at.claim({ worker: "w2" })]);
    expect(status).toBe("done");
    expect(keysOf(good)).toEqual(["good0", "good1", "good2"]);
    await sweptTask(at, "worse");
    const finished = good.map((lease) => at.finish(lease));
    expect(await at.claimOne({ worker: "w2" })).toMatchObject({ key: "worse" });
    expect(await Promise.all(finished)).toEqual(["done", "done", "done"]);
  });

  clause("each suspect needs a worker of its own", async (at) => {
    await at.add(...works("bad", 2));
    await at.claim({ worker: "dead", leaseMs: 1_000 });
    await at.time.advance(1_000);
    expect(keysOf(await at.claim({ worker: "w2" }))).toEqual(["bad0"]);
    expect(keysOf(await at.claim({ worker: "w3" }))).toEqual(["bad1"]);
  });

  clause("a task stays suspect through release and retry, until it ends", async (at) => {
    await sweptTask(at, "bad", { attemptsMax: 9 });
    await at.add(...works("good", 2));
    const first = await at.claimOne({ worker: "w2" });
    await at.release(first);
    const second = await at.claimOne({ worker: "w2" });
    expect(second).toMatchObject({ key: "bad", isSuspect: true });
    await at.finish(second, { kind: "retry", delayMs: 0, reason: "again" });
    const third = await at.claimOne({ worker: "w2" });
    expect(third).toMatchObject({ key: "bad", isSuspect: true });
    await at.finish(third);
    expect(await at.claim({ worker: "w2" })).toHaveLength(2);
  });

  clause("an explicit retry clears the suspicion", async (at) => {
    await sweptTask(at, "bad", { attemptsMax: 1 });
    expect(await at.find("bad")).toMatchObject({ state: "failed" });
    expect(await at.queue.retry()).toBe(1);
    await at.add(work("good"));
    expect(keysOf(await at.claim({ worker: "w2" })).sort()).toEqual(["bad", "good"]);
  });

  clause("a suspect of a run is handed out without the rest of its gate", async (at) => {
    await at.add(...works("bad", 3, { gate: "g" }));
    expect(await at.claim({ worker: "dead", leaseMs: 1_000 })).toHaveLength(3);
    await at.time.advance(1_000);
    for (const key of ["bad0", "bad1", "bad2"]) {
      const lease = await at.claimOne({ worker: "w2" });
      expect(lease).toMatchObject({ key, isSuspect: true, pace: { isRun: true, limit: 1 } });
      expect(await at.claim({ worker: "w3" })).toEqual([]);
      await at.finish(lease);
    }
  });

  clause("a suspect that may not run now holds nobody up", async (at) => {
    await sweptTask(at, "bad", { gate: "g" });
    await at.queue.block("g", 60_000);
    await at.add(work("good"));
    expect(await at.queue.claim({ worker: "w2", ...asked })).toMatchObject({
      leases: [{ key: "good" }],
      hasSuspect: false,
    });
  });

  clause("a suspect waits for its due time, its kind and its job like any other", async (at) => {
    await sweptTask(at, "bad", { job: "j" });
    await at.queue.pause("j");
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.queue.resume("j");
    expect(await at.claim({ worker: "w2", kinds: ["other"] })).toEqual([]);
    const lease = await at.claimOne({ worker: "w2" });
    await at.finish(lease, { kind: "retry", delayMs: 5_000, reason: "later" });
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.time.advance(5_000);
    expect(await at.claimOne({ worker: "w2" })).toMatchObject({ key: "bad", isSuspect: true });
  });

  clause("a suspect that is swept again does not keep its worker from claiming", async (at) => {
    await sweptTask(at, "bad", { attemptsMax: 2 });
    await at.claimOne({ worker: "w2", leaseMs: 1_000 });
    await at.add(...works("good", 2));
    expect(await at.claim({ worker: "w2" })).toEqual([]);
    await at.time.advance(1_000);
    expect(keysOf(await at.claim({ worker: "w2" }))).toEqual(["good0", "good1"]);
    expect(await at.find("bad")).toMatchObject({ state: "failed" });
  });

  clause("a task that kills its process runs out, its neighbours do not", async (at) => {
    await at.add(work("poison", { attemptsMax: 3 }), ...works("innocent", 6, { attemptsMax: 3 }));
    for (let claims = 0; claims < 40; claims++) {
      const leases = await at.claim({ worker: `w${claims}`, limit: 4, leaseMs: 1_000 });
      if (leases.some(({ key }) => key === "poison")) await at.time.advance(1_000);
      else for (const lease of leases) await at.finish(lease);
    }
    expect(await at.find("poison")).toMatchObject({ state: "failed", used: 3 });
    for (const task of await at.queue.browse({ keyPrefix: "innocent" })) {
      expect(task.state).toBe("done");
      expect(task.used).toBeLessThanOrEqual(2);
    }
  });
}

/** Adds a task whose worker then dies. */
async function sweptTask(at: QueueFixture, key: string, more: Parameters<typeof work>[1] = {}) {
  await at.add(work(key, more));
  const lease = await at.claimOne({ worker: "dead", leaseMs: 1_000 });
  expect(lease.key).toBe(key);
  await at.time.advance(1_000);
  expect(await at.queue.sweep()).toMatchObject({ hasMore: false });
  return lease;
}
