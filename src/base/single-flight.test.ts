import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sleep } from "./clock.ts";
import { createSingleFlightCache } from "./single-flight.ts";
import { createTestClock } from "./testing/test-clock.ts";

interface Setup {
  readonly ttlMs?: number;
  readonly entriesMax?: number;
  readonly loadMs?: number;
  readonly fails?: (turn: number) => boolean;
}

/** A cache whose loads take `loadMs` and answer with the key and the number of the load. */
function createFixture({ ttlMs = 100, entriesMax = 3, loadMs = 10, fails }: Setup = {}) {
  const clock = createTestClock();
  const loads: string[] = [];
  const cache = createSingleFlightCache<string, string>({
    clock,
    ttlMs,
    entriesMax,
    async load(key) {
      const turn = loads.push(key);
      await sleep(clock, loadMs);
      if (fails?.(turn)) throw new Error(`load ${turn} failed`);
      return `${key}${turn}`;
    },
  });
  const getNow = async (key: string) => {
    const value = cache.get(key);
    await clock.advance(loadMs);
    return value;
  };
  return { clock, cache, loads, getNow };
}

describe("a single-flight cache", () => {
  test("many who ask at once share one load; later ones are served from memory", async () => {
    const { clock, cache, loads } = createFixture();
    const together = Promise.all([cache.get("a"), cache.get("a")]);
    await clock.advance(5);
    const later = cache.get("a");
    await clock.advance(5);
    expect([...(await together), await later]).toEqual(["a1", "a1", "a1"]);
    expect(await cache.get("a")).toBe("a1");
    expect(loads).toEqual(["a"]);
    expect(cache.metrics()).toEqual({
      hits: 1,
      misses: 3,
      loads: 1,
      loadsFailed: 0,
      invalidationsByReason: { expired: 0, evicted: 0 },
      size: 1,
    });
  });

  test("a value that is put replaces the one that is kept, and the one that is being loaded", async () => {
    const { clock, cache, loads } = createFixture();
    const loading = cache.get("a");
    await clock.advance(5);
    cache.put("a", "put", "changed");
    expect(await cache.get("a")).toBe("put");
    await clock.advance(5);
    expect(await loading).toBe("a1");
    expect(await cache.get("a")).toBe("put");
    cache.put("a", "again", "changed");
    expect(await cache.get("a")).toBe("again");
    expect(loads).toEqual(["a"]);
    expect(cache.metrics()).toMatchObject({
      size: 1,
      invalidationsByReason: { changed: 2 },
    });
  });

  test("loads of different keys run side by side", async () => {
    const { clock, cache } = createFixture();
    const values = Promise.all([cache.get("a"), cache.get("b")]);
    await clock.advance(10);
    expect(await values).toEqual(["a1", "b2"]);
  });

  test("undefined is a value like any other", async () => {
    let loads = 0;
    const load = async () => void loads++;
    const clock = createTestClock();
    const cache = createSingleFlightCache({ load, clock, ttlMs: 100, entriesMax: 1 });
    await cache.get("a");
    await cache.get("a");
    expect(loads).toBe(1);
  });

  test("a failed load reaches all its waiters and is not kept", async () => {
    const { clock, cache, loads, getNow } = createFixture({ fails: (turn) => turn === 1 });
    const failures = ["first", "second"].map(() => cache.get("a").catch(String));
    await clock.advance(10);
    const message = "Error: load 1 failed";
    expect(await Promise.all(failures)).toEqual([message, message]);
    expect(cache.metrics()).toMatchObject({ loadsFailed: 1, size: 0 });
    expect(await getNow("a")).toBe("a2");
    expect(loads).toEqual(["a", "a"]);
  });

  test("a load that throws before it returns a promise is a failed load too", async () => {
    const clock = createTestClock();
    const load = () => {
      throw new Error("no promise");
    };
    const cache = createSingleFlightCache({ load, clock, ttlMs: 100, entriesMax: 1 });
    await expect(cache.get("a")).rejects.toThrow("no promise");
    await expect(cache.get("a")).rejects.toThrow("no promise");
    expect(cache.metrics()).toMatchObject({ loads: 2, loadsFailed: 2 });
  });

  test("a value lives ttlMs from the end of its load, and use does not prolong it", async () => {
    const { clock, cache, getNow } = createFixture();
    await getNow("a");
    await clock.advance(99);
    expect(await cache.get("a")).toBe("a1");
    clock.step(1_000_000); // the wall clock has no say
    expect(await cache.get("a")).toBe("a1");
    await clock.advance(1);
    expect(cache.metrics()).toMatchObject({ size: 0, invalidationsByReason: { expired: 1 } });
    expect(await getNow("a")).toBe("a2");
  });

  test("the least recently used value goes first", async () => {
    const { cache, loads, getNow } = createFixture();
    for (const key of ["a", "b", "c"]) await getNow(key);
    await cache.get("a");
    await getNow("d");
    expect(cache.metrics()).toMatchObject({ size: 3, invalidationsByReason: { evicted: 1 } });
    for (const key of ["a", "c", "d"]) await cache.get(key);
    expect(loads).toEqual(["a", "b", "c", "d"]);
    await getNow("b");
    expect(loads).toHaveLength(5);
  });

  test("an expired value goes before one that lives, however recently it was used", async () => {
    const { clock, cache, getNow } = createFixture({ entriesMax: 2 });
    await getNow("a");
    await clock.advance(60);
    await getNow("b");
    await cache.get("a");
    await clock.advance(25);
    await getNow("c"); // while it is loaded, a expires
    const expected = { expired: 1, evicted: 0 };
    expect(cache.metrics()).toMatchObject({ size: 2, invalidationsByReason: expected });
    expect(await cache.get("b")).toBe("b2");
  });

  test("what is invalidated is loaded again, and counted by reason", async () => {
    const { cache, getNow } = createFixture();
    await getNow("a");
    await getNow("b");
    cache.invalidate("a", "changed");
    cache.invalidate("a", "changed"); // nothing there any more
    cache.invalidate("unknown", "changed");
    expect(cache.metrics()).toMatchObject({ size: 1, invalidationsByReason: { changed: 1 } });
    expect(await getNow("a")).toBe("a3");
    cache.clear("reset");
    const expected = { expired: 0, evicted: 0, changed: 1, reset: 2 };
    expect(cache.metrics()).toMatchObject({ size: 0, invalidationsByReason: expected });
    expect(await getNow("b")).toBe("b4");
  });

  test.each(["invalidate", "clear"] as const)(
    "%s during a load: its waiters get the result, it is not kept, and later ones wait for a new load",
    async (verb) => {
      const { clock, cache, loads } = createFixture();
      const before = cache.get("a");
      await clock.advance(5);
      if (verb === "clear") cache.clear("changed");
      else cache.invalidate("a", "changed");
      const after = [cache.get("a"), cache.get("a")];
      await clock.advance(4);
      expect(loads).toEqual(["a"]); // still one at a time
      await clock.advance(1);
      expect(await before).toBe("a1");
      expect(cache.metrics()).toMatchObject({ size: 0, invalidationsByReason: { changed: 1 } });
      await clock.advance(10);
      expect(await Promise.all(after)).toEqual(["a2", "a2"]);
      expect(await cache.get("a")).toBe("a2");
    },
  );

  test("a load that fails after an invalidate does not take the next load with it", async () => {
    const { clock, cache } = createFixture({ fails: (turn) => turn === 1 });
    const before = cache.get("a").catch(String);
    cache.invalidate("a", "changed");
    const after = cache.get("a");
    await clock.advance(20);
    expect(await before).toBe("Error: load 1 failed");
    expect(await after).toBe("a2");
  });

  test("bounds that make no sense are a bug", () => {
    expect(() => createFixture({ entriesMax: 0 })).toThrow("bug: entriesMax is 0");
    expect(() => createFixture({ ttlMs: 0 })).toThrow("bug: ttlMs is 0");
  });
});

const keys = ["a", "b", "c", "d", "e"];
const step = fc.record({
  verb: fc.constantFrom("get", "get", "get", "wait", "invalidate", "clear"),
  key: fc.constantFrom(...keys),
  waitMs: fc.nat(60),
});

test("whatever happens: one load per key, bounds hold, no value older than promised", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(4), async (steps, failEvery) => {
      const clock = createTestClock();
      const versions = new Map<string, number>(); // the truth, which every invalidate changes
      const running = new Set<string>();
      let loads = 0;
      let failed = 0;
      const cache = createSingleFlightCache<string, { version: number; atMs: number }>({
        clock,
        ttlMs: 100,
        entriesMax: 3,
        async load(key) {
          expect(running.has(key)).toBe(false);
          running.add(key);
          const version = versions.get(key) ?? 0;
          const fails = failEvery > 0 && ++loads % (failEvery + 1) === 0;
          await sleep(clock, 15).finally(() => running.delete(key));
          if (fails) throw new Error(`load failed ${++failed}`);
          return { version, atMs: clock.monotonicMs() };
        },
      });
      const checks: Promise<void>[] = [];
      let gets = 0;
      for (const { verb, key, waitMs } of steps) {
        if (verb === "wait") await clock.advance(waitMs);
        else if (verb === "get") {
          const versionAsked = versions.get(key) ?? 0;
          const askedAtMs = clock.monotonicMs();
          gets++;
          const check = cache.get(key).then(
            ({ version, atMs }) => {
              expect(version).toBeGreaterThanOrEqual(versionAsked);
              expect(askedAtMs - atMs).toBeLessThan(100);
            },
            (error: unknown) => expect(String(error)).toContain("load failed"),
          );
          checks.push(check);
        } else {
          const changed = verb === "clear" ? keys : [key];
          for (const name of changed) versions.set(name, (versions.get(name) ?? 0) + 1);
          if (verb === "clear") cache.clear("changed");
          else cache.invalidate(key, "changed");
        }
        expect(cache.metrics().size).toBeLessThanOrEqual(3);
      }
      await clock.advance(1000);
      await Promise.all(checks);
      const { hits, misses, loadsFailed, size } = cache.metrics();
      expect(hits + misses).toBe(gets);
      expect([loadsFailed, size]).toEqual([failed, 0]);
    }),
    { numRuns: 150 },
  );
});
