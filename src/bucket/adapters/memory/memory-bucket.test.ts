import { createTestClock } from "../../../base/testing/test-clock.ts";
import { bucketSuite } from "../../testing/bucket-suite.ts";
import { createMemoryBucket, type MemoryObject } from "./memory-bucket.ts";

bucketSuite({
  name: "memory",
  open: async () => {
    const clock = createTestClock();
    const objects = new Map<string, MemoryObject>();
    const open = () => createMemoryBucket({ clock, objects });
    return { bucket: open(), openAnother: async () => open() };
  },
});
