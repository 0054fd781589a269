import fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { history } from "/work/main/src/queue/testing/model-comparison-steps.ts";
import { compareHistory } from "/work/main/src/queue/testing/model-comparison.ts";
import { openSqliteQueueStore } from "/work/main/src/queue/adapters/sqlite/sqlite-queue-store.ts";
const storage = async (now: any) => {
  const folder = mkdtempSync("/dev/shm/fm-");
  return { open: async () => openSqliteQueueStore({ file: join(folder, "q.db"), now }), [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }) };
};
const limit = Number(process.argv[2] ?? 60) * 1000;
let runs = 0, steps = 0;
const out = await fc.check(fc.asyncProperty(history, async (h) => { runs++; steps += h.length; await compareHistory(h, storage as any); }), { numRuns: 1e9, interruptAfterTimeLimit: limit, ...(process.argv[3] ? { seed: Number(process.argv[3]) } : {}) });
console.log({ failed: out.failed, runs, steps, shrinks: out.numShrinks, seed: out.seed, path: out.counterexamplePath });
if (out.failed && out.counterexample) console.log(String((out as any).errorInstance?.message).slice(0, 12000));
