import { expect } from "vitest";
import { work, works, type QueueClause, type QueueFixture } from "../suite-fixture.ts";

/**
 * Stores keep whole milliseconds, but events happen in between. Each wait here begins shortly
 * before a whole millisecond: a start time that is rounded down would make it too short by nearly
 * one.
 */
export function fractionClauses(clause: QueueClause): void {
  clause("a block lasts the whole time that was asked for", async (at) => {
    await at.add(work("a", { gate: "g" }));
    await at.time.advance(0.875);
    await at.queue.block("g", 10);
    await expectWait(at, 10, isClaimed);
  });

  clause("a block of a fraction is not cut", async (at) => {
    await at.add(work("a", { gate: "g" }));
    await at.queue.block("g", 10.5);
    await expectWait(at, 10.5, isClaimed);
  });

  for (const [title, reported] of [
    ["a finish that reports no start", {}],
    ["a finish that reports a start of just now", { sinceStartMs: 0 }],
  ] as const) {
    clause(`${title} keeps the whole delay`, async (at) => {
      await at.queue.setGate("g", { delayMs: 10 });
      await at.add(...works("a", 2, { gate: "g" }));
      await at.time.advance(0.875);
      await at.finish(await at.claimOne({ burst: 1 }), undefined, reported);
      await expectWait(at, 10, isClaimed);
    });
  }

  for (const sinceStartMs of [3, 2.75, 3.125]) {
    clause(`a finish ${sinceStartMs} ms after the start keeps the whole delay`, async (at) => {
      await at.queue.setGate("g", { delayMs: 10 });
      await at.add(...works("a", 2, { gate: "g" }));
      await at.time.advance(0.875);
      const lease = await at.claimOne({ burst: 1 });
      await at.time.advance(sinceStartMs);
      await at.finish(lease, undefined, { sinceStartMs });
      await expectWait(at, 10 - sinceStartMs, isClaimed);
    });
  }

  clause("a run that is released keeps the whole delay after its last start", async (at) => {
    await at.queue.setGate("g", { delayMs: 10 });
    await at.add(...works("a", 3, { gate: "g" }));
    await at.time.advance(0.875);
    const [first, second, third] = await at.claim();
    await at.finish(first!, undefined, { sinceStartMs: 0 });
    await at.release(second!, 0);
    await at.release(third!, 0);
    await expectWait(at, 10, isClaimed);
  });

  clause("a delay that is set later counts from the whole last start", async (at) => {
    await at.add(...works("a", 2, { gate: "g" }));
    await at.time.advance(0.875);
    await at.finish(await at.claimOne({ burst: 1 }), undefined, { sinceStartMs: 0 });
    await at.time.advance(0.125);
    await at.queue.setGate("g", { delayMs: 10 });
    await expectWait(at, 9.875, isClaimed);
  });

  clause("a gate without a delay opens at once, also between two milliseconds", async (at) => {
    await at.add(...works("a", 2, { gate: "g" }));
    await at.time.advance(0.875);
    await at.finish(await at.claimOne({ burst: 1 }), undefined, { sinceStartMs: 0 });
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a lease lasts the whole time that was asked for", async (at) => {
    await at.add(work("a"));
    await at.time.advance(0.875);
    await at.claimOne({ leaseMs: 10 });
    await expectWait(at, 10, isSwept);
  });

  clause("an extension lasts the whole time that was asked for", async (at) => {
    await at.add(work("a"));
    const lease = await at.claimOne({ leaseMs: 10 });
    await at.time.advance(0.875);
    await at.extend(lease, 20);
    await expectWait(at, 20, isSwept);
  });

  clause("a swept run keeps its gate closed for the whole delay after its lease", async (at) => {
    await at.queue.setGate("g", { delayMs: 10 });
    await at.add(work("a", { gate: "g", attemptsMax: 9 }));
    await at.time.advance(0.875);
    await at.claimOne({ worker: "dead", leaseMs: 10 });
    await expectWait(at, 20, isClaimed);
  });

  clause("a retry waits its whole delay; without one it is due at once", async (at) => {
    await at.add(work("a"));
    await at.time.advance(0.875);
    const reason = "not now";
    await at.finish(await at.claimOne(), { kind: "retry", delayMs: 0, reason });
    await at.finish(await at.claimOne(), { kind: "retry", delayMs: 9.5, reason });
    await expectWait(at, 9.5, isClaimed);
  });

  clause("a new task waits its whole delay; without one it is due at once", async (at) => {
    await at.time.advance(0.875);
    await at.add(work("a", { delayMs: 0 }));
    await at.claimOne();
    await at.add(work("b", { delayMs: 9.5 }));
    await expectWait(at, 9.5, isClaimed);
  });

  clause("times are reported and stored in whole milliseconds", async (at) => {
    await at.queue.setGate("g", { delayMs: 10 });
    await at.add(...works("a", 2, { gate: "g" }));
    await at.time.advance(0.875);
    const lease = await at.claimOne({ burst: 1 });
    await at.finish(lease, undefined, { sinceStartMs: 0.25 });
    await at.queue.block("g", 7);
    const { blockedUntilMs, opensAtMs } = (await at.queue.gate("g"))!;
    const { finishedAtMs } = await at.find("a0");
    const { ms, wallMs } = await at.queue.now();
    const times = [blockedUntilMs, opensAtMs, finishedAtMs, ms, wallMs, lease.token];
    expect(times.filter((value) => !Number.isInteger(value))).toEqual([]);
  });
}

const isClaimed = async (at: QueueFixture) => (await at.claim({ worker: "next" })).length > 0;
const isSwept = async (at: QueueFixture) => (await at.queue.sweep()).requeued > 0;

/** An eighth of a millisecond: sums of it are exact in floating point. */
const stepMs = 0.125;

/** Expects that a wait lasts at least `ms`, and at most two milliseconds longer. */
async function expectWait(
  at: QueueFixture,
  ms: number,
  isOver: (at: QueueFixture) => Promise<boolean>,
): Promise<void> {
  let passedMs = ms - 1;
  await at.time.advance(passedMs);
  while (!(await isOver(at)) && passedMs < ms + 2) {
    await at.time.advance(stepMs);
    passedMs += stepMs;
  }
  expect(passedMs, "when the wait was over").toBeGreaterThanOrEqual(ms);
  expect(passedMs, "when the wait was over").toBeLessThan(ms + 2);
}
