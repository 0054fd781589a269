import { expect } from "vitest";
import { dueIn, work, works, type QueueClause } from "../suite-fixture.ts";

const hourMs = 3_600_000;

export function timeClauses(clause: QueueClause): void {
  for (const [direction, stepMs] of [
    ["forward", hourMs],
    ["back", -hourMs],
  ] as const) {
    clause(`a wall clock that steps ${direction} moves no lease`, async (at) => {
      await at.add(work("a"));
      await at.claimOne({ leaseMs: 1_000 });
      at.time.stepWall(stepMs);
      expect(await at.queue.sweep()).toMatchObject({ requeued: 0 });
      expect(await at.queue.wakeInMs(["work"])).toBe(1_000);
      await at.time.advance(999);
      expect(await at.queue.sweep()).toMatchObject({ requeued: 0 });
      await at.time.advance(1);
      expect(await at.queue.sweep()).toMatchObject({ requeued: 1 });
    });

    clause(`a wall clock that steps ${direction} moves no gate`, async (at) => {
      await at.queue.setGate("g", { delayMs: 1_000 });
      await at.add(...works("a", 2, { gate: "g" }), work("b", { gate: "blocked" }));
      await at.queue.block("blocked", 2_000);
      const lease = await at.claimOne({ burst: 1 });
      at.time.stepWall(stepMs);
      await at.finish(lease, undefined, { sinceStartMs: 0 });
      at.time.stepWall(stepMs);
      await at.time.advance(999);
      expect(await at.claim()).toEqual([]);
      await at.time.advance(1);
      expect(await at.claim()).toHaveLength(1);
      await at.time.advance(999);
      expect(await at.claim()).toEqual([]);
      await at.time.advance(1);
      expect(await at.claim()).toHaveLength(1);
    });

    clause(`a wall clock that steps ${direction} leaves what is due at once due`, async (at) => {
      await at.add(work("a"));
      at.time.stepWall(stepMs);
      await at.add(work("b"));
      expect(await at.claim()).toHaveLength(2);
    });

    clause(`a wall clock that steps ${direction} changes no age and no wait`, async (at) => {
      await at.add(...works("a", 2));
      await at.time.advance(7);
      at.time.stepWall(stepMs);
      const { reasons } = await at.queue.stats();
      expect(reasons.at(-1)).toMatchObject({ reason: "worker_capacity", oldestAgeMs: 7 });
      await at.claimOne({ limit: 1 });
      expect((await at.queue.stats()).waits).toMatchObject({ count: 1, p50Ms: 7 });
    });
  }

  clause("a due time follows the wall clock forward", async (at) => {
    await at.add(work("a", { dueAtMs: at.time.now().wallMs + hourMs }));
    at.time.stepWall(hourMs - 1);
    expect(await at.claim()).toEqual([]);
    expect(await at.queue.wakeInMs(["work"])).toBe(1);
    at.time.stepWall(1);
    expect(await at.queue.wakeInMs(["work"])).toBe(0);
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a due time follows the wall clock back", async (at) => {
    await at.add(work("a", { dueAtMs: at.time.now().wallMs + 1_000 }));
    at.time.stepWall(-hourMs);
    await at.time.advance(1_000);
    expect(await at.claim()).toEqual([]);
    await at.time.advance(hourMs);
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a task that was due and is so no longer waits again", async (at) => {
    await at.add(work("a", { dueAtMs: at.time.now().wallMs + 1_000 }));
    await at.time.advance(1_000);
    // A claim of another kind gives the store an opportunity to promote due tasks.
    expect(await at.claim({ kinds: ["other"] })).toEqual([]);
    expect((await at.queue.stats()).reasons.at(-1)).toMatchObject({ count: 1 });
    at.time.stepWall(-500);
    expect(await at.claim()).toEqual([]);
    expect((await at.queue.stats()).reasons[1]).toMatchObject({ reason: "scheduled", count: 1 });
    await at.time.advance(500);
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a retry waits its delay by the wall clock", async (at) => {
    await at.add(work("a"));
    await at.finish(await at.claimOne(), { kind: "retry", delayMs: hourMs, reason: "r" });
    at.time.stepWall(hourMs);
    expect(await at.claim()).toHaveLength(1);
  });

  clause("a wait after a step back is counted from when the task was due", async (at) => {
    await at.add(work("a", dueIn(at, 1_000)));
    at.time.stepWall(-hourMs);
    await at.time.advance(hourMs + 1_004);
    await at.claimOne();
    expect((await at.queue.stats()).waits).toMatchObject({ count: 1, p50Ms: 4 });
  });

  clause(
    "tokens rise also while no time passes, and when the wall clock steps back",
    async (at) => {
      await at.add(...works("a", 5));
      const tokens: number[] = [];
      for (let round = 0; round < 5; round++) {
        tokens.push((await at.claimOne({ limit: 1 })).token);
        at.time.stepWall(-hourMs);
      }
      expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => a - b));
    },
  );
}
