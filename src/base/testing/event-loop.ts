import { afterTick } from "../tick.ts";

/**
 * Does some work, and tells for how long it kept the event loop from everything else at most: the
 * processor time between two of its turns. What others do on the machine meanwhile does not count.
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
