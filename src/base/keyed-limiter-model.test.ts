import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyedLimiter, type ReleaseSlot } from "./keyed-limiter.ts";
import { createTestClock } from "./testing/test-clock.ts";

const commonLimit = 2;
const keysMax = 2;
const idleMs = 100;

interface Visit {
  readonly key: string;
  state: "waiting" | "inside" | "gone";
}

/** What the limiter promises, said as plainly as can be: one list of visits, searched each time. */
function createModel() {
  const visits: Visit[] = [];
  const limits = new Map<string, number>();
  const inState = (state: Visit["state"], key?: string) =>
    visits.filter((visit) => visit.state === state && (key === undefined || visit.key === key));
  const hasRoom = (key: string) => inState("inside", key).length < (limits.get(key) ?? commonLimit);
  const letIn = (key: string) => {
    for (const visit of inState("waiting", key)) if (hasRoom(key)) visit.state = "inside";
  };
  return {
    visits,
    acquire(key: string) {
      visits.push({ key, state: "waiting" });
      letIn(key);
    },
    tryAcquire(key: string) {
      const isFree = hasRoom(key) && inState("waiting", key).length === 0;
      visits.push({ key, state: isFree ? "inside" : "gone" });
    },
    leave(visit: Visit) {
      visit.state = "gone";
      letIn(visit.key);
    },
    setLimit(key: string, limit: number | undefined) {
      if (limit === undefined) limits.delete(key);
      else limits.set(key, limit);
      letIn(key);
    },
    held: () => inState("inside").length,
    waiting: () => inState("waiting").length,
    busyKeys: () =>
      new Set(visits.filter(({ state }) => state !== "gone").map(({ key }) => key)).size,
  };
}

const step = fc.record({
  verb: fc.constantFrom(
    ...(["acquire", "acquire", "acquire", "tryAcquire", "release", "release"] as const),
    ...(["releaseAgain", "abort", "setLimit", "wait"] as const),
  ),
  key: fc.constantFrom("a", "b", "c", "d"),
  pick: fc.nat(), // which of those waiting or inside
  limit: fc.option(fc.nat(3), { nil: undefined }),
  waitMs: fc.nat(150),
});

test("behaves like its model, whatever the order of calls", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
      const clock = createTestClock();
      const limiter = createKeyedLimiter({ limit: commonLimit, keysMax, idleMs, clock });
      const model = createModel();
      const releases = new Map<number, ReleaseSlot>(); // by the number of the visit
      const aborts = new Map<number, AbortController>();
      const used: ReleaseSlot[] = [];
      const outcomes: Promise<void>[] = [];
      const pickOf = (state: Visit["state"], pick: number) => {
        const candidates = model.visits.filter((visit) => visit.state === state);
        return candidates[pick % candidates.length];
      };

      for (const { verb, key, pick, limit, waitMs } of steps) {
        const id = model.visits.length;
        if (verb === "acquire") {
          const abort = new AbortController();
          aborts.set(id, abort);
          model.acquire(key);
          const entered = limiter
            .acquire(key, { signal: abort.signal })
            .then((release) => void releases.set(id, release));
          outcomes.push(entered.catch(() => expect(abort.signal.aborted).toBe(true)));
        } else if (verb === "tryAcquire") {
          model.tryAcquire(key);
          const release = limiter.tryAcquire(key);
          if (release) releases.set(id, release);
        } else if (verb === "release") {
          const visit = pickOf("inside", pick);
          if (!visit) continue;
          const visitId = model.visits.indexOf(visit);
          model.leave(visit);
          releases.get(visitId)!();
          used.push(releases.get(visitId)!);
          releases.delete(visitId);
        } else if (verb === "releaseAgain") used[pick % used.length]?.();
        else if (verb === "abort") {
          const visit = pickOf("waiting", pick);
          if (!visit) continue;
          model.leave(visit);
          aborts.get(model.visits.indexOf(visit))!.abort();
        } else if (verb === "setLimit") {
          model.setLimit(key, limit);
          limiter.setLimit(key, limit);
        } else await clock.advance(waitMs);

        await clock.advance(0);
        const expectedInside = model.visits.flatMap(({ state }, visit) =>
          state === "inside" ? [visit] : [],
        );
        expect([...releases.keys()].toSorted((a, b) => a - b)).toEqual(expectedInside);
        const { keys, held, waiting } = limiter.metrics();
        expect({ held, waiting }).toEqual({ held: model.held(), waiting: model.waiting() });
        expect(keys).toBeGreaterThanOrEqual(model.busyKeys());
        expect(keys).toBeLessThanOrEqual(Math.max(keysMax, model.busyKeys()));
      }
      await clock.advance(idleMs);
      expect(limiter.metrics().keys).toBe(model.busyKeys());

      for (const abort of aborts.values()) abort.abort();
      for (const release of releases.values()) release();
      await Promise.all(outcomes);
      await clock.advance(idleMs);
      expect(limiter.metrics()).toMatchObject({ keys: 0, held: 0, waiting: 0 });
    }),
    { numRuns: 200 },
  );
});
