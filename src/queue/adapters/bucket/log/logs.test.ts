import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../base/clock.ts";
import { unanswered, unknownOutcome, type Bucket } from "../../../../bucket/index.ts";
import { createQueue } from "../../../create-queue.ts";
import type { Queue } from "../../../queue.ts";
import type { BucketQueueStore } from "../bucket-queue-store.ts";
import type { DoneEntry } from "./done-entry.ts";
import { readDoneLog, writeDoneLog } from "./done-log.ts";
import { createStorage, type Storage } from "../testing/storage.ts";
import { statusesOf } from "../../../testing/suite-fixture.ts";

const works = (prefix: string, count: number, more: object = {}) =>
  Array.from({ length: count }, (_, index) => ({
    kind: "work",
    key: `${prefix}${index}`,
    ...more,
  }));
const asked = { worker: "w1", kinds: ["work"], limit: 1_000 };
const front = (store: BucketQueueStore, storage: Storage) =>
  createQueue({ store, clock: systemClock, random: storage.random });

async function finishAll(queue: Queue, outcome: object = { kind: "done" }) {
  const { leases } = await queue.claim(asked);
  await queue.finish(leases.map((lease) => ({ ...lease, outcome: outcome as { kind: "done" } })));
  return leases;
}
async function entries(store: BucketQueueStore): Promise<readonly DoneEntry[]> {
  const all: DoneEntry[] = [];
  for await (const entry of store.doneLog()) all.push(entry);
  return all;
}
/** Logs of finished tasks; files of purged ones are beside them. */
const logKeys = (storage: Storage) =>
  storage.keys("q/done/").filter((key) => /\/\d[^/]*$/.test(key));

async function setUp(more: { finishedKept?: number } = { finishedKept: 4 }) {
  const storage = createStorage();
  const store = await storage.open(more);
  return { storage, store, queue: front(store, storage) };
}

describe("logs of finished tasks", () => {
  test("a finish is in the head first; a later write moves it, and nothing is lost or twice", async () => {
    const { storage, store, queue } = await setUp();
    for (let round = 0; round < 10; round++) {
      await queue.add(works(`r${round}-`, 5));
      await finishAll(queue);
      const found = await entries(store);
      expect(found).toHaveLength(5 * (round + 1));
      expect(new Set(found.map(({ task }) => task.id)).size).toBe(found.length);
    }
    expect(logKeys(storage).length).toBeGreaterThan(0);
    expect((await queue.stats()).states).toMatchObject({ done: 50, pending: 0 });
    expect(storage.events.some(({ event }) => event === "archived")).toBe(true);
    await queue[Symbol.asyncDispose]();
  });

  test("small logs go into larger ones: their number grows with the logarithm", async () => {
    const { storage, queue } = await setUp({ finishedKept: 1 });
    for (let round = 0; round < 60; round++) {
      await queue.add(works(`r${round}-`, 2));
      await finishAll(queue);
    }
    expect(logKeys(storage).length).toBeLessThanOrEqual(16);
    await queue[Symbol.asyncDispose]();
  });

  test("a key in a log is remembered, also by an opener that has never seen it", async () => {
    const { storage, queue } = await setUp({ finishedKept: 1 });
    await queue.add(works("a", 3));
    const leases = await finishAll(queue);
    await queue.sweep();
    await queue.add(works("b", 1));
    expect(logKeys(storage)).toHaveLength(1);
    await using other = front(await storage.open(), storage);
    expect(statusesOf(await other.add(works("a", 4)))).toEqual([
      "duplicate",
      "duplicate",
      "duplicate",
      "added",
    ]);
    const again = { ...leases[0]!, outcome: { kind: "done" } as const };
    expect(await other.finish([again])).toEqual([{ status: "done" }]);
    expect(await other.finish([{ ...again, token: again.token - 1 }])).toEqual([
      { status: "lost" },
    ]);
    expect((await other.show(leases[0]!.id))?.task).toMatchObject({ state: "done" });
    await queue[Symbol.asyncDispose]();
  });

  test("a purge takes tasks out of their logs and frees their keys; the rest stays", async () => {
    const { storage, store, queue } = await setUp({ finishedKept: 1 });
    await queue.add([...works("a", 3), ...works("keep", 2, { job: "j" })]);
    await finishAll(queue);
    await queue.add(works("b", 1));
    expect(await queue.purge({ states: ["done"], job: "default" })).toBe(3);
    expect((await entries(store)).map(({ task }) => task.key).sort()).toEqual(["keep0", "keep1"]);
    expect(statusesOf(await queue.add(works("a", 1)))).toEqual(["added"]);
    expect(await queue.purge({ states: ["done"] })).toBe(2);
    expect(logKeys(storage)).toEqual([]);
    expect(await queue.reconcile()).toMatchObject({ drift: [], orphans: 0 });
    await queue[Symbol.asyncDispose]();
  });

  test("a retry brings a task back out of its log", async () => {
    const { store, queue } = await setUp({ finishedKept: 1 });
    await queue.add(works("a", 3));
    await finishAll(queue, { kind: "fail", reason: "boom" });
    await queue.add(works("b", 1));
    const [one] = await entries(store);
    expect(one!.log).toBeDefined();
    expect(await queue.retry({ ids: [one!.task.id] })).toBe(1);
    expect((await queue.stats()).states).toMatchObject({ pending: 2, failed: 2 });
    expect(await entries(store)).toHaveLength(2);
    await finishAll(queue);
    await queue.sweep();
    const found = (await entries(store)).filter(({ task }) => task.id === one!.task.id);
    expect(found).toHaveLength(1);
    await queue[Symbol.asyncDispose]();
  });

  test("a reader whose log was replaced meanwhile reads the one that replaced it", async () => {
    const { storage, queue } = await setUp({ finishedKept: 1 });
    await queue.add(works("a", 3));
    const leases = await finishAll(queue);
    await queue.add(works("b", 1));
    const other = await storage.open();
    await using reader = front(other, storage);
    await other.wakeInMs(["work"]); // it has seen a head that lists the first log
    await queue.purge({ states: ["done"], ids: [leases[0]!.id] });
    expect(statusesOf(await reader.add(works("a", 3)))).toEqual([
      "added",
      "duplicate",
      "duplicate",
    ]);
    await queue[Symbol.asyncDispose]();
  });

  test("two nodes that write a log at the same time list each task once", async () => {
    const storage = createStorage();
    const stores = [
      await storage.open({ finishedKept: 3 }),
      await storage.open({ finishedKept: 3 }),
    ];
    const queues = stores.map((store) => front(store, storage));
    for (let round = 0; round < 15; round++) {
      await Promise.all(queues.map((queue, node) => queue.add(works(`${round}-${node}-`, 4))));
      await Promise.all(
        queues.map(async (queue, node) => {
          const { leases } = await queue.claim({ ...asked, worker: `w${node}`, limit: 4 });
          const done = { kind: "done" } as const;
          await queue.finish(leases.map((lease) => ({ ...lease, outcome: done })));
        }),
      );
    }
    const found = await entries(stores[0]!);
    for (const queue of queues) await queue[Symbol.asyncDispose]();
    expect(new Set(found.map(({ task }) => task.id)).size).toBe(found.length);
    expect(found).toHaveLength(120);
    const listed = new Set(found.map(({ log }) => log).filter((log) => log !== undefined));
    expect(logKeys(storage).map((key) => key.split("/").at(-1))).toEqual([...listed].sort());
  });

  test("what a write without an answer may have listed is left alone at the end", async () => {
    const storage = createStorage();
    let isLost = false;
    const bucket: Bucket = {
      ...storage.bucket,
      get: (key, more) =>
        isLost ? Promise.reject(unanswered(key, "reset")) : storage.bucket.get(key, more),
      async putIfMatch(key, body, etag) {
        const answer = await storage.bucket.putIfMatch(key, body, etag);
        if (isLost) throw unknownOutcome(key, "reset");
        return answer;
      },
    };
    const store = await storage.open({ bucket, finishedKept: 1, giveUpMs: 50 });
    const queue = front(store, storage);
    await queue.add(works("a", 5));
    await finishAll(queue);
    isLost = true;
    await expect(queue.sweep()).rejects.toMatchObject({ kind: "unavailable" });
    await queue[Symbol.asyncDispose]();
    const other = await storage.open();
    const found = await entries(other);
    expect(found.map(({ task }) => task.key)).toEqual(["a0", "a1", "a2", "a3", "a4"]);
    expect(found[0]!.log).toBeDefined();
    await other[Symbol.asyncDispose]();
  });

  test("a task survives its log whatever characters it holds", async () => {
    const { store, queue } = await setUp({ finishedKept: 1 });
    const text = 'a\u001fb\u001ec\u001bd\ne\r"ü\u0000';
    await queue.add([{ kind: "work", key: "ü|\\", payload: { text } }, ...works("a", 1)]);
    const [lease] = (await queue.claim({ ...asked, limit: 1 })).leases;
    const reason = "because\u001e\u001f\u001b";
    await queue.finish([{ ...lease!, outcome: { kind: "fail", reason } }]);
    await finishAll(queue);
    await queue.add(works("b", 1));
    const [entry] = await entries(store);
    expect(entry).toMatchObject({ task: { key: "ü|\\", attempts: [{ reason }] } });
    expect(entry!.log).toBeDefined();
    expect(JSON.parse(entry!.task.payload)).toEqual({ text });
    await queue[Symbol.asyncDispose]();
  });
});

test("a log that is damaged or newer is said to be so", () => {
  const body = Buffer.from(writeDoneLog([])).toString();
  expect(readDoneLog(Buffer.from(body), "k")).toEqual([]);
  const read = (text: string) => () => readDoneLog(Buffer.from(text), "k");
  expect(read("hello")).toThrow(/k is not a log/);
  expect(read(`${body}1\u001f2`)).toThrow(/k is not a log/); // cut in the middle of a task
  expect(read(body.replace("log\u001f1", "log\u001f2"))).toThrow(/newer version/);
  expect(read(body.replace("token", "tokin"))).toThrow(/k is not a log/);
});
