// long: shards
import { systemClock } from "../../../base/clock.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import { queueSuite } from "../../testing/queue-suite.ts";
import { manyShardsDeviations } from "./testing/many-shards-deviations.ts";
import { suiteStorage } from "./testing/suite-storage.ts";

const shards = 4;

queueSuite({
  name: "a bucket in memory, four shards",
  open: suiteStorage(createMemoryBucket({ clock: systemClock }), { shards }),
  deviations: manyShardsDeviations,
});
