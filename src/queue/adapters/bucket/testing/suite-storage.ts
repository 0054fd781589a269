import { systemClock } from "../../../../base/clock.ts";
import { createId } from "../../../../base/ids.ts";
import { createSeededRandom, systemRandom } from "../../../../base/random.ts";
import { unanswered, unknownOutcome, type Bucket } from "../../../../bucket/index.ts";
import type { OpenStore } from "../../../testing/suite-fixture.ts";
import { openBucketQueueStore, type BucketQueueStoreOptions } from "../bucket-queue-store.ts";

/** A bucket that a test can make unreachable. */
export function createCuttable(bucket: Bucket): {
  bucket: Bucket;
  setCut: (isCut: boolean) => void;
} {
  let isCut = false;
  const read = <T>(send: () => Promise<T>): Promise<T> =>
    isCut ? Promise.reject(unanswered("a read", "no route to host")) : send();
  const write = <T>(send: () => Promise<T>): Promise<T> =>
    isCut ? Promise.reject(unknownOutcome("an object", "no route to host")) : send();
  return {
    setCut: (value) => void (isCut = value),
    bucket: {
      ...bucket,
      get: (key, more) => read(() => bucket.get(key, more)),
      list: (prefix, more) => read(() => bucket.list(prefix, more)),
      now: () => read(() => bucket.now()),
      put: (key, body) => write(() => bucket.put(key, body)),
      putIfAbsent: (key, body) => write(() => bucket.putIfAbsent(key, body)),
      putIfMatch: (key, body, etag) => write(() => bucket.putIfMatch(key, body, etag)),
      delete: (key) => write(() => bucket.delete(key)),
    },
  };
}

export type SuiteQueueOptions = Pick<BucketQueueStoreOptions, "shards" | "finishedKept">;

/**
 * Queues for the conformance suite, each under its own prefix in one bucket, which is probed once.
 * Timers are real and short; the store's clock is the suite's.
 */
export function suiteStorage(bucket: Bucket, more: SuiteQueueOptions = {}): OpenStore {
  return async ({ now }) => {
    const link = createCuttable(bucket);
    let opened = 0;
    const prefix = `q-${createId(systemRandom, 10)}`;
    const open = (at: string) =>
      openBucketQueueStore({
        bucket: link.bucket,
        prefix: at,
        probe: "daily",
        clock: systemClock,
        // Seeded, so that a clause about order fails always or never.
        random: createSeededRandom(++opened),
        session: createId(systemRandom),
        now,
        giveUpMs: 300,
        idlePollMsMax: 20,
        ...more,
      });
    return {
      store: await open(prefix),
      openAnother: () => open(prefix),
      backUp: async () => {
        const copy = `q-${createId(systemRandom, 10)}`;
        for (const { key } of await bucket.list(`${prefix}/`)) {
          const got = await bucket.get(key);
          if (got.status === "found") {
            await bucket.put(copy + key.slice(prefix.length), got.body);
          }
        }
        return { restore: () => open(copy) };
      },
      cutOff: async () => {
        link.setCut(true);
        return { reconnect: async () => link.setCut(false) };
      },
    };
  };
}
