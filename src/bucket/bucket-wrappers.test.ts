import { describe, expect, test } from "vitest";
import { AppError } from "../base/app-error.ts";
import { createSeededRandom } from "../base/random.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "./adapters/memory/memory-bucket.ts";
import { createPersonality, personalities } from "./testing/personality.ts";
import { mayHaveHappened, unanswered } from "./bucket-error.ts";
import type { Bucket } from "./bucket.ts";
import { createFaultyBucket, type FaultKind, type Faults } from "./faulty-bucket.ts";
import { openLateBucket } from "./late-bucket.ts";
import { createLazyBucket } from "./lazy-bucket.ts";
import { createMeter } from "./metered-bucket.ts";
import { createRetryingBucket } from "./retrying-bucket.ts";
import { bytes, textOf } from "./testing/suite-fixture.ts";

function faulty(faults: Faults, seed = 1) {
  const clock = createTestClock();
  const memory = createMemoryBucket({ clock });
  const random = createSeededRandom(seed);
  const seen: FaultKind[] = [];
  const onFault = (kind: FaultKind) => void seen.push(kind);
  const bucket = createFaultyBucket({ bucket: memory, faults, clock, random, onFault });
  return { clock, memory, bucket, seen, random };
}

describe("a faulty bucket", () => {
  test("a lost answer: the write happened, and the error says it may have", async () => {
    const { bucket, memory } = faulty({ lostAnswer: 1 });
    const error = await bucket.putIfAbsent("a", bytes("x")).catch((caught: unknown) => caught);
    expect(mayHaveHappened(error)).toBe(true);
    expect(await textOf(memory, "a")).toBe("x");
  });

  test("a late landing: not there after the error, there later, if its condition still holds", async () => {
    const { bucket, memory, clock } = faulty({ lateLanding: 1, lateMsMax: 1_000 });
    await expect(bucket.putIfAbsent("a", bytes("x"))).rejects.toSatisfy(mayHaveHappened);
    await expect(bucket.putIfAbsent("b", bytes("x"))).rejects.toSatisfy(mayHaveHappened);
    expect(await memory.get("a")).toEqual({ status: "absent" });
    await memory.putIfAbsent("b", bytes("other"));
    await clock.advance(1_000);
    expect(await textOf(memory, "a")).toBe("x");
    expect(await textOf(memory, "b")).toBe("other");
  });

  test("refusals and false conflicts change nothing", async () => {
    for (const faults of [{ refused: 1 }, { falseConflict: 1 }]) {
      const { bucket, memory } = faulty(faults);
      await expect(bucket.putIfAbsent("a", bytes("x"))).rejects.toSatisfy(mayHaveHappened);
      expect(await memory.get("a")).toEqual({ status: "absent" });
    }
  });

  test("a vague loser is not told that it lost", async () => {
    const { bucket } = faulty({ vagueLoser: 1 });
    await bucket.putIfAbsent("a", bytes("x"));
    await expect(bucket.putIfAbsent("a", bytes("y"))).rejects.toSatisfy(mayHaveHappened);
    await expect(bucket.putIfMatch("a", bytes("y"), "e")).rejects.toSatisfy(mayHaveHappened);
  });

  test("the same seed gives the same faults", async () => {
    const run = async (seed: number) => {
      const { bucket, seen } = faulty({ lostAnswer: 0.3, refused: 0.2, lostRead: 0.3 }, seed);
      for (let turn = 0; turn < 50; turn++) {
        await bucket.put("a", bytes("x")).catch(() => {});
        await bucket.get("a").catch(() => {});
      }
      return seen.join();
    };
    expect(await run(7)).toBe(await run(7));
    expect(await run(7)).not.toBe(await run(8));
  });
});

describe("a retrying bucket", () => {
  const retrying = (faults: Faults) => {
    const at = faulty(faults);
    const calls: string[] = [];
    const counting: Bucket = {
      ...at.bucket,
      get: (key) => (calls.push("get"), at.bucket.get(key)),
      putIfAbsent: (key, body) => (calls.push("putIfAbsent"), at.bucket.putIfAbsent(key, body)),
      putIfMatch: (key, body, etag) => (
        calls.push("putIfMatch"),
        at.bucket.putIfMatch(key, body, etag)
      ),
    };
    const { clock, random } = at;
    return { ...at, calls, retrying: createRetryingBucket({ bucket: counting, clock, random }) };
  };

  test("repeats reads, puts and deletes until there is an answer", async () => {
    const { retrying: bucket, clock, memory } = retrying({ refused: 0.5, lostRead: 0.2 });
    const work = (async () => {
      await bucket.put("a", bytes("x"));
      expect(await bucket.list("")).toHaveLength(1);
      expect(await textOf(bucket, "a")).toBe("x");
      await bucket.delete("a");
    })();
    await clock.advance(60_000);
    await work;
    expect(await memory.get("a")).toEqual({ status: "absent" });
  });

  test("lesson 31: never repeats a conditional write by itself", async () => {
    const { retrying: bucket, calls } = retrying({ lostAnswer: 1 });
    await expect(bucket.putIfAbsent("a", bytes("x"))).rejects.toSatisfy(mayHaveHappened);
    await expect(bucket.putIfMatch("a", bytes("y"), "e")).rejects.toSatisfy(mayHaveHappened);
    expect(calls).toEqual(["putIfAbsent", "putIfMatch"]);
  });

  test("gives up after 8 tries with the error as it came", async () => {
    const { retrying: bucket, calls, clock } = retrying({ lostRead: 1 });
    const failed = expect(bucket.get("a")).rejects.toMatchObject({ code: "bucket_unavailable" });
    await clock.advance(60_000);
    await failed;
    expect(calls).toHaveLength(8);
  });
});

describe("a metered bucket", () => {
  test("counts requests, bytes and dollars by caller and operation", async () => {
    const clock = createTestClock();
    const meter = createMeter();
    const memory = createMemoryBucket({ clock });
    const queue = meter.meter(memory, "queue");
    const hub = meter.meter(memory, "hub");
    await queue.putIfAbsent("a", bytes("12345"));
    await queue.putIfAbsent("a", bytes("12345")); // a lost race is paid for
    await queue.get("a");
    await hub.list("");
    await hub.delete("a");
    expect(meter.callers()).toEqual(["queue", "hub"]);
    expect(meter.usage("queue").putIfAbsent).toMatchObject({ requests: 2, bytesSent: 10 });
    expect(meter.usage("queue").putIfAbsent.dollars).toBeCloseTo(0.00001, 9);
    expect(meter.usage("queue").get).toMatchObject({ requests: 1, bytesReceived: 5 });
    expect(meter.usage("queue").list.requests).toBe(0);
    expect(meter.usage().list).toMatchObject({ requests: 1, dollars: 0.000005 });
    expect(meter.usage().delete).toMatchObject({ requests: 1, dollars: 0 });
    expect(meter.usage("nobody").get.requests).toBe(0);
  });

  test("counts what failed, at no price where the server failed", async () => {
    const meter = createMeter();
    const bucket = meter.meter(faulty({ refused: 1 }).bucket, "queue");
    await expect(bucket.get("a")).rejects.toMatchObject({ kind: "unavailable" });
    expect(meter.usage().get).toMatchObject({ requests: 1, failed: 1, dollars: 0 });
  });

  test("counts each repeated request, and none that was never sent", async () => {
    const clock = createTestClock();
    const random = createSeededRandom(1);
    const meter = createMeter();
    const counted = meter.meter(faulty({ refused: 1 }).bucket, "queue");
    const bucket = createRetryingBucket({ bucket: counted, clock, random });
    const failed = expect(bucket.get("a")).rejects.toMatchObject({ kind: "unavailable" });
    await clock.advance(60_000);
    await failed;
    expect(meter.usage().get).toMatchObject({ requests: 8, failed: 8 });
    const memory = meter.meter(createMemoryBucket({ clock }), "hub");
    await expect(memory.get("../a")).rejects.toMatchObject({ code: "bucket_key" });
    await expect(memory.put("a", undefined as never)).rejects.toMatchObject({
      code: "bucket_body",
    });
    expect(meter.callers()).toEqual(["queue"]);
  });
});

describe("personalities", () => {
  test.each(personalities)("%s: clients share the storage and show its faults", async (name) => {
    const clock = createTestClock();
    const seen = new Set<string>();
    const open = createPersonality(name, {
      clock,
      random: createSeededRandom(3),
      onFault: (kind) => void seen.add(kind),
    });
    const [a, b] = [open(), open()];
    let wins = 0;
    for (let turn = 0; turn < 200; turn++) {
      for (const bucket of [a, b]) {
        const answer = await bucket.putIfAbsent(`k${turn}`, bytes("x")).catch(() => undefined);
        if (answer?.status === "created") wins += 1;
        await bucket.get(`k${turn}`).catch(() => {});
      }
    }
    expect(wins > 200).toBe(name === "ignores-conditions");
    expect([...seen].sort()).toEqual(
      {
        aws: [],
        r2: ["throttled"],
        "conflict-409": ["falseConflict", "vagueLoser"],
        rgw16: ["vagueLoser"],
        "ignores-conditions": [],
        "lost-response": ["lostAnswer", "lostRead"],
        "delayed-landing": ["lateLanding"],
      }[name],
    );
  });
});

describe("a bucket that is opened late", () => {
  const away = () => unanswered("anything", "nobody is there");

  test("where its store is away at first, each call says so, until one reaches it", async () => {
    const memory = createMemoryBucket({ clock: createTestClock() });
    let [isAway, opens] = [true, 0];
    const bucket = await openLateBucket(async () => {
      opens += 1;
      if (isAway) throw away();
      return memory;
    });
    expect(opens).toBe(1);
    await expect(bucket.get("a")).rejects.toThrow("nobody is there");
    await expect(bucket.putIfAbsent("a", bytes("x"))).rejects.toThrow("nobody is there");
    isAway = false;
    const puts = [bucket.putIfAbsent("a", bytes("x")), bucket.putIfAbsent("a", bytes("y"))];
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual(["created", "exists"]);
    expect(opens).toBe(4); // both by one
    expect(await textOf(bucket, "a")).toBe("x");
    expect(await bucket.list("")).toHaveLength(1);
    await bucket[Symbol.asyncDispose]();
  });

  test("what is there is opened at once, and what is wrong for good is thrown at once", async () => {
    const memory = createMemoryBucket({ clock: createTestClock() });
    expect(await openLateBucket(async () => memory)).toBe(memory);
    const wrong = new AppError("invalid", "bucket_address", "no such thing");
    await expect(openLateBucket(() => Promise.reject(wrong))).rejects.toBe(wrong);
  });
});

describe("a lazy bucket", () => {
  const counted = () => {
    const memory = createMemoryBucket({ clock: createTestClock() });
    const counts = { opens: 0, closings: 0 };
    const open = async (): Promise<Bucket> => {
      counts.opens += 1;
      return { ...memory, close: async () => void (counts.closings += 1) };
    };
    return { counts, open, bucket: createLazyBucket(open) };
  };

  test("is opened by its first call, once, and closed once", async () => {
    const { counts, bucket } = counted();
    expect(counts.opens).toBe(0);
    await Promise.all([bucket.put("a", bytes("x")), bucket.get("b"), bucket.list("")]);
    await bucket.get("a");
    expect(counts.opens).toBe(1);
    await Promise.all([bucket.close(), bucket.close()]);
    expect(counts.closings).toBe(1);
  });

  test("is not opened to be closed, and not opened any more when it is closed", async () => {
    const { counts, bucket } = counted();
    await bucket.close();
    await expect(bucket.get("a")).rejects.toMatchObject({ code: "bucket_closed" });
    expect(counts).toEqual({ opens: 0, closings: 0 });
  });

  test("that is closed while it is opened is closed all the same", async () => {
    const { counts, bucket } = counted();
    const got = bucket.get("a");
    await bucket.close();
    await got;
    expect(counts).toEqual({ opens: 1, closings: 1 });
  });
});
