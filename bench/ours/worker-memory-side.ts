/** What a worker's memory does over a million tasks. */
import { strictEqual } from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createWorker, defineHandler, workerNodeFlags } from "../../src/worker/index.ts";
import type { Side, SideContext } from "../frame/side.ts";
import { anything, checkDone, drained, openBench, type WorkerInput } from "./worker-sides.ts";

export interface MemoryInput extends WorkerInput {
  readonly gates: number;
}

/** What worker-memory-program.ts is told to add. */
export interface MemoryProgram {
  readonly input: MemoryInput;
  readonly context: SideContext;
}

const megabyte = 1024 * 1024;
const programFile = fileURLToPath(new URL("./worker-memory-program.ts", import.meta.url));

/**
 * Memory over many tasks, then over as many gates as `gates`. All of it is added before, in another
 * process, so that this one is what a worker is. The resident size also follows how lazily V8
 * collects: what really grows is the heap after a collection, and what is outside of it.
 */
export const memory: Side<MemoryInput> = async (input, context) => {
  for (const flag of workerNodeFlags) setFlagsFromString(flag); // as `forager work` starts its own
  await runProgram({ input, context });
  const queue = await openBench(input, context);
  const keptAfterCollecting = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return { heapUsed, external };
  };
  // Never in between: a heap that was just collected would be no measure for what comes after.
  const base = keptAfterCollecting();
  /** Works all tasks of a kind; how much larger it gets than it was over the first of them. */
  const growthMb = async (kind: string, warmUps: number) => {
    let calls = 0;
    let [warm, later] = [0, 0];
    const run = async () => {
      calls += 1;
      if (calls % 2_500 !== 0) return;
      const resident = process.memoryUsage.rss();
      if (calls <= warmUps) warm = Math.max(warm, resident);
      else later = Math.max(later, resident);
    };
    const handlers = [defineHandler(kind, anything, run)];
    const { concurrency } = input;
    await drained(createWorker({ queue, name: "bench", handlers, concurrency, drain: true }));
    return (later - warm) / megabyte;
  };
  return {
    async run() {
      const tasksGrowthMb = await growthMb("page", 100_000);
      const gatesGrowthMb = await growthMb("gated", 20_000);
      const { heapUsed, external } = keptAfterCollecting();
      return {
        growthMb: Math.max(tasksGrowthMb, gatesGrowthMb),
        tasksGrowthMb,
        gatesGrowthMb,
        heapGrowthMb: (heapUsed - base.heapUsed) / megabyte,
        externalGrowthMb: (external - base.external) / megabyte,
      };
    },
    check: () => checkDone(queue, input.tasks + input.gates),
  };
};

/** The flag counts for contexts that are made after it was set. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

async function runProgram(work: MemoryProgram): Promise<void> {
  const program = fork(programFile, [JSON.stringify(work)], {
    execArgv: process.execArgv,
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const [code, signal] = (await once(program, "exit")) as [number | null, string | null];
  strictEqual(signal ?? code, 0, "how adding ended");
}
