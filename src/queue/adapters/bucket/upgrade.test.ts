// inputs: src/queue/** src/base/** src/bucket/**
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Bucket } from "../../../bucket/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { upgradeUnfinishedCode } from "../../queue-store.ts";
import { createStorage, type Storage } from "./testing/storage.ts";
import { systemClock } from "../../../base/clock.ts";
import { createQueue } from "../../create-queue.ts";
import type { BucketQueueStore } from "./bucket-queue-store.ts";

const front = (store: BucketQueueStore, storage: Storage) =>
  createQueue({ store, clock: systemClock, random: storage.random });
const works = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({ kind: "work", key: `${name}${at}` }));

const manifestKey = "q/queue.json";
const readManifest = ({ objects }: Storage) =>
  JSON.parse(Buffer.from(objects.get(manifestKey)!.body).toString()) as Record<string, unknown>;

/** As a queue was that the version before has made. */
async function createEarlier(): Promise<Storage> {
  const storage = createStorage();
  await (await storage.open())[Symbol.asyncDispose]();
  const manifest = { ...readManifest(storage), format: 1 };
  await storage.bucket.put(manifestKey, Buffer.from(`${JSON.stringify(manifest)}\n`));
  return storage;
}

const shardFormat = ({ objects }: Storage) =>
  Number(/"format":(\d)/.exec(gunzipSync(objects.get("q/shards/0.json.gz")!.body).toString())?.[1]);

describe("E11: a queue of the version before", () => {
  test("stays readable for it until the upgrade is finished, and nothing moves into the log", async () => {
    const storage = await createEarlier();
    await using store = await storage.open();
    await using queue = front(store, storage);
    await queue.add(works("a", 2));
    const { leases } = await queue.claim({ worker: "w", kinds: ["work"], limit: 2 });
    await queue.finish(leases.map((lease) => ({ ...lease, outcome: { kind: "done" } as const })));
    expect(await queue.format()).toEqual({ format: 2, readableBy: 1 });
    for (const change of [queue.archive({ states: ["done"] }), queue.purge({ states: ["done"] })]) {
      await expect(change).rejects.toMatchObject({
        code: upgradeUnfinishedCode,
        message: expect.stringContaining("forager fleet finish-upgrade"),
      });
    }
    // What was asked for in the same commit is done.
    const filter = { states: ["done"] as const };
    const purge = { op: "purge", filter, rowsMax: 10, keepKeys: true } as const;
    const answers = await store.commit([{ op: "sweep" }, purge, { op: "sweep" }]);
    expect(answers.map((one) => one instanceof AppError)).toEqual([false, true, false]);
    expect(shardFormat(storage)).toBe(1);
    expect((await queue.stats()).states).toMatchObject({ done: 2 });
    expect(await queue.logStats()).toMatchObject({ entries: 0, waitsForUpgrade: true });

    await using other = front(await storage.open(), storage);
    expect(await other.finishUpgrade()).toEqual({ format: 2, readableBy: 2 });
    expect(readManifest(storage)["format"]).toBe(2);
    // It was open before, and sees it.
    expect(await queue.archive({ states: ["done"] })).toBe(2);
    expect(shardFormat(storage)).toBe(2);
    expect(await queue.logStats()).toEqual({
      entries: 2,
      oldestAtMs: expect.any(Number),
      keptKeys: 2,
    });
  });

  test("is finished once, by several at the same time, also if an answer is lost", async () => {
    const storage = await createEarlier();
    let isLost = false;
    const bucket: Bucket = {
      ...storage.bucket,
      async putIfMatch(key, body, etag) {
        const answer = await storage.bucket.putIfMatch(key, body, etag);
        if (key !== manifestKey || isLost) return answer;
        isLost = true;
        throw new AppError("unavailable", "bucket_unavailable", "the answer is lost");
      },
    };
    const stores = [await storage.open({ bucket }), await storage.open()];
    const finished = await Promise.all(stores.map((store) => store.finishUpgrade()));
    expect(finished).toEqual(stores.map(() => ({ format: 2, readableBy: 2 })));
    expect(isLost).toBe(true);
    const etag = storage.objects.get(manifestKey)!.etag;
    await stores[0]!.finishUpgrade();
    expect(storage.objects.get(manifestKey)!.etag).toBe(etag);
    for (const store of stores) await store[Symbol.asyncDispose]();
  });
});
