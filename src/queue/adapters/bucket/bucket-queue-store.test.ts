import { systemClock } from "../../../base/clock.ts";
import { createMemoryBucket } from "../../../bucket/adapters/memory/memory-bucket.ts";
import { queueSuite } from "../../testing/queue-suite.ts";
import { suiteStorage } from "./testing/suite-storage.ts";

queueSuite({
  name: "a bucket in memory",
  open: suiteStorage(createMemoryBucket({ clock: systemClock })),
});

queueSuite({
  name: "a bucket in memory, every finished task in a log at once",
  open: suiteStorage(createMemoryBucket({ clock: systemClock }), { finishedKept: 1 }),
});
