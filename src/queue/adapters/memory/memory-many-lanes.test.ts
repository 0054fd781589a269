import { manyLanesSuite } from "../../testing/many-lanes-suite.ts";
import { createMemoryQueueStore } from "./memory-queue-store.ts";

manyLanesSuite({ name: "memory", open: async () => createMemoryQueueStore() });
