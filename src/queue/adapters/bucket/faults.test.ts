import { describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { createSeededRandom, systemRandom } from "../../../base/random.ts";
import { createPersonality } from "../../../bucket/testing/personality.ts";
import { createFaultyBucket, createRetryingBucket, type Bucket } from "../../../bucket/index.ts";
import { createQueue } from "../../create-queue.ts";
import { openBucketQueueStore, type BucketQueueStore } from "./bucket-queue-store.ts";
import { createRouting } from "./many/routing.ts";
import { createStorage, type Storage } from "./testing/storage.ts";
import { createCuttable } from "./testing/suite-storage.ts";
import { statusesOf } from "../../testing/suite-fixture.ts";

const works = (prefix: string, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    kind: "work",
    key: `${prefix}${index}`,
    ...more,
  }));
const asked = { worker: "w1", kinds: ["work"], limit: 100 };
const front = (store: BucketQueueStore, storage: Storage) =>
  createQueue({ store, clock: systemClock, random: storage.random });

test("lesson 30: a store that ignores conditions is refused, and nothing is made on it", async () => {
  const objects = new Map();
  const options = { clock: systemClock, random: systemRandom, objects };
  const bucket = createPersonality("ignores-conditions", options)();
  for (const probe of ["always", "daily"] as const) {
    await expect(openBucketQueueStore({ bucket, probe })).rejects.toMatchObject({
      kind: "invalid",
      code: "bucket_unfit",
    });
  }
  expect([...objects.keys()]).toEqual([]);
});

test("a proof of fitness holds for a day, for the store it was made on", async () => {
  const storage = createStorage();
  const fit = storage.objects.get("probe/fit.json")!;
  const probes = async () => {
    storage.requests();
    await (await storage.open())[Symbol.asyncDispose]();
    return storage.requests() > 50;
  };
  expect(await probes()).toBe(false);
  const dayMs = 86_400_000;
  const old = { fitAtMs: fit.modifiedAtMs - 2 * dayMs };
  const body = Buffer.from(JSON.stringify(old));
  storage.objects.set("probe/fit.json", { ...fit, body, modifiedAtMs: old.fitAtMs });
  expect(await probes()).toBe(true);
  const copied = { ...storage.objects.get("probe/fit.json")! };
  storage.objects.set("probe/fit.json", { ...copied, modifiedAtMs: copied.modifiedAtMs + 120_000 });
  expect(await probes()).toBe(true);
  expect(await probes()).toBe(false);
});

describe("a bad network", () => {
  const lossy = {
    "lost answers": { lostAnswer: 0.3, lostRead: 0.1 },
    "late landings": { lateLanding: 0.2, lateMsMax: 30 },
    "409 and 500": { vagueLoser: 0.6, falseConflict: 0.2 },
    throttling: { refused: 0.3 },
  };
  test.each(Object.entries(lossy))("%s: every task is done once", async (_, faults) => {
    const storage = createStorage();
    const at = { clock: systemClock, random: createSeededRandom(7) };
    const worse = (): Bucket =>
      createRetryingBucket({
        bucket: createFaultyBucket({ bucket: storage.bucket, faults, ...at }),
        ...at,
      });
    const open = async () =>
      front(await storage.open({ bucket: worse(), giveUpMs: 20_000, finishedKept: 10 }), storage);
    const nodes = [await open(), await open(), await open()];
    const total = 60;
    await nodes[0]!.add(works("a", total));
    const done: string[] = [];
    await Promise.all(
      nodes.map(async (queue, node) => {
        for (;;) {
          const { leases } = await queue.claim({ ...asked, worker: `w${node}`, limit: 7 });
          if (leases.length === 0) return;
          const finishes = leases.map((lease) => ({
            ...lease,
            outcome: { kind: "done" } as const,
          }));
          const answers = await queue.finish(finishes);
          expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["done"]));
          done.push(...leases.map(({ key }) => key));
        }
      }),
    );
    expect(done).toHaveLength(total);
    expect(new Set(done).size).toBe(total);
    expect((await nodes[1]!.stats()).states).toMatchObject({
      pending: 0,
      running: 0,
      done: total,
    });
    for (const queue of nodes) await queue[Symbol.asyncDispose]();
  });
});

describe("an endpoint that is down", () => {
  test("lesson 6: calls fail as unavailable, and afterwards all continues", async () => {
    const storage = createStorage();
    const link = createCuttable(storage.bucket);
    await using queue = front(await storage.open({ bucket: link.bucket, giveUpMs: 200 }), storage);
    await queue.add(works("a", 3));
    const { leases } = await queue.claim({ ...asked, limit: 1 });
    link.setCut(true);
    const calls = [
      queue.claim(asked),
      queue.stats(),
      queue.finish([{ ...leases[0]!, outcome: { kind: "done" } }]),
    ];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: "rejected", reason: { kind: "unavailable" } });
    }
    link.setCut(false);
    const finish = { ...leases[0]!, outcome: { kind: "done" } as const };
    expect(await queue.finish([finish])).toEqual([{ status: "done" }]);
    expect((await queue.claim(asked)).leases).toHaveLength(2);
  });

  test("a watcher is notified of what was added once it is back", async () => {
    const storage = createStorage();
    const link = createCuttable(storage.bucket);
    await using store = await storage.open({ bucket: link.bucket, idlePollMsMax: 20 });
    await using other = front(await storage.open(), storage);
    await store.wakeInMs(["work"]);
    link.setCut(true);
    const heard = new Promise<void>((resolve) => store.watch(() => resolve()));
    await other.add(works("a", 1));
    link.setCut(false);
    await heard;
  });
});

describe("a shard object", () => {
  const shards = 4;
  const routing = createRouting(shards);
  const control = { version: 0, jobs: [] };
  const key = "q/shards/2.json.gz";
  const isThere = (task: { key: string }) =>
    routing.ofTask({ job: "default", gate: "", key: task.key }, control) === 2;

  const newer = async () => {
    const { gzipSync } = await import("node:zlib");
    return gzipSync('{"format":3,"tasks":[\n]}\n');
  };
  const damages: Readonly<Record<string, (storage: Storage) => Promise<void>>> = {
    queue_shard_corrupt: async ({ bucket }) => void (await bucket.put(key, Buffer.from("hello"))),
    queue_shard_newer: async ({ bucket }) => void (await bucket.put(key, await newer())),
    queue_shard_missing: ({ bucket }) => bucket.delete(key),
  };

  test.each(Object.entries(damages))(
    "%s: it is said, left alone, and the others go on",
    async (code, damage) => {
      const storage = createStorage();
      await using queue = front(await storage.open({ shards }), storage);
      const tasks = works("a", 40);
      await queue.add(tasks);
      await damage(storage);
      const before = storage.objects.get(key)?.etag;
      await using other = front(await storage.open(), storage);
      const { leases } = await other.claim(asked);
      expect(leases).toHaveLength(tasks.filter((task) => !isThere(task)).length);
      const finishes = leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const }));
      expect((await other.finish(finishes)).every(({ status }) => status === "done")).toBe(true);
      expect((await other.stats()).states).toMatchObject({ done: leases.length });
      const there = works("b", 40).find(isThere)!;
      await expect(other.add([there])).rejects.toMatchObject({ code });
      await expect(other.add([there])).rejects.toThrow(key);
      expect(storage.events).toContainEqual({ event: "quarantined", key, code });
      expect(storage.objects.get(key)?.etag).toBe(before);
    },
  );

  test.each(Object.entries(damages))("%s: a queue of one shard says so", async (code, damage) => {
    const storage = createStorage();
    const only = "q/shards/0.json.gz";
    const bucket: Bucket = {
      ...storage.bucket,
      put: (_, body) => storage.bucket.put(only, body),
      delete: () => storage.bucket.delete(only),
    };
    await using queue = front(await storage.open(), storage);
    await queue.add(works("a", 1));
    await damage({ ...storage, bucket });
    for (const call of [() => queue.claim(asked), () => queue.stats(), () => queue.browse()]) {
      await expect(call()).rejects.toMatchObject({ code });
    }
    expect(storage.objects.has(only)).toBe(code !== "queue_shard_missing");
  });
});

describe("opening", () => {
  test("two that make a queue at the same moment make one", async () => {
    for (let round = 0; round < 20; round++) {
      const storage = createStorage();
      const stores = await Promise.all([
        storage.open({ shards: 2 }),
        storage.open(),
        storage.open(),
      ]);
      expect(new Set(stores.map((store) => store.shards)).size).toBe(1);
      const [one, two] = stores.map((store) => front(store, storage));
      expect(statusesOf(await one!.add(works("a", 2)))).toEqual(["added", "added"]);
      expect(statusesOf(await two!.add(works("a", 2)))).toEqual(["duplicate", "duplicate"]);
      for (const store of stores) await store[Symbol.asyncDispose]();
    }
  });

  test("a manifest that is not ours, or newer, is left alone", async () => {
    for (const [text, code] of [
      ["hello", "queue_manifest_corrupt"],
      ['{"format":3}', "queue_manifest_newer"],
    ] as const) {
      const storage = createStorage();
      await storage.bucket.put("q/queue.json", Buffer.from(text));
      await expect(storage.open()).rejects.toMatchObject({ code });
      expect(storage.keys("q/")).toEqual(["q/queue.json"]);
    }
  });
});

describe("long payloads", () => {
  const long = { text: "x".repeat(5_000) };

  test("are objects of their own, which claims and readers bring", async () => {
    const storage = createStorage();
    await using queue = front(await storage.open(), storage);
    await queue.add([{ kind: "work", key: "long", payload: long }, ...works("short", 1)]);
    expect(storage.keys("q/payloads/")).toHaveLength(1);
    await using other = front(await storage.open(), storage);
    expect((await other.browse({ text: "xxxx" })).map(({ key }) => key)).toEqual(["long"]);
    const { leases } = await other.claim(asked);
    expect(leases.find(({ key }) => key === "long")!.payload).toEqual(long);
    expect(storage.objects.get("q/shards/0.json.gz")!.body.byteLength).toBeLessThan(2_000);
  });

  test("of a duplicate and of a purged task are removed", async () => {
    const storage = createStorage();
    await using queue = front(await storage.open({ finishedKept: 1 }), storage);
    await queue.add([{ kind: "work", key: "long", payload: long }]);
    expect(statusesOf(await queue.add([{ kind: "work", key: "long", payload: long }]))).toEqual([
      "duplicate",
    ]);
    expect(storage.keys("q/payloads/")).toHaveLength(1);
    const { leases } = await queue.claim(asked);
    const add = [{ kind: "work", key: "child", payload: long }];
    await queue.finish([{ ...leases[0]!, outcome: { kind: "done" }, add }]);
    expect(storage.keys("q/payloads/")).toHaveLength(2);
    await queue.sweep();
    expect(await queue.purge({ states: ["done"] })).toBe(1);
    expect(storage.keys("q/payloads/")).toHaveLength(1);
    expect((await queue.claim(asked)).leases[0]!.payload).toEqual(long);
  });

  test("one that is gone is said to be so", async () => {
    const storage = createStorage();
    await using queue = front(await storage.open(), storage);
    await queue.add([{ kind: "work", key: "long", payload: long }]);
    await storage.bucket.delete(storage.keys("q/payloads/")[0]!);
    await using other = front(await storage.open(), storage);
    await expect(other.claim(asked)).rejects.toMatchObject({ code: "queue_payload_missing" });
  });
});

test("a full shard answers full, and an import continues where it stopped", async () => {
  const storage = createStorage();
  await using queue = front(await storage.open({ liveTasksMax: 50 }), storage);
  const tasks = works("a", 120);
  const open = new Set(tasks.map(({ key }) => key));
  for (let round = 0; round < 10 && open.size > 0; round++) {
    const answers = await queue.add(tasks);
    tasks.forEach(({ key }, index) => {
      const { status } = answers[index]!;
      if (status === "added") open.delete(key);
      else expect(["duplicate", "full"]).toContain(status);
    });
    const { leases } = await queue.claim(asked);
    expect(leases.length).toBeLessThanOrEqual(50);
    await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } })));
  }
  expect(open.size).toBe(0);
  expect((await queue.stats()).states).toMatchObject({ done: 120, pending: 0 });
});
