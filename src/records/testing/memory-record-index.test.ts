import { createMemoryRecordIndex } from "./memory-record-index.ts";
import { recordIndexSuite } from "./record-index-suite.ts";

recordIndexSuite({ name: "memory", open: createMemoryRecordIndex });
