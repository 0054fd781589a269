import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../base/clock.ts";
import { createQueue } from "../../../create-queue.ts";
import type { Gate } from "../../../gate.ts";
import type { Job } from "../../../job.ts";
import type { ClaimRecord } from "../../../model/shard.ts";
import type { Queue } from "../../../queue.ts";
import type { CounterDrift } from "../../../queue-store.ts";
import { expectExactCounters } from "../../../testing/suite-recount.ts";
import type { ArchivedLane } from "../head/head.ts";
import { createStorage, type Storage } from "../testing/storage.ts";

/** What the first line of a shard's object holds, as far as it is changed here. */
interface Header {
  gates: Gate[];
  jobs: Job[];
  claims: [number, ClaimRecord][];
  archived: ArchivedLane[];
}
type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/** Changes an object behind the store's back. */
function plant(storage: Storage, change: (header: Header) => void): void {
  const key = "q/shards/0.json.gz";
  const object = storage.objects.get(key)!;
  const [first, ...tasks] = gunzipSync(object.body).toString().split("\n");
  const opening = ',"tasks":[';
  const header = JSON.parse(`${first!.slice(0, -opening.length)}}`) as Header;
  change(header);
  const text = [`${JSON.stringify(header).slice(0, -1)}${opening}`, ...tasks].join("\n");
  storage.objects.set(key, { ...object, body: gzipSync(text), etag: `${object.etag}x` });
}
const of = <T extends { readonly name: string }>(all: readonly T[], name: string) =>
  all.find((one) => one.name === name) as Mutable<T>;

const leaseMs = 86_400_000;

/**
 * A run of two behind "g", one of three running in job "j", four done tasks, some of them in a log.
 */
async function fill() {
  const storage = createStorage();
  const store = await storage.open({ finishedKept: 2 });
  const queue = createQueue({ store, clock: systemClock, random: storage.random });
  await queue.openJob("j", { concurrency: 20 });
  await queue.setGate("g", { delayMs: 1_000, limit: 1 });
  const add = (kind: string, count: number, more: object = {}) =>
    queue.add(Array.from({ length: count }, (_, at) => ({ kind, key: `${kind}${at}`, ...more })));
  await add("past", 4, { job: "j" });
  for (const lease of await claim(queue, "past", 4)) {
    await queue.finish([{ ...lease, outcome: { kind: "done" } }]);
  }
  await add("run", 2, { job: "j", gate: "g" });
  await add("plain", 3, { job: "j" });
  await claim(queue, "run", 1);
  await claim(queue, "plain", 1);
  expect(await store.reconcile({ repair: false })).toMatchObject({ drift: [], orphans: 0 });
  return { storage, store, queue };
}
const claim = async (queue: Queue, kind: string, limit: number) =>
  (await queue.claim({ worker: `w-${kind}`, kinds: [kind], limit, burst: 2, leaseMs })).leases;

/** All that is left can be claimed and finished, once. */
async function drain(storage: Storage, queue: Queue): Promise<void> {
  const kinds = ["run", "plain"];
  for (let turn = 0; turn < 20; turn++) {
    storage.pass(2 * leaseMs);
    await queue.sweep();
    const { leases } = await queue.claim({ worker: `d${turn}`, kinds, limit: 9 });
    const outcome = { kind: "done" } as const;
    await queue.finish(leases.map((lease) => ({ ...lease, outcome, sinceStartMs: 0 })));
    const { pending, running } = (await queue.stats()).states;
    if (pending + running === 0) return;
  }
  throw new Error("some tasks cannot be had");
}

const planted: readonly (readonly [(header: Header) => void, CounterDrift])[] = [
  [
    ({ gates }) => void (of(gates, "g").running = 5),
    { counter: "gate g running", counted: 5, actual: 2 },
  ],
  [
    ({ gates }) => void gates.push({ ...of(gates, "g"), name: "idle", running: 0, runSlots: 3 }),
    { counter: "gate idle runSlots", counted: 3, actual: 0 },
  ],
  [
    ({ jobs }) => void (of(jobs, "j").pending = 0),
    { counter: "job j pending", counted: 0, actual: 2 },
  ],
  [
    ({ jobs }) => void (of(jobs, "j").running += 2),
    { counter: "job j running", counted: 5, actual: 3 },
  ],
  [
    ({ jobs }) => void (of(jobs, "j").slots = 20),
    { counter: "job j slots", counted: 20, actual: 2 },
  ],
];

describe("a counter that is wrong in the object", () => {
  test.each(planted)("is reported, repaired and then right: %#", async (change, drift) => {
    const { storage, store, queue } = await fill();
    plant(storage, change);
    const before = storage.objects.get("q/shards/0.json.gz")!.etag;
    expect(await queue.reconcile()).toEqual({ drift: [drift], orphans: 0, repaired: false });
    expect(storage.objects.get("q/shards/0.json.gz")!.etag).toBe(before);
    const repaired = await queue.reconcile({ repair: true });
    expect(repaired).toEqual({ drift: [drift], orphans: 0, repaired: true });
    await expectExactCounters(store);
    await drain(storage, queue);
    expect((await queue.stats()).states).toMatchObject({ done: 9 });
    await queue[Symbol.asyncDispose]();
  });

  test("of a claim, so that its worker does not count it as in flight for ever", async () => {
    const { storage, store, queue } = await fill();
    let token = 0;
    plant(storage, ({ claims }) => {
      const [first] = claims.at(-1)!;
      token = first;
      (claims.at(-1)![1] as Mutable<ClaimRecord>).open = 4;
    });
    const drift = [{ counter: `claim ${token} open`, counted: 4, actual: 1 }];
    expect(await queue.reconcile({ repair: true })).toMatchObject({ drift, repaired: true });
    await expectExactCounters(store);
    await queue[Symbol.asyncDispose]();
  });

  test("of what is in logs is counted again from them", async () => {
    const { storage, store, queue } = await fill();
    let counted = 0;
    plant(storage, ({ archived }) => {
      counted = archived[0]!.done;
      (archived[0] as Mutable<ArchivedLane>).done += 7;
    });
    expect(counted).toBeGreaterThan(0);
    const drift = [{ counter: "archived past/j/ done", counted: counted + 7, actual: counted }];
    expect(await queue.reconcile({ repair: true })).toMatchObject({ drift, repaired: true });
    await expectExactCounters(store);
    expect((await queue.stats()).states).toMatchObject({ done: 4 });
    await queue[Symbol.asyncDispose]();
  });

  test("beside others, in one of several shards", async () => {
    const storage = createStorage();
    const store = await storage.open({ shards: 4 });
    const queue = createQueue({ store, clock: systemClock, random: storage.random });
    await queue.add(Array.from({ length: 20 }, (_, at) => ({ kind: "plain", key: `k${at}` })));
    plant(storage, ({ jobs }) => void (of(jobs, "default").pending += 3));
    const { drift } = await queue.reconcile({ repair: true });
    expect(drift).toMatchObject([{ counter: "shard 0: job default pending" }]);
    expect(await queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
    await drain(storage, queue);
    await queue[Symbol.asyncDispose]();
  });
});

describe("orphans in the object", () => {
  test.each([
    ["without their job", (header: Header) => void (header.jobs = []), 9],
    ["without their gate", (header: Header) => void (header.gates = []), 2],
    ["without their claim", (header: Header) => void (header.claims = []), 3],
  ])("%s are found, get it back, and can be had", async (_, change, orphans) => {
    const { storage, queue } = await fill();
    plant(storage, change);
    const found = (await queue.reconcile()).orphans;
    expect(found).toBeGreaterThan(0);
    expect(found).toBeLessThanOrEqual(orphans);
    expect(await queue.reconcile({ repair: true })).toMatchObject({ repaired: true });
    expect(await queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
    await drain(storage, queue);
    expect((await queue.stats()).states).toMatchObject({ done: 9 });
    await queue[Symbol.asyncDispose]();
  });

  test("that wait in a completed job are skipped, and say why", async () => {
    const { storage, queue } = await fill();
    plant(storage, ({ jobs }) => void (of(jobs, "j").ended = "completed"));
    expect(await queue.reconcile({ repair: true })).toMatchObject({ orphans: 5, repaired: true });
    expect(await queue.reconcile()).toEqual({ drift: [], orphans: 0, repaired: false });
    const skipped = await queue.browse({ states: ["skipped"] });
    expect(skipped).toHaveLength(5);
    expect(skipped[0]!.attempts.at(-1)).toMatchObject({
      reason: "an orphan: its job had completed",
    });
    await queue[Symbol.asyncDispose]();
  });
});
