import { Cron } from "croner";

/** When a schedule is due: by the wall clock of a time zone, or at a fixed interval. */
export type Timing =
  | { readonly cron: string; readonly timezone: string }
  | { readonly everyMs: number; readonly fromMs: number };

/**
 * Croner only computes times; it starts no timers. Daylight saving: an occurrence in a skipped hour
 * moves to the first moment after it. In a repeated hour, a fixed time occurs only the first time.
 */
const parsed = ({ cron, timezone }: { readonly cron: string; readonly timezone: string }) =>
  new Cron(cron, { paused: true, timezone, mode: "5-part" });

/** The first occurrence after a moment; undefined if there is none. */
export function nextOccurrence(timing: Timing, afterMs: number): number | undefined {
  if ("everyMs" in timing) {
    const { everyMs, fromMs } = timing;
    return fromMs + (Math.floor(Math.max(0, afterMs - fromMs) / everyMs) + 1) * everyMs;
  }
  return parsed(timing).nextRun(new Date(afterMs))?.getTime();
}

export function nextOccurrences(
  timing: Timing,
  { afterMs, count }: { readonly afterMs: number; readonly count: number },
): readonly number[] {
  const found: number[] = [];
  let at: number | undefined = afterMs;
  while (found.length < count) {
    at = nextOccurrence(timing, at);
    if (at === undefined) break;
    found.push(at);
  }
  return found;
}

export interface TimeRange {
  readonly afterMs: number;
  readonly untilMs: number;
  readonly countMax: number;
}

/** How far to look back first. It is doubled until there are enough occurrences. */
const firstLookMs = 3_600_000;

/**
 * The newest occurrences in (afterMs, untilMs], oldest first. It looks back no further than it
 * needs to, because computing an occurrence is slow and a range may have many thousands.
 */
export function newestOccurrences(timing: Timing, range: TimeRange) {
  const { afterMs, untilMs, countMax } = range;
  for (let lookMs = firstLookMs; ; lookMs *= 2) {
    const fromMs = Math.max(afterMs, untilMs - lookMs);
    const found = between(timing, fromMs, untilMs);
    if (found.length > countMax) return { occurrences: found.slice(-countMax), hasEarlier: true };
    if (fromMs === afterMs) return { occurrences: found, hasEarlier: false };
  }
}

function between(timing: Timing, afterMs: number, untilMs: number): readonly number[] {
  const found: number[] = [];
  for (let at = nextOccurrence(timing, afterMs); at !== undefined && at <= untilMs;) {
    found.push(at);
    at = nextOccurrence(timing, at);
  }
  return found;
}

/** What is wrong with a timing; undefined if it is valid. */
export function timingFault(timing: Timing): string | undefined {
  if ("everyMs" in timing) return undefined;
  const { cron, timezone } = timing;
  try {
    new Intl.DateTimeFormat("en", { timeZone: timezone });
  } catch {
    return `there is no time zone ${timezone}: write one such as Europe/Berlin or UTC`;
  }
  try {
    if (parsed(timing).nextRun(new Date(0))) return undefined;
  } catch (error) {
    const why = (error as Error).message.replace(/^CronPattern: /, "");
    return `"${cron}" is not a cron expression with five fields (minute hour day month weekday): ${why}`;
  }
  return `"${cron}" never occurs: there is no such day`;
}
