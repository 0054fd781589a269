import * as z from "zod";
import { count, moment, name, route } from "./route.ts";

const scheduleName = z.strictObject({ schedule: name });

const action = z.strictObject({
  kind: z.enum([
    "gather",
    "rescrape",
    "resolve",
    "report",
    "export",
    "publish",
    "compact",
    "purge",
  ]),
  campaign: z.string().min(1).max(63).optional().describe("for gather, report and export"),
  missing: z
    .array(z.enum(["email", "phone", "domain"]))
    .min(1)
    .optional()
    .describe("of rescrape: companies that lack all of these"),
  staleMs: z.int().min(1).optional().describe("for rescrape: websites not read for this long"),
  format: z
    .enum(["csv", "json", "jsonl", "vcf", "geojson", "kml"])
    .optional()
    .describe("of export"),
  onlyNew: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .describe("for export: only companies that no earlier export of this name had"),
  changes: z
    .string()
    .min(1)
    .max(63)
    .optional()
    .describe("of export: a feed of changes of this name, as JSON lines"),
  target: z.string().min(1).max(1_000).optional().describe("of publish: of /api/sites"),
});
/** Accepts several spellings. */
const givenAction = action.extend({ kind: z.enum([...action.shape.kind.options, "re-scrape"]) });
const missed = z
  .enum(["latest", "skip", "all"])
  .describe("which missed occurrences run later, if no node was running at their time");
const withinMs = z.int().describe("an occurrence that is late by more than this is skipped");
const overlap = z.enum(["skip", "queue"]).describe("if the run before has not ended");
const timing = z.union([
  z.strictObject({ cron: z.string().min(1).max(200), timezone: z.string().min(1).max(64) }),
  z.strictObject({ everyMs: z.int(), fromMs: z.number() }),
]);

const run = z.strictObject({
  occurrence: moment,
  isRunNow: z.boolean().describe("started manually, in addition to its occurrences"),
  state: z.enum(["done", "skipped", "failed"]),
  endedAt: moment,
  reason: z.string().nullable(),
});

const view = {
  name: z.string(),
  timing,
  action,
  missed,
  withinMs,
  overlap,
  isPaused: z.boolean(),
  since: moment.describe("earlier occurrences are not due"),
  next: z.array(moment).describe("the next three occurrences"),
  last: run.nullable().describe("the last run that was not skipped"),
};

const changed = z.strictObject({ name: z.string(), isPaused: z.boolean() });

export const scheduleRoutes = {
  listSchedules: route({
    method: "GET",
    path: "/api/schedules",
    scope: "campaigns:read",
    summary: "schedules with their next and last runs",
    answer: z.strictObject({ rows: z.array(z.strictObject(view)) }),
    commands: ["schedule list"],
  }),
  showSchedule: route({
    method: "GET",
    path: "/api/schedules/{schedule}",
    scope: "campaigns:read",
    summary: "a schedule with its runs, and every skipped occurrence with its reason",
    params: scheduleName,
    query: z.strictObject({ runs: z.int().min(1).max(100).default(20) }),
    answer: z.strictObject({
      ...view,
      result: z.unknown().describe("what the last run that is done returned"),
      runs: z.array(run),
    }),
    commands: ["schedule show"],
  }),
  putSchedule: route({
    method: "PUT",
    path: "/api/schedules/{schedule}",
    scope: "campaigns:write",
    summary: "add a schedule, or change it: it then starts from now",
    params: scheduleName,
    body: z.strictObject({
      cron: z.string().min(1).max(200).optional().describe("five fields; needs a timezone"),
      timezone: z.string().min(1).max(64).default("UTC"),
      everyMs: z.int().min(60_000).optional().describe("instead of cron"),
      action: givenAction,
      missed: missed.default("latest"),
      withinMs: withinMs.min(60_000).optional(),
      overlap: overlap.optional(),
    }),
    answer: z.strictObject({
      name: z.string(),
      change: z.enum(["added", "changed", "unchanged"]),
      next: z.array(moment),
    }),
    commands: ["schedule add"],
  }),
  pauseSchedule: route({
    method: "POST",
    path: "/api/schedules/{schedule}/pause",
    scope: "campaigns:write",
    summary: "pause a schedule: skip occurrences until it is resumed",
    params: scheduleName,
    answer: changed,
    commands: ["schedule pause"],
  }),
  resumeSchedule: route({
    method: "POST",
    path: "/api/schedules/{schedule}/resume",
    scope: "campaigns:write",
    summary: "resume a schedule, starting from now",
    params: scheduleName,
    answer: changed,
    commands: ["schedule resume"],
  }),
  runSchedule: route({
    method: "POST",
    path: "/api/schedules/{schedule}/runs",
    scope: "campaigns:write",
    summary: "run it once now, in addition to its occurrences",
    status: 202,
    params: scheduleName,
    answer: z.strictObject({ task: count, occurrence: moment }),
    commands: ["schedule run-now"],
  }),
  removeSchedule: route({
    method: "DELETE",
    path: "/api/schedules/{schedule}",
    scope: "campaigns:write",
    summary: "remove a schedule; its results are kept",
    params: scheduleName,
    answer: z.strictObject({ name: z.string() }),
    commands: ["schedule remove"],
  }),
};
