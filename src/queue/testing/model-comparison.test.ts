import { createMemoryQueueStore } from "../adapters/memory/memory-queue-store.ts";
import type { StoreNow } from "../queue-store.ts";
import { modelComparison, type ComparedStorage } from "./model-comparison.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

async function memoryStorage(now: () => StoreNow): Promise<ComparedStorage> {
  const store = createMemoryQueueStore({ now });
  return { open: async () => store, [Symbol.asyncDispose]: async () => {} };
}

modelComparison({
  name: "memory",
  storage: memoryStorage,
  timeLimitMs: isLong ? 60_000 : 4_000,
});
