import * as z from "zod";
import { AppError } from "../base/app-error.ts";
import { exportFormats } from "../records/index.ts";
import { timingFault, type Timing } from "./occurrences.ts";

/** The actions of schedules. Each is also a command. */
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
/** Other spellings that the input may use. */
export const scheduleKindAliases = ["re-scrape"] as const;

/** What happens to occurrences that were due while no node was running. */
export const missedPolicies = ["latest", "skip", "all"] as const;
export type MissedPolicy = (typeof missedPolicies)[number];
export const overlapPolicies = ["skip", "queue"] as const;

export const withinMsDefault = 12 * 3_600_000;
/**
 * Shorter than the time for which keys of finished tasks are reserved, so no occurrence can run
 * twice.
 */
export const withinMsMax = 30 * 86_400_000;

/** One rule for all names, because they become parts of jobs, fields and URLs. */
export const scheduleNameRule = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const nameOf = (what: string) => {
  const error = `${what} must be 1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit`;
  return z.string({ error }).regex(scheduleNameRule, { error });
};

/** Complete sentences, so that no message of the validator is shown. */
const textOf = (what: string, max: number) => {
  const error = `${what} must be text of 1 to ${max} characters`;
  return z.string({ error }).min(1, { error }).max(max, { error });
};

/** The fields that `missing` can list: a company is visited again if it lacks all listed ones. */
export const rescrapeFields = ["email", "phone", "domain"] as const;

const missingError = `missing must be some of ${rescrapeFields.join(", ")}`;

export const scheduleActionSchema = z.strictObject({
  kind: z
    .enum([...scheduleKinds, ...scheduleKindAliases], {
      error: `does must be one of ${scheduleKinds.join(", ")}`,
    })
    .transform((kind): ScheduleKind => (kind === "re-scrape" ? "rescrape" : kind)),
  /** For gather, report and export. */
  campaign: textOf("campaign", 63).optional(),
  /** For rescrape: companies that lack all of these fields. */
  missing: z
    .array(z.enum(rescrapeFields, { error: missingError }), { error: missingError })
    .min(1, { error: missingError })
    .optional(),
  /** For rescrape: companies whose website was not read for this long. */
  staleMs: z
    .int({ error: "stale must be a time, such as 30d" })
    .min(1, { error: "stale must be a time above 0, such as 30d" })
    .optional(),
  /** For export. */
  format: z
    .enum(exportFormats, { error: `format must be one of ${exportFormats.join(", ")}` })
    .optional(),
  /**
   * For export: only companies that no earlier export of this name contained, in a new file each
   * time.
   */
  onlyNew: nameOf("the name of the export").optional(),
  /** For export: a feed of changes with this name; each run writes a new file. */
  changes: nameOf("the name of the feed").optional(),
  /** For publish: the destination. A site must have been published there before. */
  target: textOf("target", 1_000).optional(),
});
export type ScheduleAction = z.output<typeof scheduleActionSchema>;

const timing = z.union([
  z.strictObject({
    cron: textOf("cron", 200),
    timezone: textOf("timezone", 64),
  }),
  z.strictObject({
    everyMs: z
      .int({ error: "every must be a time, such as 6h" })
      .min(60_000, { error: "an interval is at least one minute" })
      .max(366 * 86_400_000, { error: "an interval is at most 366 days" }),
    /** Occurrences are at this moment plus whole intervals. */
    fromMs: z.number(),
  }),
]);

const fields = {
  timing,
  action: scheduleActionSchema,
  missed: z
    .enum(missedPolicies, { error: `missed must be one of ${missedPolicies.join(", ")}` })
    .default("latest"),
  withinMs: z
    .int({ error: "within must be a time, such as 12h" })
    .min(60_000, { error: "within is at least one minute" })
    .max(withinMsMax, { error: "within is at most 30 days" })
    .default(withinMsDefault),
  overlap: z
    .enum(overlapPolicies, { error: `overlap must be ${overlapPolicies.join(" or ")}` })
    .optional(),
};

/** A schedule as the user enters it. */
export const scheduleInputSchema = z
  .strictObject({ name: nameOf("its name"), ...fields })
  .superRefine((input, ctx) => {
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

/** A schedule as it is stored. Later versions may add fields. */
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
  /** An occurrence that could not start within this time is skipped. */
  readonly withinMs: number;
  /** If the previous run has not ended: skip the occurrence, or run it afterwards. */
  readonly overlap: (typeof overlapPolicies)[number];
  readonly isPaused: boolean;
  /** When it was created, changed or resumed. Occurrences up to this moment are ignored. */
  readonly sinceMs: number;
}

const needCampaign: readonly ScheduleKind[] = ["gather", "report", "export"];

function actionFault(action: ScheduleAction) {
  const { kind, campaign, missing, staleMs, format, onlyNew, changes, target } = action;
  if (needCampaign.includes(kind) && campaign === undefined) return `${kind} needs a campaign`;
  if (!needCampaign.includes(kind) && campaign !== undefined) return `${kind} takes no campaign`;
  const isChosen = missing !== undefined || staleMs !== undefined;
  if (kind === "rescrape" && !isChosen) {
    return "rescrape needs to know which companies: missing fields, stale ones, or both";
  }
  if (kind !== "rescrape" && isChosen) return `missing and stale are for rescrape, not ${kind}`;
  if (kind !== "export" && format !== undefined) return `format is for export, not ${kind}`;
  if (kind !== "export" && onlyNew !== undefined) return `only new is for export, not ${kind}`;
  if (kind !== "export" && changes !== undefined) return `changes is for export, not ${kind}`;
  if (changes !== undefined && (onlyNew !== undefined || format !== undefined)) {
    return "a feed of changes is JSON lines of its own: leave out new and format";
  }
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

/** What is wrong with a schedule, as a sentence. */
export function faultWords(issues: readonly z.core.$ZodIssue[], input: unknown): string {
  const [issue] = issues;
  if (!issue) return "it is not a schedule";
  if (issue.code === "unrecognized_keys") return `there is no ${issue.keys[0]}: leave it out`;
  if (issue.code !== "invalid_union") return issue.message;
  const isCron = JSON.stringify(input).includes('"cron":');
  return faultWords(issue.errors[isCron ? 0 : 1] ?? [], input);
}
