import { systemClock } from "../../../base/clock.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import { manyLanesSuite } from "../../testing/many-lanes-suite.ts";
import { openBucketQueueStore } from "./bucket-queue-store.ts";

manyLanesSuite({
  name: "a bucket",
  open: () =>
    openBucketQueueStore({
      bucket: createMemoryBucket({ clock: systemClock }),
      liveTasksMax: 200_000,
    }),
});
