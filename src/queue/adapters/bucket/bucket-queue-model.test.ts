// long: chaos
import { systemClock } from "../../../base/clock.ts";
import { createId } from "../../../base/ids.ts";
import { systemRandom } from "../../../base/random.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import type { StoreNow } from "../../queue-store.ts";
import {
  modelComparison,
  parseReplay,
  type ComparedStorage,
} from "../../testing/model-comparison.ts";
import { openBucketQueueStore } from "./bucket-queue-store.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";
const bucket = createMemoryBucket({ clock: systemClock });

/** Finished tasks go into logs almost at once, so that what comes back from there is compared too. */
async function bucketStorage(now: () => StoreNow): Promise<ComparedStorage> {
  const prefix = createId(systemRandom, 10);
  return {
    open: () => openBucketQueueStore({ bucket, prefix, probe: "daily", now, finishedKept: 2 }),
    [Symbol.asyncDispose]: async () => {},
  };
}

modelComparison({
  name: "a bucket",
  storage: bucketStorage,
  timeLimitMs: isLong ? 300_000 : 6_000,
  replay: parseReplay(process.env["FORAGER_TEST_REPLAY"]),
});
