import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { createKeyedLimiter, type KeyedLimiterOptions, type ReleaseSlot } from "./keyed-limiter.ts";
import { createTestClock } from "./testing/test-clock.ts";

function createFixture(changes: Partial<KeyedLimiterOptions> = {}) {
  const clock = createTestClock();
  const limiter = createKeyedLimiter({ limit: 1, keysMax: 3, idleMs: 1000, clock, ...changes });
  /** Who got in, in order, with the means to leave. */
  const inside = new Map<string, ReleaseSlot>();
  const enter = (name: string, key = "a", signal?: AbortSignal) =>
    limiter.acquire(key, { signal }).then((release) => void inside.set(name, release));
  const leave = async (name: string) => {
    inside.get(name)!();
    inside.delete(name);
    await clock.advance(0);
  };
  const names = async () => {
    await clock.advance(0);
    return [...inside.keys()];
  };
  return { clock, limiter, enter, leave, names };
}

describe("a keyed limiter", () => {
  test("lets in up to the limit of each key, and waiters in the order they came", async () => {
    const { limiter, enter, leave, names } = createFixture({ limit: 2 });
    const all = Promise.all(["1", "2", "3", "4", "5"].map((name) => enter(name)));
    void enter("other", "b");
    expect(await names()).toEqual(["1", "2", "other"]);
    expect(limiter.metrics()).toMatchObject({ keys: 2, held: 3, waiting: 3 });
    await leave("2");
    expect(await names()).toEqual(["1", "other", "3"]);
    await leave("1");
    await leave("3");
    expect(await names()).toEqual(["other", "4", "5"]);
    await all;
    expect(limiter.metrics()).toMatchObject({ held: 3, waiting: 0 });
  });

  test("a release counts once, however often it is called", async () => {
    const { limiter, enter, names } = createFixture();
    const release = await limiter.acquire("a");
    const all = Promise.all([enter("2"), enter("3")]);
    release();
    release();
    release();
    expect(await names()).toEqual(["2"]);
    expect(limiter.metrics()).toMatchObject({ held: 1, waiting: 1 });
    limiter.setLimit("a", 2);
    await all;
  });

  test("tryAcquire takes a free place or nothing", () => {
    const { limiter } = createFixture();
    const release = limiter.tryAcquire("a");
    expect(release).toBeTypeOf("function");
    expect(limiter.tryAcquire("a")).toBeUndefined();
    expect(limiter.metrics()).toMatchObject({ held: 1, waiting: 0 });
    release!();
    expect(limiter.tryAcquire("a")).toBeTypeOf("function");
  });

  test("nobody overtakes a waiter, not even in the turn in which a place becomes free", async () => {
    const { limiter, enter, leave, names } = createFixture();
    const release = await limiter.acquire("a");
    const waiter = enter("first");
    release();
    expect(limiter.tryAcquire("a")).toBeUndefined();
    const late = enter("second");
    expect(await names()).toEqual(["first"]);
    await leave("first");
    await Promise.all([waiter, late]);
  });

  test("keys have limits of their own, from the start or set later", async () => {
    const { limiter } = createFixture({ limitsByKey: { wide: 2 } });
    const count = (key: string) => {
      let places = 0;
      while (limiter.tryAcquire(key)) places++;
      return places;
    };
    limiter.setLimit("closed", 0);
    expect([count("wide"), count("closed"), count("common")]).toEqual([2, 0, 1]);
  });

  test("limits that are not whole numbers are bugs", () => {
    const { limiter } = createFixture();
    expect(() => limiter.setLimit("a", 1.5)).toThrow("bug: a limit of 1.5");
    expect(() => limiter.setLimit("a", -1)).toThrow("bug: a limit of -1");
    expect(() => createFixture({ limit: NaN })).toThrow("bug: a limit of NaN");
    expect(() => createFixture({ limitsByKey: { a: -1 } })).toThrow("bug: a limit of -1");
    expect(() => createFixture({ keysMax: 0 })).toThrow("bug: keysMax is 0");
    expect(() => createFixture({ idleMs: -1 })).toThrow("bug: idleMs is -1");
  });
});

describe("setLimit on a key in use", () => {
  test("raising it lets waiters in at once, in order", async () => {
    const { limiter, enter, names } = createFixture();
    const all = Promise.all(["1", "2", "3", "4"].map((name) => enter(name)));
    expect(await names()).toEqual(["1"]);
    limiter.setLimit("a", 3);
    expect(await names()).toEqual(["1", "2", "3"]);
    limiter.setLimit("a", 4);
    await all;
  });

  test("lowering it drains: nobody is thrown out, nobody gets in until enough left", async () => {
    const { limiter, enter, leave, names } = createFixture({ limit: 3 });
    const all = Promise.all(["1", "2", "3", "4"].map((name) => enter(name)));
    await names();
    limiter.setLimit("a", 1);
    expect(limiter.metrics()).toMatchObject({ held: 3, waiting: 1 });
    await leave("1");
    await leave("2");
    expect(await names()).toEqual(["3"]);
    await leave("3");
    expect(await names()).toEqual(["4"]);
    await all;
  });

  test("0 closes the key, undefined returns it to the common limit", async () => {
    const { limiter, enter, names } = createFixture();
    limiter.setLimit("a", 0);
    const entered = enter("1");
    expect(await names()).toEqual([]);
    limiter.setLimit("a", undefined);
    expect(await names()).toEqual(["1"]);
    await entered;
  });
});

describe("an abort", () => {
  test("removes a waiter at once, and the next in line keeps its turn", async () => {
    const { limiter, enter, leave, names } = createFixture();
    await enter("1");
    const abort = new AbortController();
    const reason = new Error("shutting down");
    const given = enter("2", "a", abort.signal);
    const next = enter("3");
    await names();
    abort.abort(reason);
    await expect(given).rejects.toMatchObject({ kind: "aborted", cause: reason });
    expect(limiter.metrics()).toMatchObject({ held: 1, waiting: 1 });
    await leave("1");
    expect(await names()).toEqual(["3"]);
    await next;
  });

  test("that came already takes no place and leaves no key behind", async () => {
    const { limiter } = createFixture();
    const given = limiter.acquire("a", { signal: AbortSignal.abort() });
    await expect(given).rejects.toMatchObject({ kind: "aborted", code: "acquire_aborted" });
    expect(limiter.metrics()).toEqual({ keys: 0, held: 0, waiting: 0, evictions: 0 });
  });

  test("after the place was given changes nothing, and no listener is left", async () => {
    const { limiter, enter, leave, names } = createFixture();
    await enter("1");
    const abort = new AbortController();
    const entered = enter("2", "a", abort.signal);
    await leave("1");
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
    abort.abort();
    expect(await names()).toEqual(["2"]);
    expect(limiter.metrics()).toMatchObject({ held: 1, waiting: 0 });
    await entered;
  });

  test("of the only waiter of a closed key makes the key idle", async () => {
    const { clock, limiter, enter } = createFixture({ limitsByKey: { a: 0 } });
    const abort = new AbortController();
    const given = enter("1", "a", abort.signal);
    abort.abort();
    await expect(given).rejects.toMatchObject({ kind: "aborted" });
    await clock.advance(1000);
    expect(limiter.metrics()).toMatchObject({ keys: 0, evictions: 1 });
  });
});

describe("eviction", () => {
  test("lesson 21: a key that is held or waited for is never evicted, whatever the pressure", async () => {
    const { clock, limiter, enter, leave, names } = createFixture({ keysMax: 1, idleMs: 10 });
    await enter("holder");
    const waiter = enter("waiter");
    for (let key = 0; key < 50; key++) {
      limiter.tryAcquire(`passing ${key}`)!();
      await clock.advance(10);
    }
    expect(limiter.tryAcquire("a")).toBeUndefined(); // its semaphore still knows it is full
    expect(await names()).toEqual(["holder"]);
    await leave("holder");
    expect(await names()).toEqual(["waiter"]);
    expect(limiter.tryAcquire("a")).toBeUndefined();
    await waiter;
  });

  test("lesson 21: a limit set live holds for holders, for waiters, and after an eviction", async () => {
    const { clock, limiter, enter, leave, names } = createFixture({ limit: 2, keysMax: 1 });
    const all = Promise.all(["1", "2", "3"].map((name) => enter(name)));
    await names();
    limiter.setLimit("a", 1);
    await leave("1");
    expect(await names()).toEqual(["2"]);
    await leave("2");
    await leave("3");
    await all;
    limiter.tryAcquire("b")!(); // pushes the idle key out
    await clock.advance(1000);
    expect(limiter.metrics()).toMatchObject({ keys: 0, evictions: 2 });
    expect(limiter.tryAcquire("a")).toBeTypeOf("function");
    expect(limiter.tryAcquire("a")).toBeUndefined();
  });

  test("an idle key goes after idleMs, counted from its last use", async () => {
    const { clock, limiter } = createFixture();
    limiter.tryAcquire("a")!();
    await clock.advance(600);
    limiter.tryAcquire("a")!();
    await clock.advance(999);
    clock.step(1_000_000); // the wall clock has no say
    expect(limiter.metrics()).toMatchObject({ keys: 1, evictions: 0 });
    await clock.advance(1);
    expect(limiter.metrics()).toMatchObject({ keys: 0, evictions: 1 });
  });

  test("above keysMax the longest idle goes first; busy keys may be more", async () => {
    const { clock, limiter } = createFixture();
    for (const key of ["a", "b", "c", "a"]) limiter.tryAcquire(key)!();
    await clock.advance(900); // a, b and c have 100 ms left
    limiter.tryAcquire("d")!(); // b was idle longest
    limiter.tryAcquire("c")!(); // starts again
    expect(limiter.metrics()).toMatchObject({ keys: 3, evictions: 1 });
    await clock.advance(100); // so now only a has run out
    expect(limiter.metrics()).toMatchObject({ keys: 2, evictions: 2 });
    const releases = ["1", "2", "3", "4", "5"].map((key) => limiter.tryAcquire(key)!);
    expect(limiter.metrics()).toMatchObject({ keys: 5, held: 5, evictions: 4 });
    for (const release of releases) release();
    expect(limiter.metrics()).toMatchObject({ keys: 3, held: 0, evictions: 6 });
  });
});

test("the number of own limits is bounded, and a limit taken back makes room", () => {
  const limitsByKey = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, key) => [`${key}`, 2]),
  );
  const { limiter } = createFixture({ limitsByKey });
  expect(() => limiter.setLimit("one more", 2)).toThrow(
    expect.objectContaining({ kind: "invalid", code: "limiter_limits_full" }),
  );
  limiter.setLimit("7", 3);
  limiter.setLimit("7", undefined);
  limiter.setLimit("one more", 2);
});
