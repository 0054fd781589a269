/** What a worker's memory does over a million tasks. */
import { strictEqual } from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createWorker, defineHandler } from "../../src/worker/index.ts";
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

const programFile = fileURLToPath(new URL("./worker-memory-program.ts", import.meta.url));

/**
 * Memory over many tasks, then over as many gates as `gates`. All of it is added before, in another
 * process, so that this one is what a worker is. The resident size also follows how lazily V8
 * collects: what really grows is the heap after a collection, and what is outside of it.
 */
export const memory: Side<MemoryInput> = async (input, context) => {
  await runProgram({ input, context });
  const queue = await openBench(input, context);
  const baseAt = 100_000;
  const residents: number[] = [];
  const keptAfterCollecting = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return { heapUsed, external };
  };
  let base = keptAfterCollecting();
  let calls = 0;
  const run = async () => {
    calls += 1;
    // Once, at the beginning: a lower base flatters nobody.
    if (calls === baseAt) base = keptAfterCollecting();
    if (calls >= baseAt && calls % 10_000 === 0) residents.push(process.memoryUsage.rss());
  };
  const start = (kind: string) =>
    createWorker({
      queue,
      name: "bench",
      handlers: [defineHandler(kind, anything, run)],
      concurrency: input.concurrency,
      drain: true,
    });
  return {
    async run() {
      await drained(start("page"));
      await drained(start("gated"));
      const megabyte = 1024 * 1024;
      const { heapUsed, external } = keptAfterCollecting();
      return {
        growthMb: (Math.max(...residents) - Math.max(...residents.slice(0, 5))) / megabyte,
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
