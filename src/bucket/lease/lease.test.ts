import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../adapters/memory/memory-bucket.ts";
import { unanswered, unknownOutcome } from "../bucket-error.ts";
import type { Bucket } from "../bucket.ts";
import { createFaultyBucket } from "../faulty-bucket.ts";
import { bytes, textOf } from "../testing/suite-fixture.ts";
import { createLeaseKeeper } from "./lease-keeper.ts";
import { createLease, type LeaseOptions } from "./lease.ts";

const ttlMs = 60_000;

function setUp() {
  const clock = createTestClock();
  const random = createSeededRandom(1);
  const bucket = createMemoryBucket({ clock });
  const lease = (owner: string, more: Partial<LeaseOptions> = {}) =>
    createLease({ bucket, name: "hub", owner, clock, random, ...more });
  return { clock, random, bucket, lease };
}

describe("a lease", () => {
  test("is held by the first; others see who, since when and which epoch", async () => {
    const { lease, clock } = setUp();
    const [a, b] = [lease("a"), lease("b")];
    expect(await a.acquire()).toEqual({ status: "held", epoch: 1 });
    expect(a.isHeld()).toBe(true);
    expect(await b.acquire()).toMatchObject({ status: "taken", by: { owner: "a", epoch: 1 } });
    expect(b.isHeld()).toBe(false);
    const record = { owner: "a", epoch: 1, state: "held", sinceMs: clock.nowMs() };
    expect(await b.show()).toMatchObject({ record, ageMs: 0, isExpired: false });
    expect(await lease("c", { name: "other" }).show()).toBeUndefined();
  });

  test("O9: the holder stops by its own deadline, though the store says nothing", async () => {
    const { lease, clock } = setUp();
    const a = lease("a");
    await a.acquire();
    await clock.advance(54_999);
    expect([a.isHeld(), a.epoch(), a.leftMs()]).toEqual([true, 1, 1]);
    await clock.advance(1);
    expect([a.isHeld(), a.epoch(), a.leftMs()]).toEqual([false, undefined, 0]);
    expect(await a.renew()).toBe("lost");
  });

  test("the deadline counts from the sending, not from the answer", async () => {
    const { lease, clock, bucket } = setUp();
    const slow: Bucket = {
      ...bucket,
      async putIfAbsent(key, body) {
        const answer = await bucket.putIfAbsent(key, body);
        await new Promise<void>((resolve) => clock.setTimer(20_000, resolve));
        return answer;
      },
    };
    const a = lease("a", { bucket: slow });
    const acquired = a.acquire();
    await clock.advance(20_000);
    expect(await acquired).toMatchObject({ status: "held" });
    expect(a.leftMs()).toBe(35_000);
  });

  test("is taken over after ttl and margin by the store's clock, with the next epoch", async () => {
    const { lease, clock } = setUp();
    const [a, b] = [lease("a"), lease("b")];
    await a.acquire();
    await clock.advance(65_000);
    expect(await b.acquire()).toMatchObject({ status: "taken", freeInMs: 0 });
    await clock.advance(1_000);
    expect(await b.acquire()).toEqual({ status: "held", epoch: 2 });
    expect(await a.renew()).toBe("lost");
    expect(b.isHeld()).toBe(true);
  });

  test("lesson 4: renewing keeps it for as long as one likes, and never takes it back", async () => {
    const { lease, clock } = setUp();
    const [a, b] = [lease("a"), lease("b")];
    await a.acquire();
    for (let turn = 0; turn < 10; turn++) {
      await clock.advance(ttlMs / 3);
      expect(await a.renew()).toBe("held");
      expect(await b.acquire()).toMatchObject({ status: "taken" });
    }
    expect(await b.forceRelease("test")).toBe("released");
    expect(await b.acquire()).toEqual({ status: "held", epoch: 2 });
    expect(await a.renew()).toBe("lost");
    expect(a.isHeld()).toBe(false);
  });

  test("lesson 32: a release frees it at once, and the epoch continues from there", async () => {
    const { lease, bucket } = setUp();
    const [a, b] = [lease("a"), lease("b")];
    await a.acquire();
    await a.release();
    expect(a.isHeld()).toBe(false);
    expect(await bucket.list("lease/")).toHaveLength(1);
    expect(await b.acquire()).toEqual({ status: "held", epoch: 2 });
    await b.release();
    expect(await a.acquire()).toEqual({ status: "held", epoch: 3 });
  });

  test("lesson 2: of many who steal one stale lease, one gets it", async () => {
    const { lease, clock, random, bucket } = setUp();
    await lease("dead").acquire();
    await clock.advance(70_000);
    // Each request takes its own time, so that every step of one falls between those of others.
    const slow = createFaultyBucket({ bucket, clock, random, faults: { wayMsMax: 200 } });
    const racers = Array.from({ length: 16 }, (_, index) => lease(`n${index}`, { bucket: slow }));
    const racing = Promise.all(racers.map((racer) => racer.acquire()));
    await clock.advance(5_000);
    expect((await racing).filter(({ status }) => status === "held")).toEqual([
      { status: "held", epoch: 2 },
    ]);
    expect(racers.filter((racer) => racer.isHeld())).toHaveLength(1);
  });

  test("a forced release says why, and is refused to nobody", async () => {
    const { lease } = setUp();
    const a = lease("a");
    expect(await a.forceRelease("nobody")).toBe("free");
    await a.acquire();
    expect(await lease("b").forceRelease("pi-3 was stolen")).toBe("released");
    expect(await a.show()).toMatchObject({
      record: { state: "released", reason: "pi-3 was stolen" },
    });
    expect(await lease("b").forceRelease("again")).toBe("free");
  });

  test("a lease of another ttl is judged by its own", async () => {
    const { lease, clock } = setUp();
    await lease("long", { ttlMs: 600_000 }).acquire();
    await clock.advance(100_000);
    expect(await lease("short").acquire()).toMatchObject({ status: "taken", freeInMs: 505_000 });
  });

  test("what is not a lease, or a newer one, is left alone", async () => {
    const { lease, bucket } = setUp();
    for (const [text, code] of [
      ["hello", "lease_corrupt"],
      ['{"format":2}', "lease_newer"],
    ] as const) {
      await bucket.put("lease/hub.json", bytes(text));
      const a = lease("a");
      await expect(a.acquire()).rejects.toMatchObject({ code });
      await expect(a.forceRelease("why")).rejects.toMatchObject({ code });
      expect(a.isHeld()).toBe(false);
      expect(await textOf(bucket, "lease/hub.json")).toBe(text);
    }
  });
});

describe("a lease whose answers get lost", () => {
  /** The next calls of one operation go wrong in the given ways. */
  function hurt(bucket: Bucket, plan: readonly ("lost" | "late" | "never" | "ok")[]) {
    const left = [...plan];
    const landings: (() => Promise<unknown>)[] = [];
    const write = async <T>(send: () => Promise<T>): Promise<T> => {
      const how = left.shift() ?? "ok";
      if (how === "ok") return send();
      if (how === "lost") await send();
      if (how === "late") landings.push(send);
      throw unknownOutcome("lease/hub.json", "timeout");
    };
    const hurtBucket: Bucket = {
      ...bucket,
      putIfAbsent: (key, body) => write(() => bucket.putIfAbsent(key, body)),
      putIfMatch: (key, body, etag) => write(() => bucket.putIfMatch(key, body, etag)),
    };
    return { hurtBucket, landings };
  }
  const settle = async <T>(clock: ReturnType<typeof createTestClock>, work: Promise<T>) => {
    let isOver = false;
    void work.finally(() => (isOver = true)).catch(() => {});
    while (!isOver) await clock.advance(100);
    return work;
  };

  test("lesson 31: one's own success is recognised by its nonce", async () => {
    const { lease, bucket, clock } = setUp();
    const { hurtBucket } = hurt(bucket, ["lost", "ok", "lost"]);
    const a = lease("a", { bucket: hurtBucket });
    expect(await settle(clock, a.acquire())).toEqual({ status: "held", epoch: 1 });
    expect(await settle(clock, a.renew())).toBe("held");
    expect(await settle(clock, a.renew())).toBe("held");
  });

  test("a refusal after one's own success is resolved by reading", async () => {
    const { lease, bucket, clock } = setUp();
    let turn = 0;
    const twice: Bucket = {
      ...bucket,
      async putIfAbsent(key, body) {
        if (turn++ === 0) await bucket.putIfAbsent(key, body);
        return bucket.putIfAbsent(key, body); // as a client or proxy that repeats by itself
      },
    };
    expect(await settle(clock, lease("a", { bucket: twice }).acquire())).toMatchObject({
      status: "held",
    });
  });

  test("lesson 31: an error while nothing landed is tried again with the same body", async () => {
    const { lease, bucket, clock } = setUp();
    const { hurtBucket } = hurt(bucket, ["never", "never"]);
    const a = lease("a", { bucket: hurtBucket });
    expect(await settle(clock, a.acquire())).toEqual({ status: "held", epoch: 1 });
  });

  test("O3: an unclear end is an error, and nothing is held", async () => {
    const { lease, bucket, clock } = setUp();
    const { hurtBucket } = hurt(bucket, Array(20).fill("never"));
    const a = lease("a", { bucket: hurtBucket });
    await expect(settle(clock, a.acquire())).rejects.toMatchObject({ code: "lease_unresolved" });
    expect(a.isHeld()).toBe(false);
  });

  test("lesson 6: a store that does not answer reads does not allow continuing alone", async () => {
    const { lease, bucket } = setUp();
    const deaf: Bucket = {
      ...bucket,
      get: async (key) => {
        throw unanswered(key, "connection refused");
      },
    };
    const a = lease("a", { bucket: deaf });
    await expect(a.acquire()).rejects.toMatchObject({ kind: "unavailable" });
    expect(a.isHeld()).toBe(false);
  });

  test("a renewal left open is sent again as it was, and counts from its first sending", async () => {
    const { lease, bucket, clock } = setUp();
    const { hurtBucket, landings } = hurt(bucket, ["ok", "late", ...Array(7).fill("never")]);
    const a = lease("a", { bucket: hurtBucket });
    await a.acquire();
    const sentMs = clock.monotonicMs();
    await expect(settle(clock, a.renew())).rejects.toMatchObject({ code: "lease_unresolved" });
    expect(a.isHeld()).toBe(true); // by its old deadline
    await landings[0]!();
    expect(await settle(clock, a.renew())).toBe("held");
    expect(a.leftMs()).toBe(55_000 - (clock.monotonicMs() - sentMs));
  });

  test("a release finds an own renewal that landed late", async () => {
    const { lease, bucket, clock } = setUp();
    const { hurtBucket, landings } = hurt(bucket, ["ok", "late", ...Array(7).fill("never")]);
    const a = lease("a", { bucket: hurtBucket });
    await a.acquire();
    await expect(settle(clock, a.renew())).rejects.toMatchObject({ code: "lease_unresolved" });
    await landings[0]!();
    await settle(clock, a.release());
    expect(await a.show()).toMatchObject({ record: { state: "released", epoch: 1 } });
  });

  test("an acquire that lands after it was given up is taken over with a new epoch", async () => {
    const { lease, bucket, clock } = setUp();
    const { hurtBucket, landings } = hurt(bucket, ["late", ...Array(7).fill("never")]);
    const a = lease("a", { bucket: hurtBucket });
    await expect(settle(clock, a.acquire())).rejects.toMatchObject({ code: "lease_unresolved" });
    await landings[0]!();
    expect(a.isHeld()).toBe(false);
    expect(await a.acquire()).toEqual({ status: "held", epoch: 2 });
  });
});

describe("a lease keeper", () => {
  test("O8: takes over from a dead holder within ttl, margin and one poll", async () => {
    const { lease, clock, random } = setUp();
    await lease("dead").acquire();
    const [pollMs, marginMs] = [5_000, 5_000];
    let beganMs = Infinity;
    const keeper = createLeaseKeeper({
      lease: lease("b"),
      clock,
      random,
      log: silentLogger,
      ttlMs,
      pollMs,
      work: async ({ signal }) => {
        beganMs = clock.monotonicMs();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    });
    await keeper.start();
    await clock.advance(100_000);
    expect(beganMs).toBeGreaterThan(ttlMs + marginMs);
    // Stamps show whole seconds; a poll comes after 0.5 to 1.5 of its time.
    expect(beganMs).toBeLessThanOrEqual(ttlMs + marginMs + 1_000 + 1.5 * pollMs);
    const stopped = keeper.stop();
    await clock.advance(10_000);
    await stopped;
  });

  test("works while it holds, stops at its deadline when cut off, and gives back when stopped", async () => {
    const { lease, bucket, clock, random } = setUp();
    let isCut = false;
    const cut = async <T>(send: () => Promise<T>) => {
      if (isCut) throw unknownOutcome("lease/hub.json", "no route");
      return send();
    };
    const link: Bucket = {
      ...bucket,
      get: (key) => cut(() => bucket.get(key)),
      putIfAbsent: (key, body) => cut(() => bucket.putIfAbsent(key, body)),
      putIfMatch: (key, body, etag) => cut(() => bucket.putIfMatch(key, body, etag)),
    };
    const events: string[] = [];
    const keeper = createLeaseKeeper({
      lease: lease("a", { bucket: link }),
      clock,
      random,
      log: silentLogger,
      ttlMs,
      pollMs: 5_000,
      work: ({ epoch, signal }) =>
        new Promise((resolve) => {
          events.push(`began ${epoch}`);
          signal.addEventListener("abort", () => {
            events.push(`ended ${epoch} at ${clock.monotonicMs()}`);
            resolve();
          });
        }),
    });
    await keeper.start();
    await clock.advance(200_000);
    expect(events).toEqual(["began 1"]);
    isCut = true; // renewed at 200,000
    await clock.advance(60_000);
    expect(events).toEqual(["began 1", "ended 1 at 255000"]);
    isCut = false;
    await clock.advance(20_000);
    expect(events.at(-1)).toBe("began 2");
    const stopped = keeper.stop();
    await clock.advance(10_000);
    await stopped;
    expect(events.at(-1)).toMatch(/^ended 2/);
    expect(await lease("b").show()).toMatchObject({ record: { state: "released" } });
    expect(clock.pendingTimers()).toBe(0);
  });
});
