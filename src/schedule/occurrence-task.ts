import * as z from "zod";
import type { Queue, TaskInput } from "../queue/index.ts";
import { defineHandler, done, skip, type Handler } from "../worker/index.ts";
import type { OccurrenceDecision } from "./decide.ts";
import {
  overlapPolicies,
  scheduleActionSchema,
  type Schedule,
  type ScheduleAction,
} from "./schedule.ts";

/** One occurrence of a schedule. Its task runs it, or ends as skipped with the reason. */
export const scheduleKind = "schedule";

const payloadSchema = z.object({
  schedule: z.string(),
  occurrence: z.iso.datetime(),
  action: scheduleActionSchema,
  overlap: z.enum(overlapPolicies),
  withinMs: z.number(),
  skip: z.string().optional(),
});
type OccurrencePayload = z.output<typeof payloadSchema>;

export interface ScheduleServices {
  /** Performs the action of a schedule. Its return value is stored as the result of the run. */
  readonly runScheduled: (
    action: ScheduleAction,
    run: {
      readonly schedule: string;
      readonly occurrence: string;
      readonly signal: AbortSignal;
      readonly progress: (note: string) => void;
    },
  ) => Promise<unknown>;
  readonly scheduleQueue: Pick<Queue, "browse" | "now">;
}

export const scheduleJob = (name: string): string => `schedule:${name}`;

/** The key names the occurrence, so the fleet has one task for it, whichever nodes add it. */
export const occurrenceKey = (name: string, occurrence: string): string =>
  `${scheduleKind} ${name} ${occurrence}`;

export function occurrenceOf(key: string): string {
  return key.split(" ").at(-1) ?? "";
}

export const isRunNow = (key: string): boolean => / now \S+$/.test(key);

/** Higher than the tasks of campaigns, so that schedules run before them. */
const schedulePriority = 900;
const attemptsMax = 3;

export function occurrenceTask(
  { name, action, overlap, withinMs }: Schedule,
  { atMs, skip: reason }: OccurrenceDecision,
  { isNow = false }: { readonly isNow?: boolean } = {},
): TaskInput {
  const occurrence = new Date(atMs).toISOString();
  const payload: OccurrencePayload = {
    schedule: name,
    occurrence,
    action,
    overlap,
    withinMs,
    ...(reason !== undefined && { skip: reason }),
  };
  return {
    kind: scheduleKind,
    job: scheduleJob(name),
    key: isNow ? `${scheduleKind} ${name} now ${occurrence}` : occurrenceKey(name, occurrence),
    priority: schedulePriority,
    attemptsMax,
    payload,
  };
}

/** The most unfinished tasks that are searched for an earlier run. */
const liveMax = 200;

export function createScheduleHandler(): Handler<ScheduleServices> {
  return defineHandler<OccurrencePayload, ScheduleServices>(
    scheduleKind,
    payloadSchema,
    async ({ task, services, signal, progress }) => {
      const { schedule, occurrence, action, overlap, withinMs, skip: reason } = task.payload;
      if (reason !== undefined) return skip(reason);
      const { scheduleQueue: queue } = services;
      const { wallMs } = await queue.now();
      if (wallMs - Date.parse(occurrence) > withinMs) {
        return skip("no worker was free in time (within)");
      }
      const earlier = overlap === "skip" ? await earlierRun(queue, task) : undefined;
      if (earlier !== undefined)
        return skip(`the run of ${earlier} has not ended (overlap = skip)`);
      return done(await services.runScheduled(action, { schedule, occurrence, signal, progress }));
    },
    { timeoutMs: 6 * 3_600_000 },
  );
}

/** The previous occurrence of the same schedule, if it has not ended. */
async function earlierRun(
  queue: Pick<Queue, "browse">,
  { id, job, payload: { occurrence } }: { id: number; job: string; payload: OccurrencePayload },
): Promise<string | undefined> {
  const live = await queue.browse({ job, states: ["pending", "running"], limit: liveMax });
  for (const task of live) {
    if (task.id === id) continue;
    const other = payloadSchema.safeParse(JSON.parse(task.payload));
    if (!other.success || other.data.skip !== undefined) continue;
    if (other.data.occurrence < occurrence) return other.data.occurrence;
  }
  return undefined;
}
