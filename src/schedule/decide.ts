import { newestOccurrences, nextOccurrence } from "./occurrences.ts";
import type { MissedPolicy, Schedule } from "./schedule.ts";

/** What to do with one occurrence that is due. */
export interface OccurrenceDecision {
  readonly atMs: number;
  /** Undefined: it runs. */
  readonly skip: string | undefined;
}

export interface DecideOptions {
  readonly schedule: Schedule;
  /** The newest occurrence that was decided before; it may be older than the true one. */
  readonly lastMs: number | undefined;
  readonly nowMs: number;
}

/** An occurrence counts as missed if it is later than this. */
export const graceMs = 120_000;
/** The most missed occurrences that run with the policy `all`. */
export const runsMax = 10;
/**
 * The most occurrences that are decided one by one; the reason of the oldest covers all earlier
 * ones.
 */
const decisionsMax = 50;
/**
 * Older occurrences are ignored. It is shorter than the time for which queues reserve keys of
 * finished tasks.
 */
const lookBackMs = 60 * 86_400_000;

/**
 * What to do with the occurrences after `lastMs`, oldest first. As time passes, a decision can only
 * change from run to skip, and each occurrence is added to the queue once. So it does not matter
 * which node decides, how often, or how much of the past it knows.
 */
export function decide({ schedule, lastMs, nowMs }: DecideOptions): readonly OccurrenceDecision[] {
  const { timing, sinceMs, missed, withinMs, isPaused } = schedule;
  const afterMs = Math.max(sinceMs, lastMs ?? -Infinity, nowMs - lookBackMs);
  const range = { afterMs, untilMs: nowMs, countMax: decisionsMax };
  const { occurrences, hasEarlier } = newestOccurrences(timing, range);
  const newestMs = occurrences.at(-1);
  return occurrences.map((atMs, index) => {
    const newer = occurrences.length - 1 - index;
    const skip = isPaused
      ? "the schedule is paused"
      : skipReason({ missed, lateMs: nowMs - atMs, withinMs, newer, newestMs: newestMs! });
    const isOldest = index === 0 && hasEarlier;
    return {
      atMs,
      skip: skip && isOldest ? `${skip}; and all others since ${iso(afterMs)}` : skip,
    };
  });
}

/** When the next decision is due; undefined: never. */
export function nextDecisionMs({ schedule, lastMs, nowMs }: DecideOptions): number | undefined {
  const { timing, sinceMs } = schedule;
  const afterMs = Math.max(sinceMs, lastMs ?? -Infinity, nowMs - lookBackMs);
  return nextOccurrence(timing, afterMs);
}

interface Lateness {
  readonly missed: MissedPolicy;
  readonly lateMs: number;
  readonly withinMs: number;
  /** The number of later occurrences that are due too. */
  readonly newer: number;
  readonly newestMs: number;
}

function skipReason({ missed, lateMs, withinMs, newer, newestMs }: Lateness): string | undefined {
  if (missed === "skip") {
    return lateMs > graceMs ? "no node was running at that time (missed = skip)" : undefined;
  }
  if (missed === "latest" && newer > 0) {
    return `missed; ${iso(newestMs)} replaces it (missed = latest)`;
  }
  if (newer >= runsMax) return `missed; only the ${runsMax} newest run (missed = all)`;
  return lateMs > Math.max(withinMs, graceMs) ? "no node was running in time (within)" : undefined;
}

const iso = (ms: number) => new Date(ms).toISOString();
