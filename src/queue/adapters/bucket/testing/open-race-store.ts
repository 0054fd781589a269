import type { Clock } from "../../../../base/clock.ts";
import { createId } from "../../../../base/ids.ts";
import { systemRandom } from "../../../../base/random.ts";
import { openDirectoryBucket } from "../../../../bucket/adapters/directory/directory-bucket.ts";
import type { QueueStore } from "../../../queue-store.ts";
import { openBucketQueueStore } from "../bucket-queue-store.ts";

export interface RaceStoreOptions {
  readonly root: string;
  readonly shards?: number;
  readonly clock: Clock;
}

/** Opens the queue in each of the racing processes. */
export async function openRaceStore({
  root,
  clock,
  shards,
}: RaceStoreOptions): Promise<QueueStore> {
  const bucket = openDirectoryBucket({ root, clock, random: systemRandom });
  const store = await openBucketQueueStore({
    bucket,
    ...(shards !== undefined && { shards }),
    session: createId(systemRandom),
    clock,
    random: systemRandom,
    probe: "daily",
    finishedKept: 50,
    idlePollMsMax: 100,
  });
  return {
    ...store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await bucket[Symbol.asyncDispose]();
    },
  };
}
