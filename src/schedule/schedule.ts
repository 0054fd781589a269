import * as z from "zod";
import { AppError } from "../base/app-error.ts";
import { timingFault, type Timing } from "./occurrences.ts";

/** What a schedule can do. Each is also a command of its own. */
export const scheduleKinds = [
  "gather",
  "rescrape",
  "resolve",
  "report",
  "export",
  "publish",
  "compact",
  "purge",
] as const;
export type ScheduleKind = (typeof scheduleKinds)[number];

/** What happens to occurrences at which no node was running. */
export const missedPolicies = ["latest", "skip", "all"] as const;
export type MissedPolicy = (typeof missedPolicies)[number];
export const overlapPolicies = ["skip", "queue"] as const;

export const withinMsDefault = 12 * 3_600_000;
/** Shorter than keys of finished tasks are reserved, so that no occurrence can run twice. */
export const withinMsMax = 30 * 86_400_000;

/** One rule for all names: they are parts of jobs, fields and URLs. */
export const scheduleNameRule = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const name = z.string().regex(scheduleNameRule, {
  error: "must be 1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit",
});

/** What companies that are visited again may lack. */
export const rescrapeFields = ["email", "phone", "domain"] as const;

export const scheduleActionSchema = z.strictObject({
  kind: z.enum(scheduleKinds),
  /** Of gather, report and export. */
  campaign: z.string().min(1).max(63).optional(),
  /** Of rescrape: companies that lack all of these. */
  missing: z.array(z.enum(rescrapeFields)).min(1).optional(),
  /** Of rescrape: companies whose website was not read for so long. */
  staleMs: z.int().min(1).optional(),
  /** Of export. */
  format: z.string().min(1).max(20).optional(),
  /** Of export: only companies that no earlier export of this name had, in a file of its own. */
  onlyNew: name.optional(),
  /** Of publish: where a site was published to before. */
  target: z.string().min(1).max(1_000).optional(),
});
export type ScheduleAction = z.output<typeof scheduleActionSchema>;

const timing = z.union([
  z.strictObject({ cron: z.string().min(1).max(200), timezone: z.string().min(1).max(64) }),
  z.strictObject({
    everyMs: z
      .int()
      .min(60_000, { error: "an interval is at least one minute" })
      .max(366 * 86_400_000),
    /** Occurrences are this moment plus whole intervals. */
    fromMs: z.number(),
  }),
]);

const fields = {
  timing,
  action: scheduleActionSchema,
  missed: z.enum(missedPolicies).default("latest"),
  withinMs: z
    .int()
    .min(60_000, { error: "within is at least one minute" })
    .max(withinMsMax, { error: "within is at most 30 days" })
    .default(withinMsDefault),
  overlap: z.enum(overlapPolicies).optional(),
};

/** As a person gives it. */
export const scheduleInputSchema = z.strictObject({ name, ...fields }).superRefine((input, ctx) => {
  const fault = timingFault(input.timing) ?? actionFault(input.action) ?? overlapFault(input);
  if (fault !== undefined) ctx.addIssue({ code: "custom", message: fault });
});
export type ScheduleInput = z.input<typeof scheduleInputSchema>;

export interface GivenTiming {
  readonly cron?: string | undefined;
  readonly timezone: string;
  readonly everyMs?: number | undefined;
}

/** Throws unless exactly one of `cron` and `everyMs` is given. */
export function toTiming({ cron, timezone, everyMs }: GivenTiming, nowMs: number): Timing {
  if ((cron === undefined) === (everyMs === undefined)) {
    const what = "when? give a cron expression or an interval, and not both";
    throw new AppError("invalid", "schedule_invalid", what);
  }
  return cron === undefined ? { everyMs: everyMs!, fromMs: nowMs } : { cron, timezone };
}

/** As it is stored. Later versions may add fields. */
export const storedScheduleSchema = z.object({
  ...fields,
  overlap: z.enum(overlapPolicies),
  isPaused: z.boolean(),
  sinceMs: z.number(),
});

export interface Schedule {
  readonly name: string;
  readonly timing: Timing;
  readonly action: ScheduleAction;
  readonly missed: MissedPolicy;
  /** An occurrence that could not start for so long is skipped. */
  readonly withinMs: number;
  /** If the run before has not ended: skip the occurrence, or run it afterwards. */
  readonly overlap: (typeof overlapPolicies)[number];
  readonly isPaused: boolean;
  /** When it was created, changed or resumed. Occurrences up to this moment are ignored. */
  readonly sinceMs: number;
}

const needCampaign: readonly ScheduleKind[] = ["gather", "report", "export"];

function actionFault(action: ScheduleAction) {
  const { kind, campaign, missing, staleMs, format, onlyNew, target } = action;
  if (needCampaign.includes(kind) && campaign === undefined) return `${kind} needs a campaign`;
  if (!needCampaign.includes(kind) && campaign !== undefined) return `${kind} takes no campaign`;
  const isChosen = missing !== undefined || staleMs !== undefined;
  if (kind === "rescrape" && !isChosen) {
    return "rescrape needs to know which companies: missing fields, stale ones, or both";
  }
  if (kind !== "rescrape" && isChosen) return `missing and stale are for rescrape, not ${kind}`;
  if (kind !== "export" && format !== undefined) return `format is for export, not ${kind}`;
  if (kind !== "export" && onlyNew !== undefined) return `only new is for export, not ${kind}`;
  if (kind === "publish" && target === undefined) return "publish needs a target";
  if (kind !== "publish" && target !== undefined) return `target is for publish, not ${kind}`;
  return undefined;
}

const overlapFault = ({
  missed,
  overlap,
}: {
  readonly missed: MissedPolicy;
  readonly overlap?: string | undefined;
}) =>
  missed === "all" && overlap === "skip"
    ? "missed = all runs several occurrences one after the other, so overlap must be queue"
    : undefined;
