import { sleep, type Clock } from "./clock.ts";

export interface Deadline {
  readonly clock: Clock;
  readonly ms: number;
}

/**
 * Waits until the work ends, but not longer than `ms`. True if it ended in time. Work that fails in
 * time rejects; what becomes of it after the deadline is ignored.
 */
export async function withDeadline(
  work: Promise<unknown>,
  { clock, ms }: Deadline,
): Promise<boolean> {
  const waiting = new AbortController();
  const late = sleep(clock, ms, waiting.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
