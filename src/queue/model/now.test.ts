import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Claimed, Operation, Swept } from "../operation.ts";
import type { StoreNow } from "../queue-store.ts";
import { apply } from "./apply.ts";
import { exactNow, truncatedNow, type ModelNow } from "./now.ts";
import { emptyShard, type Shard } from "./shard.ts";

const leaseMs = 50;
const claim = (requestId: string): Operation => ({
  op: "claim",
  worker: requestId,
  kinds: ["work"],
  limit: 1,
  burst: 1,
  leaseMs,
  requestId,
});
const add: Operation = {
  op: "add",
  tasks: ["a", "b"].map((key) => ({
    kind: "work",
    job: "j",
    gate: "g",
    key,
    payload: "null",
    priority: 500,
    dueAtMs: 0,
    attemptsMax: 9,
  })),
};

/** How a store's clock may show the true moment. */
const clocks: readonly (readonly [string, (trueMs: number) => ModelNow])[] = [
  ["with all fractions", (trueMs) => exactNow(both(trueMs))],
  ["in whole milliseconds", (trueMs) => truncatedNow(both(Math.floor(trueMs)))],
];
const both = (ms: number): StoreNow => ({ ms, wallMs: ms });

/** Sixteenths of a millisecond: their sums and differences are exact. */
const momentMs = fc.integer({ min: 1_600, max: 4_800 }).map((sixteenths) => sixteenths / 16);
const wholeMs = fc.integer({ min: 1, max: 30 });

/** When a wait is over that should last `waitMs`: looked at once before, then each sixteenth. */
function overAtMs(fromMs: number, waitMs: number, isOver: (ms: number) => boolean): number {
  const firstMs = fromMs + Math.max(0, waitMs - 1.5);
  for (let ms = firstMs; ms < firstMs + 5; ms += 1 / 16) if (isOver(ms)) return ms;
  throw new Error(`a wait of ${waitMs} ms that began at ${fromMs} does not end`);
}

describe.each(clocks)("a clock that is read %s", (_, nowAt) => {
  const claims = (shard: Shard) => (ms: number) =>
    (apply(shard, [claim("next")], nowAt(ms)).answers[0] as Claimed).leases.length > 0;
  const expectWait = (fromMs: number, waitMs: number, isOver: (ms: number) => boolean) => {
    const passedMs = overAtMs(fromMs, waitMs, isOver) - fromMs;
    expect(passedMs).toBeGreaterThanOrEqual(waitMs);
    expect(passedMs).toBeLessThanOrEqual(waitMs + 1);
  };

  test("a block is never short, and at most a millisecond longer", () => {
    fc.assert(
      fc.property(momentMs, wholeMs, (atMs, forMs) => {
        const operations: Operation[] = [add, { op: "block", gate: "g", forMs }];
        expectWait(atMs, forMs, claims(apply(emptyShard(), operations, nowAt(atMs)).shard));
      }),
    );
  });

  test("a gap between two starts is never short, whatever part of it the start was ago", () => {
    fc.assert(
      fc.property(momentMs, wholeMs, fc.nat(16 * 10), (startMs, delayMs, sixteenths) => {
        const sinceMs = Math.min(sixteenths / 16, delayMs);
        const setGate: Operation = { op: "setGate", gate: "g", delayMs, limit: 1 };
        const begun = apply(emptyShard(), [setGate, add, claim("first")], nowAt(startMs));
        const [lease] = (begun.answers[2] as Claimed).leases;
        const finish: Operation = {
          op: "finish",
          finishes: [
            {
              id: lease!.id,
              token: lease!.token,
              outcome: { kind: "done", result: null },
              sinceStartMs: Math.floor(sinceMs),
            },
          ],
        };
        const finishMs = startMs + sinceMs;
        const { shard } = apply(begun.shard, [finish], nowAt(finishMs));
        const passedMs = overAtMs(finishMs, delayMs - sinceMs, claims(shard)) - startMs;
        expect(passedMs).toBeGreaterThanOrEqual(delayMs);
        expect(passedMs).toBeLessThan(delayMs + 2);
      }),
    );
  });

  test("a lease is never short", () => {
    fc.assert(
      fc.property(momentMs, (atMs) => {
        const { shard } = apply(emptyShard(), [add, claim("first")], nowAt(atMs));
        const isSwept = (ms: number) =>
          (apply(shard, [{ op: "sweep" }], nowAt(ms)).answers[0] as Swept).requeued > 0;
        expectWait(atMs, leaseMs, isSwept);
      }),
    );
  });
});
