import { expect } from "vitest";
import type { WaitingReason } from "../../waiting.ts";
import { dueIn, work, works, type QueueClause, type QueueFixture } from "../suite-fixture.ts";

export function waitingClauses(clause: QueueClause): void {
  clause("waiting for a worker is called worker_capacity", async (at) => {
    await at.add(...works("a", 3), work("g", { gate: "open" }));
    await at.time.advance(500);
    await expectWaiting(at, "worker_capacity", { count: 4, oldestAgeMs: 500, key: "a0" });
  });

  clause("a task that is due later is scheduled, until it is due", async (at) => {
    await at.add(work("a", dueIn(at, 10_000)), work("b", dueIn(at, 20_000)));
    await at.time.advance(4_000);
    const waiting = { count: 2, oldestAgeMs: 4_000, key: "a", forMs: 6_000 };
    await expectWaiting(at, "scheduled", waiting);
    await at.time.advance(6_000);
    await expectWaiting(at, "worker_capacity", { count: 1, oldestAgeMs: 10_000, key: "a", of: 2 });
  });

  clause("a failed attempt that waits for its next is in retry_backoff", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne();
    await at.time.advance(1_000);
    await at.finish(lease, { kind: "retry", delayMs: 9_000, reason: "timeout" });
    await at.time.advance(2_000);
    const waiting = { count: 1, oldestAgeMs: 3_000, key: "a", forMs: 7_000 };
    await expectWaiting(at, "retry_backoff", waiting);
    await at.time.advance(7_000);
    await expectWaiting(at, "worker_capacity", { count: 1, oldestAgeMs: 10_000, key: "a" });
  });

  clause("a swept task that is due waits for a worker, not in backoff", async (at) => {
    await at.add(work("a"));
    await at.claimOne({ leaseMs: 1_000 });
    await at.time.advance(1_000);
    await at.queue.sweep();
    await expectWaiting(at, "worker_capacity", { count: 1, oldestAgeMs: 1_000, key: "a" });
  });

  clause("a blocked gate is a domain_delay", async (at) => {
    await at.add(...works("a", 2, { gate: "g" }));
    await at.queue.block("g", 10_000);
    await at.time.advance(3_000);
    const waiting = { count: 2, oldestAgeMs: 3_000, key: "a1", forMs: 7_000 };
    await expectWaiting(at, "domain_delay", waiting);
  });

  clause("the delay between starts is a domain_delay", async (at) => {
    await at.queue.setGate("g", { delayMs: 1_000 });
    await at.add(...works("a", 3, { gate: "g" }));
    await at.finish(await at.claimOne({ burst: 1 }), undefined, { sinceStartMs: 0 });
    await at.time.advance(400);
    const waiting = { count: 2, oldestAgeMs: 400, key: "a1", forMs: 600 };
    await expectWaiting(at, "domain_delay", waiting);
    await at.time.advance(600);
    await expectWaiting(at, "worker_capacity", { count: 2, oldestAgeMs: 1_000, key: "a1" });
  });

  clause("a gate held by another worker is a domain_delay of unknown length", async (at) => {
    await at.queue.setGate("shared", { limit: 2 });
    await at.add(...works("a", 3, { gate: "owned" }), ...works("b", 5, { gate: "shared" }));
    await at.claim({ burst: 1 });
    await expectWaiting(at, "domain_delay", { count: 5, oldestAgeMs: 0, key: "a1" });
    await expectWaiting(at, "domain_delay", { count: 5, oldestAgeMs: 0, key: "b4" });
  });

  clause("a job at its cap is a concurrency_limit", async (at) => {
    await at.queue.openJob("j", { concurrency: 1 });
    await at.add(...works("a", 4, { job: "j" }));
    const lease = await at.claimOne();
    await at.time.advance(100);
    await expectWaiting(at, "concurrency_limit", { count: 3, oldestAgeMs: 100, key: "a3" });
    await at.finish(lease);
    await expectWaiting(at, "worker_capacity", { count: 3, oldestAgeMs: 100, key: "a3" });
  });

  clause("everything of a paused job is paused, whatever else holds it", async (at) => {
    await at.queue.openJob("j", { concurrency: 1 });
    await at.add(
      work("due", { job: "j" }),
      work("later", { job: "j", ...dueIn(at, 5_000) }),
      work("gated", { job: "j", gate: "g" }),
    );
    await at.queue.block("g", 60_000);
    await at.queue.pause("j");
    await at.time.advance(50);
    for (const key of ["due", "later", "gated"]) {
      await expectWaiting(at, "paused", { count: 3, oldestAgeMs: 50, key });
    }
  });

  clause("what is not due is scheduled before its gate or its job counts", async (at) => {
    await at.queue.openJob("j", { concurrency: 1 });
    await at.add(work("running", { job: "j" }));
    await at.claimOne();
    await at.add(work("a", { job: "j", gate: "g", ...dueIn(at, 5_000) }));
    await at.queue.block("g", 60_000);
    await expectWaiting(at, "scheduled", { count: 1, oldestAgeMs: 0, key: "a", forMs: 5_000 });
  });

  clause("a closed gate counts before a full job", async (at) => {
    await at.queue.openJob("j", { concurrency: 1 });
    await at.add(work("running", { job: "j" }));
    await at.claimOne();
    await at.add(work("a", { job: "j", gate: "g" }));
    await expectWaiting(at, "concurrency_limit", { count: 1, oldestAgeMs: 0, key: "a" });
    await at.queue.block("g", 7_000);
    await expectWaiting(at, "domain_delay", { count: 1, oldestAgeMs: 0, key: "a", forMs: 7_000 });
  });

  clause("all reasons at once add up, each with its share and its oldest", async (at) => {
    await at.queue.openJob("capped", { concurrency: 1 });
    await at.add(work("capped", { job: "capped" }), work("retried", { job: "capped2" }));
    const leases = await at.claim();
    const retried = leases.find(({ key }) => key === "retried")!;
    await at.finish(retried, { kind: "retry", delayMs: 90_000, reason: "r" });
    await at.time.advance(10);
    await at.add(
      ...works("capped", 2, { job: "capped" }),
      ...works("paused", 3, { job: "paused" }),
    );
    await at.queue.pause("paused");
    await at.time.advance(10);
    await at.add(...works("blocked", 4, { gate: "g" }), ...works("later", 5, { delayMs: 90_000 }));
    await at.queue.block("g", 90_000);
    await at.time.advance(10);
    await at.add(...works("free", 5));
    await at.time.advance(10);
    const { reasons, states } = await at.queue.stats();
    expect(states).toMatchObject({ pending: 20, running: 1 });
    expect(reasons).toEqual([
      { reason: "paused", count: 3, share: 0.15, oldestAgeMs: 30 },
      { reason: "scheduled", count: 5, share: 0.25, oldestAgeMs: 20 },
      { reason: "retry_backoff", count: 1, share: 0.05, oldestAgeMs: 40 },
      { reason: "domain_delay", count: 4, share: 0.2, oldestAgeMs: 20 },
      { reason: "concurrency_limit", count: 2, share: 0.1, oldestAgeMs: 30 },
      { reason: "worker_capacity", count: 5, share: 0.25, oldestAgeMs: 10 },
    ]);
  });

  clause("each kind says for itself what it waits for", async (at) => {
    await at.add(...works("blocked", 2, { gate: "g" }), ...works("later", 3, { delayMs: 90_000 }));
    await at.queue.block("g", 90_000);
    await at.time.advance(10);
    await at.add(work("a", { kind: "other" }), work("b", { kind: "other", gate: "g" }));
    await at.add(work("ended", { kind: "third" }));
    const [ended] = await at.claim({ kinds: ["third"] });
    await at.finish(ended!);
    await at.time.advance(10);
    const { kinds } = await at.queue.stats();
    const domainDelay = { reason: "domain_delay", share: 0.5, oldestAgeMs: 10 };
    expect(kinds.map(({ kind, reasons }) => [kind, reasons])).toEqual([
      [
        "other",
        [
          { ...domainDelay, count: 1 },
          { reason: "worker_capacity", count: 1, share: 0.5, oldestAgeMs: 10 },
        ],
      ],
      ["third", []],
      [
        "work",
        [
          { reason: "scheduled", count: 3, share: 0.6, oldestAgeMs: 20 },
          { ...domainDelay, count: 2, share: 0.4, oldestAgeMs: 20 },
        ],
      ],
    ]);
  });

  clause("the oldest age is exact when the oldest have gone", async (at) => {
    for (let index = 0; index < 4; index++) {
      await at.add(work(`a${index}`, { priority: index === 2 ? 900 : 500 }));
      await at.time.advance(100);
    }
    await expectWaiting(at, "worker_capacity", { count: 4, oldestAgeMs: 400, key: "a0" });
    await at.claim({ limit: 2 });
    await expectWaiting(at, "worker_capacity", { count: 2, oldestAgeMs: 300, key: "a1" });
  });

  clause("an empty queue has all reasons with nothing in them", async ({ queue }) => {
    const { reasons } = await queue.stats();
    expect(reasons).toHaveLength(6);
    for (const one of reasons) expect(one).toMatchObject({ count: 0, share: 0, oldestAgeMs: 0 });
  });

  clause("percentiles of ended waits are within 5 %", async (at) => {
    const waits: number[] = [];
    for (let index = 0; index < 60; index++) {
      await at.add(work(`a${index}`));
      const waitMs = Math.round(1.13 ** index) + index;
      waits.push(waitMs);
      await at.time.advance(waitMs);
      await at.finish(await at.claimOne());
    }
    waits.sort((a, b) => a - b);
    const { waits: all, kinds } = await at.queue.stats();
    expect(all.count).toBe(60);
    for (const [share, got] of [
      [0.5, all.p50Ms],
      [0.95, all.p95Ms],
      [0.99, all.p99Ms],
    ] as const) {
      const exact = waits[Math.ceil(share * waits.length) - 1]!;
      expect(Math.abs(got - exact) / exact).toBeLessThanOrEqual(0.05);
    }
    expect(kinds).toMatchObject([{ kind: "work", waits: all }]);
  });

  clause("a wait counts from when the task was due, each kind for itself", async (at) => {
    await at.add(work("a", dueIn(at, 5_000)), work("b", { kind: "other" }));
    await at.time.advance(5_003);
    await at.claim();
    await at.claim({ kinds: ["other"] });
    const { kinds } = await at.queue.stats();
    const [other, own] = kinds;
    expect(own).toMatchObject({ kind: "work", waits: { count: 1, p50Ms: 3, p99Ms: 3 } });
    expect(other).toMatchObject({ kind: "other", waits: { count: 1 } });
    expect(Math.abs(other!.waits.p50Ms - 5_003)).toBeLessThanOrEqual(250);
  });

  clause("only pending tasks wait", async (at) => {
    await at.add(...works("a", 2));
    const [done, running] = await at.claim();
    await at.finish(done!);
    for (const { id } of [done!, running!]) {
      expect(await at.queue.show(id)).toMatchObject({ waiting: undefined });
    }
    expect((await at.queue.stats()).reasons.every(({ count }) => count === 0)).toBe(true);
  });
}

interface Expected {
  readonly count: number;
  readonly oldestAgeMs: number;
  /** The key of a task that waits for this reason. */
  readonly key: string;
  readonly forMs?: number;
  /** The number of all pending tasks, if there are others. */
  readonly of?: number;
}

async function expectWaiting(at: QueueFixture, reason: WaitingReason, expected: Expected) {
  const { count, oldestAgeMs, key, forMs, of = count } = expected;
  const { reasons } = await at.queue.stats();
  expect(reasons.find((one) => one.reason === reason)).toEqual({
    reason,
    count,
    share: count / of,
    oldestAgeMs,
  });
  expect(reasons.reduce((sum, one) => sum + one.count, 0)).toBe(of);
  const shown = await at.queue.show((await at.find(key)).id);
  expect(shown!.waiting).toEqual(forMs === undefined ? { reason } : { reason, forMs });
}
