import { afterTick } from "../tick.ts";

/**
 * Runs some work and returns the longest time for which it blocked the event loop, as the processor
 * time between two turns. Other processes do not affect it.
 */
export async function longestBlockMs<T>(
  work: () => Promise<T>,
): Promise<{ readonly answer: T; readonly blockMs: number }> {
  let isOver = false;
  let blockMs = 0;
  let last = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(last);
    blockMs = Math.max(blockMs, (user + system) / 1_000);
    last = process.cpuUsage();
    if (!isOver) afterTick(look);
  };
  await new Promise<void>(afterTick);
  last = process.cpuUsage();
  afterTick(look);
  const answer = await work();
  isOver = true;
  await new Promise<void>(afterTick);
  look();
  return { answer, blockMs };
}
