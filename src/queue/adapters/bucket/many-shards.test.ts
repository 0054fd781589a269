import { describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { unknownOutcome, type Bucket } from "../../../bucket/index.ts";
import { createQueue } from "../../create-queue.ts";
import type { Queue, TaskInput } from "../../queue.ts";
import { createRouting } from "./many/routing.ts";
import { createStorage, type Storage } from "./testing/storage.ts";
import { statusesOf } from "../../testing/suite-fixture.ts";

const shards = 4;

const routing = createRouting(shards);
const control = { version: 0, jobs: [] };
/** Keys of tasks without a gate that live in the given shard. */
const keysIn = (shard: number, count: number): readonly string[] =>
  Array.from({ length: 200 }, (_, index) => `k${index}`)
    .filter((key) => routing.ofTask({ job: "j", gate: "", key }, control) === shard)
    .slice(0, count);
const gateIn = (shard: number): string =>
  Array.from({ length: 200 }, (_, index) => `g${index}`).find(
    (gate) => routing.ofGate(gate) === shard,
  )!;
const work = (key: string, more: Partial<TaskInput> = {}): TaskInput => ({
  kind: "work",
  key,
  ...more,
});
const asked = { worker: "w1", kinds: ["work"], limit: 100 };

async function open(storage: Storage = createStorage()): Promise<Queue & { storage: Storage }> {
  const store = await storage.open({ shards });
  const queue = createQueue({ store, clock: systemClock, random: storage.random });
  return { ...queue, storage };
}
const allKeys = [0, 1, 2, 3].flatMap((shard) => keysIn(shard, 3));

describe("order is per shard", () => {
  test("inside a shard the highest priority goes first, the oldest among equals", async () => {
    await using queue = await open();
    const [a, b, c] = keysIn(1, 3) as [string, string, string];
    await queue.add([work(a), work(b, { priority: 900 }), work(c)]);
    const { leases } = await queue.claim(asked);
    expect(leases.map(({ key }) => key)).toEqual([b, a, c]);
  });

  test("a claim that gets less than it asked for has left nothing in any shard", async () => {
    await using queue = await open();
    await queue.add(allKeys.map((key) => work(key)));
    const { leases } = await queue.claim(asked);
    expect(leases.map(({ key }) => key).sort()).toEqual([...allKeys].sort());
    expect((await queue.claim(asked)).leases).toEqual([]);
  });

  test("a claim may stop with 64 leases; claiming on gets all there is", async () => {
    await using queue = await open();
    const keys = Array.from({ length: 400 }, (_, index) => `k${index}`);
    await queue.add(keys.map((key) => work(key)));
    const sizes: number[] = [];
    const seen = new Set<string>();
    for (let claims = 0; claims < 10 && seen.size < keys.length; claims++) {
      const { leases } = await queue.claim({ ...asked, limit: 1_000 });
      sizes.push(leases.length);
      for (const { key } of leases) seen.add(key);
    }
    expect(seen.size).toBe(keys.length);
    expect(sizes.slice(0, -1).every((size) => size >= 64)).toBe(true);
  });

  test("tokens of a task rise, and a late one is lost", async () => {
    await using queue = await open();
    await queue.add([work("a")]);
    const [first] = (await queue.claim(asked)).leases;
    await queue.release([first!]);
    const [second] = (await queue.claim(asked)).leases;
    expect(second!.token).toBeGreaterThan(first!.token);
    const outcome = { kind: "done" } as const;
    expect(await queue.finish([{ ...first!, outcome }])).toEqual([{ status: "lost" }]);
    expect(await queue.finish([{ ...second!, outcome }])).toEqual([{ status: "done" }]);
  });

  test("a worker stays with a shard while that has work", async () => {
    await using queue = await open();
    await queue.add(allKeys.map((key) => work(key)));
    const shardsSeen: number[] = [];
    for (let claims = 0; claims < allKeys.length; claims++) {
      const { leases } = await queue.claim({ ...asked, limit: 1 });
      shardsSeen.push(routing.ofId(leases[0]!.id));
      await queue.finish([{ ...leases[0]!, outcome: { kind: "done" } }]);
    }
    const moves = shardsSeen.filter((shard, index) => index > 0 && shard !== shardsSeen[index - 1]);
    expect(moves).toHaveLength(shards - 1);
  });
});

describe("a batch is one per shard", () => {
  test("what is refused in one shard is refused in all, before anything is written", async () => {
    await using queue = await open();
    await queue.openJob("site", { gate: "example.org" });
    const bad = work("bad", { job: "site", gate: "other.org" });
    await expect(queue.add([...allKeys.map((key) => work(key)), bad])).rejects.toMatchObject({
      code: "job_bound_to_gate",
    });
    expect(await queue.browse()).toEqual([]);
  });

  test("what a finish adds to other shards is there before it is done", async () => {
    await using queue = await open();
    await queue.add([work("seed", { job: "j" })]);
    await queue.seal("j");
    const [lease] = (await queue.claim(asked)).leases;
    const add = allKeys.map((key) => work(key, { job: "j" }));
    const answer = await queue.finish([{ ...lease!, outcome: { kind: "done" }, add }]);
    expect(answer).toEqual([{ status: "done" }]);
    expect((await queue.job("j"))!).toMatchObject({ pending: allKeys.length, ended: null });
  });

  test("a cancel and a sweep go through every shard", async () => {
    await using queue = await open();
    await queue.add(allKeys.map((key) => work(key, { job: "j" })));
    expect(await queue.cancel("j")).toBe("ok");
    expect(await queue.sweep()).toMatchObject({ hasMore: false });
    expect((await queue.job("j"))!).toMatchObject({ ended: "cancelled", skipped: allKeys.length });
  });
});

describe("jobs", () => {
  test("a cap or a budget is refused without a gate, and kept with one", async () => {
    await using queue = await open();
    for (const settings of [{ concurrency: 1 }, { budget: 2 }]) {
      await expect(queue.openJob("j", settings)).rejects.toMatchObject({
        kind: "invalid",
        code: "job_needs_one_shard",
      });
    }
    await queue.setGate("example.org", { limit: 5 });
    await queue.openJob("site", { gate: "example.org", concurrency: 2, budget: 3 });
    const added = await queue.add(["a", "b", "c", "d"].map((key) => work(key, { job: "site" })));
    expect(statusesOf(added)).toEqual(["added", "added", "added", "over_budget"]);
    expect((await queue.claim(asked)).leases).toHaveLength(2);
  });

  test("a job cannot be bound once it has tasks elsewhere, nor to a second gate", async () => {
    await using queue = await open();
    await queue.add([work("a", { job: "j" })]);
    await expect(queue.openJob("j", { gate: "g" })).rejects.toMatchObject({
      code: "job_needs_one_shard",
    });
    await queue.openJob("site", { gate: "g" });
    await expect(queue.openJob("site", { gate: "h" })).rejects.toMatchObject({
      code: "job_needs_one_shard",
    });
  });

  test("tasks do not come before their job, whose opening got no answer", async () => {
    const storage = createStorage();
    let isCut = true;
    const putIfAbsent: Bucket["putIfAbsent"] = (key, body) =>
      isCut && key.endsWith("control.json")
        ? Promise.reject(unknownOutcome(key, "no route to host"))
        : storage.bucket.putIfAbsent(key, body);
    const bucket = { ...storage.bucket, putIfAbsent };
    const store = await storage.open({ shards, bucket, giveUpMs: 50 });
    await using queue = createQueue({ store, clock: systemClock, random: storage.random });
    const both = () =>
      Promise.allSettled([
        queue.openJob("site", { gate: gateIn(1), concurrency: 1 }),
        queue.add(keysIn(2, 2).map((key) => work(key, { job: "site" }))),
      ]);
    expect((await both()).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isCut = false;
    expect((await both()).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect((await queue.browse({ job: "site" })).map(({ gate }) => gate)).toEqual(
      Array(2).fill(gateIn(1)),
    );
  });

  test("an opener that does not know a bound job yet still adds to its shard", async () => {
    const storage = createStorage();
    await using one = await open(storage);
    await using other = await open(storage);
    await other.add([work("first")]);
    const gate = gateIn(2);
    await one.openJob("site", { gate, concurrency: 1 });
    await other.add(allKeys.map((key) => work(key, { job: "site" })));
    const tasks = await one.browse({ job: "site" });
    expect(new Set(tasks.map((task) => task.gate))).toEqual(new Set([gate]));
    expect((await one.claim({ ...asked, kinds: ["work"], burst: 1 })).leases.length).toBe(2);
  });

  test("pause and cancel bind every shard, whoever writes there next", async () => {
    const storage = createStorage();
    await using one = await open(storage);
    await using other = await open(storage);
    await one.add(allKeys.map((key) => work(key, { job: "j" })));
    await other.stats(); // it has seen everything before the pause
    expect(await one.pause("j")).toBe("ok");
    expect((await other.claim(asked)).leases).toEqual([]);
    expect(await other.resume("j")).toBe("ok");
    const { leases } = await one.claim({ ...asked, limit: 5 });
    expect(leases).toHaveLength(5);
    expect(await other.cancel("j")).toBe("ok");
    const finishes = leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const }));
    expect(new Set((await one.finish(finishes)).map(({ status }) => status))).toEqual(
      new Set(["lost"]),
    );
  });

  test("a job completes once, when nothing of it is open in any shard", async () => {
    const storage = createStorage();
    await using one = await open(storage);
    await using other = await open(storage);
    await one.add(allKeys.map((key) => work(key, { job: "j" })));
    await one.seal("j");
    const { leases } = await one.claim(asked);
    await Promise.all(
      leases.map(async (lease, index) => {
        const queue = index % 2 === 0 ? one : other;
        expect((await queue.job("j"))!.ended).toBeNull();
        await queue.finish([{ ...lease, outcome: { kind: "done" } }]);
      }),
    );
    expect(await one.job("j")).toMatchObject({ ended: "completed", completions: 1, done: 12 });
    expect(statusesOf(await other.add([work("late", { job: "j" })]))).toEqual(["closed"]);
  });

  test("a retry opens a job again, in all shards", async () => {
    await using queue = await open();
    await queue.add(allKeys.map((key) => work(key, { job: "j" })));
    await queue.seal("j");
    for (const lease of (await queue.claim(asked)).leases) {
      await queue.finish([{ ...lease, outcome: { kind: "fail", reason: "boom" } }]);
    }
    expect(await queue.job("j")).toMatchObject({ ended: "completed" });
    expect(await queue.retry({ job: "j" })).toBe(allKeys.length);
    expect(await queue.job("j")).toMatchObject({ ended: null, pending: allKeys.length });
    for (const lease of (await queue.claim(asked)).leases) {
      await queue.finish([{ ...lease, outcome: { kind: "done" } }]);
    }
    expect(await queue.job("j")).toMatchObject({ ended: "completed", completions: 2 });
    expect(await queue.purge({ states: ["done"] })).toBe(allKeys.length);
    expect(await queue.job("j")).toBeUndefined();
    expect(statusesOf(await queue.add([work("new", { job: "j" })]))).toEqual(["added"]);
  });
});

describe("suspects", () => {
  test("a worker that holds something in one shard gets no suspect of another", async () => {
    const storage = createStorage();
    await using queue = await open(storage);
    const [bad] = keysIn(0, 1);
    const [good] = keysIn(1, 1);
    await queue.add([work(bad!)]);
    await queue.claim({ ...asked, worker: "dead", leaseMs: 1_000 });
    storage.pass(1_000);
    await queue.sweep();
    await queue.add([work(good!, { priority: 1 })]);
    const held = await queue.claim({ ...asked, worker: "busy", kinds: ["work"], limit: 1 });
    // With no task in flight the suspect comes first, and alone.
    expect(held.leases.map(({ key }) => key)).toEqual([bad]);
    expect((await queue.claim({ ...asked, worker: "busy" })).leases).toEqual([]);
    const other = await queue.claim({ ...asked, worker: "other" });
    expect(other.leases.map(({ key }) => key)).toEqual([good]);
    await queue.release([held.leases[0]!]);
    expect(await queue.claim({ ...asked, worker: "other" })).toEqual({
      leases: [],
      hasSuspect: true,
    });
  });
});

test("statistics are the sum of all shards", async () => {
  await using queue = await open();
  await queue.add(allKeys.map((key) => work(key)));
  const { leases } = await queue.claim({ ...asked, limit: 5 });
  await queue.finish([{ ...leases[0]!, outcome: { kind: "done" } }]);
  const { states, shards } = await queue.stats();
  expect(states).toMatchObject({ pending: 7, running: 4, done: 1 });
  const sum = (of: "pending" | "completed" | "claimable") =>
    shards.reduce((total, shard) => total + shard[of], 0);
  expect(shards.map(({ shard }) => shard)).toEqual([0, 1, 2, 3]);
  expect([sum("pending"), sum("claimable"), sum("completed")]).toEqual([7, 7, 1]);
  expect(await queue.reconcile()).toMatchObject({ drift: [], orphans: 0 });
});

test("the number of shards is fixed when a queue is made", async () => {
  const storage = createStorage();
  await using _queue = await open(storage);
  await expect(storage.open({ shards: 2 })).rejects.toMatchObject({ code: "queue_shards_fixed" });
  await using store = await storage.open();
  expect(store.shards).toBe(4);
});
