// long: chaos
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreNow } from "../../queue-store.ts";
import {
  modelComparison,
  parseReplay,
  type ComparedStorage,
} from "../../testing/model-comparison.ts";
import { openSqliteQueueStore } from "./sqlite-queue-store.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

async function sqliteStorage(now: () => StoreNow): Promise<ComparedStorage> {
  const folder = mkdtempSync(join(tmpdir(), "forager-model-"));
  return {
    open: async () =>
      openSqliteQueueStore({ file: join(folder, "queue.db"), now, durability: "normal" }),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  };
}

modelComparison({
  name: "sqlite",
  storage: sqliteStorage,
  timeLimitMs: isLong ? 600_000 : 12_000,
  replay: parseReplay(process.env["FORAGER_TEST_REPLAY"]),
});
