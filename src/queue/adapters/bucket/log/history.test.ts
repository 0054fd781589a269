import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../base/clock.ts";
import { createQueue } from "../../../create-queue.ts";
import type { Queue } from "../../../queue.ts";
import { createStorage, type Storage } from "../testing/storage.ts";
import { statusesOf } from "../../../testing/suite-fixture.ts";

const all = { states: ["done", "skipped", "failed"] } as const;
const works = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ kind: "work", key: `${prefix}${index}` }));

async function setUp() {
  const storage = createStorage();
  const open = async () =>
    createQueue({ store: await storage.open(), clock: systemClock, random: storage.random });
  return { storage, open, queue: await open() };
}

/** Adds, finishes and archives this many tasks in one round. */
async function archiveSome(queue: Queue, storage: Storage, prefix: string, count: number) {
  await queue.add(works(prefix, count));
  const { leases } = await queue.claim({ worker: "w1", kinds: ["work"], limit: 1_000 });
  await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const })));
  storage.pass(1_000);
  expect(await queue.archive(all)).toBe(count);
}

const files = (storage: Storage, prefix: "log" | "keys") =>
  storage.keys(`q/done/0/${prefix}-`).map((key) => key.slice("q/done/0/".length));
const headOf = (storage: Storage) => {
  const text = gunzipSync(storage.objects.get("q/shards/0.json.gz")!.body).toString();
  return JSON.parse(text) as {
    readonly format: number;
    readonly log?: readonly { readonly name: string; readonly tasks: number }[];
    readonly keptKeys?: readonly { readonly name: string; readonly tasks: number }[];
  };
};

describe("the log of purged tasks in a bucket", () => {
  test("small files become larger ones, and what no head lists is removed", async () => {
    const { storage, queue } = await setUp();
    for (let round = 0; round < 40; round++) await archiveSome(queue, storage, `r${round}-`, 3);
    await queue[Symbol.asyncDispose]();
    const { log = [], keptKeys = [] } = headOf(storage);
    expect(log.length).toBeLessThanOrEqual(12);
    expect(log.reduce((sum, { tasks }) => sum + tasks, 0)).toBe(120);
    expect(files(storage, "log")).toEqual(log.map(({ name }) => name).sort());
    expect(files(storage, "keys")).toEqual(keptKeys.map(({ name }) => name).sort());
  });

  test("an add of known files costs no request more, and finds every reserved key", async () => {
    const { storage, open, queue } = await setUp();
    for (let round = 0; round < 5; round++) await archiveSome(queue, storage, `r${round}-`, 20);
    await queue[Symbol.asyncDispose]();
    await using other = await open();
    expect(statusesOf(await other.add(works("r0-", 20)))).toEqual(
      works("r0-", 20).map(() => "duplicate"),
    );
    storage.requests();
    expect(statusesOf(await other.add(works("new-", 1)))).toEqual(["added"]);
    expect(storage.requests()).toBe(1);
    for (let round = 0; round < 5; round++) {
      const answers = await other.add(works(`r${round}-`, 21));
      expect(statusesOf(answers)).toEqual([...works("", 20).map(() => "duplicate"), "added"]);
    }
  });

  test("freeing keys and pruning rewrite only files that lose something", async () => {
    const { storage, queue } = await setUp();
    await archiveSome(queue, storage, "old-", 3);
    const [oldLog, oldKeys] = [files(storage, "log"), files(storage, "keys")];
    storage.pass(60_000);
    const momentMs = (await queue.now()).ms;
    await archiveSome(queue, storage, "new-", 500);
    const newLog = files(storage, "log").filter((name) => !oldLog.includes(name));
    expect(await queue.forgetKeys({ ...all, finishedBeforeMs: momentMs })).toBe(3);
    expect(await queue.pruneLog(momentMs)).toBe(3);
    await queue[Symbol.asyncDispose]();
    expect(files(storage, "log")).toEqual(newLog);
    expect(files(storage, "keys")).toHaveLength(1);
    expect(files(storage, "keys")).not.toEqual(oldKeys);
  });

  test("a shard is of format 1 until something was purged from it", async () => {
    const { storage, queue } = await setUp();
    await queue.add([{ kind: "other", key: "a" }]);
    expect(headOf(storage).format).toBe(1);
    await archiveSome(queue, storage, "b", 2);
    expect(headOf(storage)).toMatchObject({
      format: 2,
      log: [{ tasks: 2 }],
      keptKeys: [{ tasks: 2 }],
    });
    await queue.forgetKeys(all);
    storage.pass(60_000);
    await queue.pruneLog((await queue.now()).ms);
    expect(headOf(storage)).toMatchObject({ format: 1 });
    expect(headOf(storage)).not.toHaveProperty("log");
    await queue[Symbol.asyncDispose]();
  });

  test("a file that is gone is an error that names it, and no key is taken for free", async () => {
    const { storage, open, queue } = await setUp();
    await archiveSome(queue, storage, "a", 1);
    await queue[Symbol.asyncDispose]();
    const [name] = files(storage, "keys");
    storage.objects.delete(`q/done/0/${name}`);
    await using other = await open();
    await expect(other.add(works("a", 1))).rejects.toMatchObject({
      kind: "corrupt",
      code: "queue_log_missing",
      message: expect.stringContaining(name!) as unknown,
    });
  });
});
