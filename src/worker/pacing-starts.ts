import type { SeenAttempt } from "./attempt-record.ts";

/** One request to a host, or the start of a task whose handler reports no requests. */
export interface PacingStart {
  readonly atMs: number;
  /** Since the start before it, of whichever worker; undefined: it is the first one known. */
  readonly gapMs: number | undefined;
  /** The least gap that was asked for; 0: none. */
  readonly delayMs: number;
  readonly task: number;
  readonly node: string;
  readonly worker: string;
}

/** A wait that the host asked for (Retry-After). */
export interface AskedWait {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly task: number;
}

export interface PacingStarts {
  /** Oldest first; the newest 5,000 at most. */
  readonly starts: readonly PacingStart[];
  readonly waits: readonly AskedWait[];
  /** Starts that came sooner after the one before than was asked. */
  readonly early: number;
}

const startsMax = 5_000;
const waitsMax = 500;
/** Each time is rounded to a millisecond. */
const roundedMs = 1;

/** When the requests to one host were sent, from the records of its attempts. */
export function pacingStarts(attempts: readonly SeenAttempt[], fromMs: number): PacingStarts {
  const all = attempts
    .flatMap(({ startedAtMs, sentMs, delayMs, task, node, worker }) => {
      // The handler is called some time before it sends its first request.
      const times = sentMs.length > 0 ? sentMs.map((ms) => startedAtMs + ms) : [startedAtMs];
      return times.map((atMs) => ({ atMs, delayMs, task, node, worker }));
    })
    .sort((a, b) => a.atMs - b.atMs);
  const starts = all
    .map((start, at) => ({
      ...start,
      gapMs: at === 0 ? undefined : start.atMs - all[at - 1]!.atMs,
    }))
    .filter(({ atMs }) => atMs >= fromMs)
    .slice(-startsMax);
  const waits = attempts
    .filter(({ retryAfterMs }) => retryAfterMs > 0)
    .map(({ startedAtMs, ranMs, retryAfterMs, task }) => {
      const beginMs = startedAtMs + ranMs;
      return { fromMs: beginMs, untilMs: beginMs + retryAfterMs, task };
    })
    .filter(({ untilMs }) => untilMs >= fromMs)
    .sort((a, b) => a.fromMs - b.fromMs)
    .slice(-waitsMax);
  const early = starts.filter(({ gapMs, delayMs }) => (gapMs ?? Infinity) + roundedMs < delayMs).length; // prettier-ignore
  return { starts, waits, early };
}
