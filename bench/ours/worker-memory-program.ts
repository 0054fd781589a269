/** The process that worker-memory-side.ts starts beside itself, to fill its queue. */
import type { MemoryProgram } from "./worker-memory-side.ts";
import { fill, openBench } from "./worker-sides.ts";

const { input, context } = JSON.parse(process.argv[2]!) as MemoryProgram;
const queue = await openBench(input, context);
await fill(queue, input.tasks);
await fill(queue, input.gates, (at) => ({ kind: "gated", gate: `h${at}.example` }));
await queue[Symbol.asyncDispose]();
process.exit(0);
