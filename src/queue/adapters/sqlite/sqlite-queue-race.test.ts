// inputs: src/queue/** src/base/**
// long: chaos
import { join } from "node:path";
import { raceSuite } from "../../testing/race.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

raceSuite({
  name: "sqlite",
  store: (folder) => ({
    module: new URL("sqlite-queue-store.ts", import.meta.url).href,
    open: "openSqliteQueueStore",
    options: { file: join(folder, "queue.db"), durability: "normal" },
  }),
  processes: 4,
  chaosMs: isLong ? 120_000 : 7_000,
  tasks: isLong ? 4_000 : 150,
});
