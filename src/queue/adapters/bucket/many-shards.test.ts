import { systemClock } from "../../../base/clock.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import { queueSuite } from "../../testing/queue-suite.ts";
import { suiteStorage } from "./testing/suite-storage.ts";

queueSuite({
  name: "a bucket in memory, four shards",
  open: suiteStorage(createMemoryBucket({ clock: systemClock }), { shards: 4 }),
});
