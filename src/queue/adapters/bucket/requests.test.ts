import { describe, expect, test } from "vitest";
import { sleep, systemClock } from "../../../base/clock.ts";
import { afterTick } from "../../../base/tick.ts";
import { createQueue } from "../../create-queue.ts";
import type { BucketQueueStore } from "./bucket-queue-store.ts";
import { createStorage, type Storage } from "./testing/storage.ts";

/** Counts the requests to the bucket, because a queue on a bucket is paid by the request. */
const works = (prefix: string, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    kind: "work",
    key: `${prefix}${index}`,
    ...more,
  }));
const asked = { worker: "w1", kinds: ["work"], limit: 10 };
const front = (store: BucketQueueStore, storage: Storage) =>
  createQueue({ store, clock: systemClock, random: storage.random });

describe("requests", () => {
  test.each([40, 4_400])("a claim costs one request with %i tasks pending", async (count) => {
    const storage = createStorage();
    await using queue = front(await storage.open(), storage);
    await queue.add(works("a", count));
    storage.requests();
    expect((await queue.claim(asked)).leases).toHaveLength(10);
    expect(storage.requests()).toBe(1);
  });

  test("a claim of a node that was not the last to write costs three", async () => {
    const storage = createStorage();
    await using one = front(await storage.open(), storage);
    await using other = front(await storage.open(), storage);
    await one.add(works("a", 4_400));
    await other.claim(asked);
    storage.requests();
    expect((await one.claim(asked)).leases).toHaveLength(10);
    expect(storage.requests()).toBe(3); // refused, read, written
  });

  test("what comes while a write is under way goes into the next", async () => {
    const storage = createStorage();
    await using queue = front(await storage.open(), storage);
    await queue.add(works("a", 100));
    const { leases } = await queue.claim({ ...asked, limit: 100 });
    storage.requests();
    const outcome = { kind: "done" } as const;
    const finish = (some: typeof leases) =>
      Promise.all(some.map((lease) => queue.finish([{ ...lease, outcome }])));
    const first = finish(leases.slice(0, 1));
    await new Promise<void>(afterTick);
    const answers = await Promise.all([first, finish(leases.slice(1))]);
    expect(answers.flat(2)).toEqual(leases.map(() => ({ status: "done" })));
    expect(storage.requests()).toBe(2);
  });

  test("finishes, adds and the next claim are one write", async () => {
    const storage = createStorage();
    await using queue = front(await storage.open(), storage);
    await queue.add(works("a", 20));
    const { leases } = await queue.claim(asked);
    storage.requests();
    const finishes = leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const }));
    await Promise.all([queue.finish(finishes), queue.add(works("b", 5)), queue.claim(asked)]);
    expect(storage.requests()).toBe(1);
  });

  test("an empty claim asks once and writes nothing", async () => {
    const storage = createStorage();
    await using queue = front(await storage.open(), storage);
    await queue.add(works("a", 1, { dueAtMs: 2_000_000_000_000 }));
    storage.requests();
    const before = storage.meter.usage().putIfMatch.requests;
    expect((await queue.claim(asked)).leases).toEqual([]);
    expect(storage.requests()).toBe(1);
    expect(storage.meter.usage().putIfMatch.requests).toBe(before);
  });

  test("2,000 tasks through four nodes cost less than a tenth of a request each", async () => {
    const storage = createStorage();
    const queues = [];
    for (let node = 0; node < 4; node++) queues.push(front(await storage.open(), storage));
    storage.requests();
    const total = 2_000;
    for (let from = 0; from < total; from += 1_000) await queues[0]!.add(works(`${from}-`, 1_000));
    let finished = 0;
    await Promise.all(
      queues.map(async (queue, node) => {
        for (;;) {
          const { leases } = await queue.claim({ ...asked, worker: `w${node}`, limit: 100 });
          if (leases.length === 0) return;
          await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } })));
          finished += leases.length;
        }
      }),
    );
    expect(finished).toBe(total);
    expect(storage.requests() / total).toBeLessThan(0.1);
    for (const queue of queues) await queue[Symbol.asyncDispose]();
  });
});

describe("the requests of a job", () => {
  const job = { job: "j" };
  const payload = "x".repeat(2_000);

  test("A8: the requests of commits are charged to the jobs, all of them and once", async () => {
    const storage = createStorage();
    const queues = [];
    for (let node = 0; node < 3; node++) {
      const { random } = storage;
      queues.push(front(await storage.open({ finishedKept: 20, random }), storage));
    }
    storage.requests();
    await queues[0]!.add([...works("a", 150, job), ...works("b", 20, { ...job, payload })]);
    let finished = 0;
    await Promise.all(
      queues.map(async (queue, node) => {
        for (;;) {
          const { leases } = await queue.claim({ ...asked, worker: `w${node}` });
          if (leases.length === 0) return;
          await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } })));
          finished += leases.length;
        }
      }),
    );
    expect(finished).toBe(170);
    // What is charged last is charged with the next commit, so there is one by each node.
    for (const [node, queue] of queues.entries()) await queue.add(works(`end${node}`, 1, job));
    const sent = storage.requests();
    const { commitRequests = 0 } = (await queues[0]!.job("j"))!;
    expect(commitRequests).toBeGreaterThan(40); // 20 long payloads are 40 requests
    // Empty claims, one for each node, belong to no job; logs that are removed at the end are late.
    expect(sent - commitRequests).toBeGreaterThanOrEqual(0);
    expect(sent - commitRequests).toBeLessThanOrEqual(0.1 * sent);
    for (const queue of queues) await queue[Symbol.asyncDispose]();
  });

  test("a commit is shared by the jobs that it changes; looking costs no job anything", async () => {
    const storage = createStorage();
    await using queue = front(await storage.open(), storage);
    storage.requests();
    await Promise.all([
      queue.add(works("a", 5, { job: "one" })),
      queue.add(works("b", 1, { job: "other" })),
      queue.add(works("c", 1, { job: "third" })),
    ]);
    const sent = storage.requests();
    const cost = async (name: string) => (await queue.job(name))?.commitRequests;
    const [one, other, third] = [await cost("one"), await cost("other"), await cost("third")];
    expect(3 * one!).toBeCloseTo(sent, 2);
    expect([other, third]).toEqual([one, one]);
    await queue.stats();
    await queue.claim({ ...asked, kinds: ["nothing"] });
    await queue.add(works("d", 1, { job: "one" }));
    expect(await cost("one")).toBeCloseTo(one! + 1, 3);
    expect(await cost("other")).toBe(other);
  });
});

describe("idle", () => {
  test("looks with conditional reads alone, ever more rarely, and lists and writes nothing", async () => {
    const storage = createStorage();
    await using store = await storage.open({ idlePollMsMax: 100 });
    const stop = store.watch(() => {});
    await sleep(systemClock, 300);
    storage.requests();
    const before = storage.meter.usage();
    await sleep(systemClock, 500);
    const after = storage.meter.usage();
    stop();
    expect(after.get.requests - before.get.requests).toBeGreaterThanOrEqual(3);
    expect(after.get.requests - before.get.requests).toBeLessThanOrEqual(9);
    expect(after.get.bytesReceived).toBe(before.get.bytesReceived);
    expect(storage.requests()).toBe(after.get.requests - before.get.requests);
  });

  test("without listeners no requests are made", async () => {
    const storage = createStorage();
    await using _store = await storage.open({ idlePollMsMax: 10 });
    storage.requests();
    await sleep(systemClock, 100);
    expect(storage.requests()).toBe(0);
  });

  test("notices what another node adds within the longest pause", async () => {
    const storage = createStorage();
    await using store = await storage.open({ idlePollMsMax: 50 });
    await using other = front(await storage.open(), storage);
    const heard = new Promise<void>((resolve) => store.watch(() => resolve()));
    await other.add(works("a", 1));
    await heard;
    expect(await store.wakeInMs(["work"])).toBe(0);
  });

  test.each([1, 4])("a hint makes it look at once (%i shards)", async (shards) => {
    const storage = createStorage();
    await using store = await storage.open({ shards, idlePollMsMax: 600_000 });
    await using other = front(await storage.open(), storage);
    await store.wakeInMs(["work"]);
    const heard = new Promise<void>((resolve) => store.watch(() => resolve()));
    await other.add(works("a", 1));
    store.hint();
    await heard;
    expect(await store.wakeInMs(["work"])).toBe(0);
  });

  test("with many shards one wake-up is enough to notice work in any of them", async () => {
    const storage = createStorage();
    await using store = await storage.open({ shards: 16, idlePollMsMax: 50 });
    await using other = front(await storage.open(), storage);
    await store.wakeInMs(["work"]);
    let looks = 0;
    const before = storage.meter.usage().get.requests;
    const heard = new Promise<void>((resolve) => store.watch(() => resolve()));
    await other.add(works("a", 1));
    await heard;
    looks = storage.meter.usage().get.requests - before;
    expect(looks).toBeLessThan(40);
    expect(await store.wakeInMs(["work"])).toBe(0);
  });
});
