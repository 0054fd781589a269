import { afterAll } from "vitest";
import { manyLanesSuite } from "../../testing/many-lanes-suite.ts";
import { openSqliteQueueStore } from "./sqlite-queue-store.ts";
import { createTempFolder } from "./testing/temp-folder.ts";

const folder = createTempFolder();
afterAll(() => folder[Symbol.dispose]());

manyLanesSuite({
  name: "sqlite",
  open: async () => openSqliteQueueStore({ file: folder.file, durability: "normal" }),
});
