import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import { nearestHint } from "../base/text/nearest.ts";
import type { Queue } from "../queue/index.ts";
import { isRunNow, occurrenceOf, occurrenceTask, scheduleJob } from "./occurrence-task.ts";
import { nextOccurrences, type Timing } from "./occurrences.ts";
import {
  eraseSchedule,
  readSchedules,
  writeSchedule,
  type KnownSchedule,
} from "./schedule-store.ts";
import { faultWords, scheduleInputSchema, type Schedule, type ScheduleInput } from "./schedule.ts";

type ScheduleLedger = Parameters<typeof readSchedules>[0] & Parameters<typeof writeSchedule>[0];

/** The dependencies of commands and API calls that read schedules. */
export interface ScheduleReader {
  readonly ledger: Pick<ScheduleLedger, "read">;
  /** Absent: the queue does not exist yet, so nothing has run. */
  readonly queue: Pick<Queue, "log" | "ended"> | undefined;
  readonly clock: Clock;
}

/** The dependencies of commands and API calls that change schedules. */
export interface ScheduleWriter {
  readonly ledger: ScheduleLedger;
  readonly clock: Clock;
}

/** One occurrence that has ended, or an extra run. */
export interface ScheduleRun {
  readonly occurrence: string;
  readonly isRunNow: boolean;
  readonly state: "done" | "skipped" | "failed";
  readonly endedAt: string;
  /** Why it was skipped or has failed; null if it succeeded. */
  readonly reason: string | null;
}

export interface ScheduleView {
  readonly name: string;
  readonly timing: Timing;
  readonly action: Schedule["action"];
  readonly missed: Schedule["missed"];
  readonly withinMs: number;
  readonly overlap: Schedule["overlap"];
  readonly isPaused: boolean;
  readonly since: string;
  /** The next three occurrences; empty while the schedule is paused. */
  readonly next: readonly string[];
  /** The last run that was not skipped. */
  readonly last: ScheduleRun | null;
}

export interface ScheduleDetails extends ScheduleView {
  readonly result: unknown;
  /** Newest first: runs, and skipped occurrences with their reasons. */
  readonly runs: readonly ScheduleRun[];
}

/** Why a schedule cannot use the action `compact`. */
export const compactWithoutBucket =
  "compact folds the ledger in the fleet's bucket, and no bucket is set: set bucket.url, or leave this schedule out (without a bucket there is nothing to compact)"; // prettier-ignore

export type ScheduleChange = "added" | "changed" | "unchanged";

/** Adds a schedule, or replaces the one with that name; a changed schedule starts from now. */
export async function putSchedule(
  { ledger, clock, hasBucket }: ScheduleWriter & { readonly hasBucket: boolean },
  input: ScheduleInput,
  source: string,
): Promise<{ readonly change: ScheduleChange; readonly schedule: Schedule }> {
  const parsed = scheduleInputSchema.safeParse(input);
  if (!parsed.success) {
    const words = faultWords(parsed.error.issues, input);
    throw new AppError("invalid", "schedule_invalid", `${input.name}: ${words}`);
  }
  const { overlap, ...given } = parsed.data;
  if (given.action.kind === "compact" && !hasBucket) {
    throw new AppError("invalid", "schedule_invalid", `${given.name}: ${compactWithoutBucket}`);
  }
  const before = (await readSchedules(ledger)).find(({ schedule }) => schedule.name === given.name);
  const schedule: Schedule = {
    ...given,
    overlap: overlap ?? (given.missed === "all" ? "queue" : "skip"),
    isPaused: before?.schedule.isPaused ?? false,
    sinceMs: clock.nowMs(),
  };
  if (before && isSame(before.schedule, schedule)) {
    return { change: "unchanged", schedule: before.schedule };
  }
  await writeSchedule(ledger, schedule, source);
  return { change: before ? "changed" : "added", schedule };
}

export async function pauseSchedule(
  { ledger, clock }: ScheduleWriter,
  name: string,
  { isPaused, source }: { readonly isPaused: boolean; readonly source: string },
): Promise<Schedule> {
  const { schedule } = await findSchedule(ledger, name);
  if (schedule.isPaused === isPaused) return schedule;
  // Occurrences during the pause are not made up for.
  const changed = { ...schedule, isPaused, ...(!isPaused && { sinceMs: clock.nowMs() }) };
  await writeSchedule(ledger, changed, source);
  return changed;
}

export async function removeSchedule(
  { ledger }: Pick<ScheduleWriter, "ledger">,
  name: string,
  source: string,
): Promise<void> {
  await findSchedule(ledger, name);
  await eraseSchedule(ledger, name, source);
}

/** Adds an extra run to the queue, even if the schedule is paused. */
export async function runScheduleNow(
  { ledger, clock }: ScheduleWriter,
  queue: Pick<Queue, "add">,
  name: string,
): Promise<{ readonly task: number; readonly occurrence: string }> {
  const { schedule } = await findSchedule(ledger, name);
  const atMs = clock.nowMs();
  const [answer] = await queue.add([
    occurrenceTask(schedule, { atMs, skip: undefined }, { isNow: true }),
  ]);
  if (answer?.id === undefined) {
    const what = `the queue does not accept the run of ${name} (${answer?.status}): see \`forager queue jobs\``;
    throw new AppError("unavailable", "schedule_refused", what);
  }
  return { task: answer.id, occurrence: new Date(atMs).toISOString() };
}

export async function listSchedules(place: ScheduleReader): Promise<readonly ScheduleView[]> {
  const views: ScheduleView[] = [];
  for (const known of await readSchedules(place.ledger)) views.push(await viewOf(place, known));
  return views;
}

/**
 * What the audit log compares before and after a change. Undefined if the schedule does not exist.
 */
export const auditedSchedule = async (
  ledger: Pick<ScheduleLedger, "read">,
  name: string,
): Promise<Schedule | undefined> =>
  (await readSchedules(ledger)).find(({ schedule }) => schedule.name === name)?.schedule;

export const scheduleRunsMax = 100;

export async function showSchedule(
  place: ScheduleReader,
  name: string,
  { runsMax = 20 }: { readonly runsMax?: number } = {},
): Promise<ScheduleDetails> {
  const known = await findSchedule(place.ledger, name);
  const job = scheduleJob(name);
  const limit = Math.min(runsMax, scheduleRunsMax);
  const runs = await runsOf(place, { job, limit, includesSkipped: true });
  const [newest] =
    (await place.queue?.ended({ job, states: ["done"], isNewestFirst: true, limit: 1 })) ?? [];
  const result: unknown = newest?.result ? JSON.parse(newest.result) : null;
  return { ...(await viewOf(place, known)), result, runs };
}

async function findSchedule(
  ledger: Pick<ScheduleLedger, "read">,
  name: string,
): Promise<KnownSchedule> {
  const all = await readSchedules(ledger);
  const found = all.find(({ schedule }) => schedule.name === name);
  if (found) return found;
  const names = all.map(({ schedule }) => schedule.name);
  const hint = nearestHint(name, names, (meant) => `; did you mean ${meant}?`);
  throw new AppError("invalid", "no_schedule", `there is no schedule ${name}${hint}`);
}

/** The next three occurrences; empty while the schedule is paused. */
export function nextRunsOf(
  { timing, sinceMs, isPaused }: Schedule,
  nowMs: number,
): readonly string[] {
  if (isPaused) return [];
  return nextOccurrences(timing, { afterMs: Math.max(sinceMs, nowMs), count: 3 }).map(iso);
}

async function viewOf(place: ScheduleReader, { schedule }: KnownSchedule): Promise<ScheduleView> {
  const { sinceMs, timing, isPaused, ...rest } = schedule;
  const job = scheduleJob(schedule.name);
  const [last] = await runsOf(place, { job, limit: 1, includesSkipped: false });
  return {
    ...rest,
    timing,
    isPaused,
    since: iso(sinceMs),
    next: nextRunsOf(schedule, place.clock.nowMs()),
    last: last ?? null,
  };
}

async function runsOf(
  { queue }: Pick<ScheduleReader, "queue">,
  { job, limit, includesSkipped }: { job: string; limit: number; includesSkipped: boolean },
): Promise<readonly ScheduleRun[]> {
  const states = ["done", "failed", ...(includesSkipped ? (["skipped"] as const) : [])] as const;
  const ended = (await queue?.log({ job, states, isNewestFirst: true, limit })) ?? [];
  return ended.map(({ key, state, finishedAtMs, attempts }) => ({
    occurrence: occurrenceOf(key),
    isRunNow: isRunNow(key),
    state,
    endedAt: iso(finishedAtMs),
    reason: state === "done" ? null : (attempts.at(-1)?.reason ?? ""),
  }));
}

const iso = (ms: number) => new Date(ms).toISOString();

const sameParts = ({ timing, action, missed, withinMs, overlap }: Schedule) =>
  JSON.stringify([
    "everyMs" in timing ? [timing.everyMs] : [timing.cron, timing.timezone],
    Object.entries(action).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    missed,
    withinMs,
    overlap,
  ]);

const isSame = (a: Schedule, b: Schedule): boolean => sameParts(a) === sameParts(b);
