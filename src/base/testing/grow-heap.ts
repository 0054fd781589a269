import { setImmediate as tick } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import { keepHeapSmall } from "../process/small-heap.ts";

/** Creates much garbage, a part of which lives for a while, and prints the size of the heap. */
if (process.argv[2] === "small") keepHeapSmall();
let largest = 0;
for (let round = 0; round < 120; round++) {
  const kept: unknown[] = [];
  for (let at = 0; at < 20_000; at++) {
    const one = { name: `name ${round} ${at}`, list: [at, at + 1], inner: { at } };
    if (at % 2 === 0) kept.push(one);
  }
  await tick();
  if (kept.length === 0) break;
  largest = Math.max(largest, getHeapStatistics().total_heap_size);
}
process.stdout.write(String(largest));
