import * as z from "zod";
import { jobRow } from "./queue-routes.ts";
import { count, name, route } from "./route.ts";

const campaignName = z.strictObject({ campaign: name });

const tagMatch = z.strictObject({
  source: z.string(),
  tag: z.string(),
  score: z.number(),
  state: z.enum(["used", "proposed"]),
  because: z.string(),
});

const plannedSource = z.strictObject({
  name: z.string(),
  release: z.string(),
  places: count,
  outside: count.describe("places outside every tile"),
  bad: count.describe("records that cannot be read"),
  closed: count,
  duplicates: count,
});

const plan = z.strictObject({
  campaign: z.string(),
  locations: z.array(z.strictObject({ name: z.string(), proximityKm: z.number(), tiles: count })),
  tiles: count,
  targets: count.describe("tiles × phrases × sources"),
  leftOut: count.describe("targets in whose tile the source has no places"),
  isWritten: z.boolean().describe("whether targets.csv was written"),
  phrases: z.array(
    z.strictObject({
      phrase: z.string(),
      found: count.describe("places in the snapshots that match"),
      matches: z.array(tagMatch),
    }),
  ),
  sources: z.array(plannedSource),
  requests: z
    .strictObject({ source: z.string(), tiles: count, hours: z.number() })
    .nullable()
    .describe("the requests to a server; null: none"),
  unread: z.array(z.strictObject({ field: z.string(), count, example: z.string() })),
  isComplete: z.boolean().describe("false: only the first 500,000 places were searched"),
  advice: z.string().nullable(),
});

const forced = z
  .boolean()
  .default(false)
  .describe("ask an Overpass server for more than 5,000 tiles");

const dispatchBody = z
  .strictObject({
    isDryRun: z.boolean().default(false).describe("only show how many are due"),
    batch: z
      .int()
      .min(1)
      .optional()
      .describe("maximum number of new tasks, in the order of the plan"),
    canary: z.int().min(1).optional().describe("maximum number of tasks, spread over the plan"),
    isRematch: z
      .boolean()
      .default(false)
      .describe("also targets that were searched with other tags, matcher or release"),
    isForced: forced,
  })
  .refine(({ batch, canary }) => batch === undefined || canary === undefined, {
    message: "batch and canary cannot be combined",
  });

const dispatched = z.strictObject({
  campaign: z.string(),
  targets: count,
  leftOut: count,
  due: count,
  chosen: count.describe("due tasks, after batch or canary"),
  added: count,
  duplicate: count.describe("already pending, running or failed"),
  refused: count.describe("over the budget of the job, or the job has ended"),
  job: z
    .enum(["running", "resumed", "budget", "paused"])
    .nullable()
    .describe(
      "of its tasks: resumed if the budget that stopped it was raised; budget if a limit is reached; null after a dry run",
    ),
  advice: z.string().nullable(),
});

export const campaignWorkRoutes = {
  planCampaign: route({
    method: "POST",
    path: "/api/campaigns/{campaign}/plan",
    scope: "campaigns:write",
    summary: "what a campaign would search; writes its target index unless isDryRun",
    params: campaignName,
    body: z.strictObject({ isDryRun: z.boolean().default(false), isForced: forced }),
    answer: plan,
    commands: ["campaign plan"],
  }),
  dispatchCampaign: route({
    method: "POST",
    path: "/api/campaigns/{campaign}/dispatch",
    scope: "campaigns:write",
    summary: "add tasks for everything that is due; the workers of the fleet run them",
    params: campaignName,
    body: dispatchBody,
    answer: dispatched,
    commands: ["campaign dispatch", "campaign rematch"],
  }),
  showCampaignJob: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/job",
    scope: "campaigns:read",
    summary: "the tasks of a campaign, which are the job of its name",
    params: campaignName,
    answer: z.strictObject({ job: jobRow.nullable().describe("null: it has not run yet") }),
    commands: ["campaign status"],
  }),
  pauseCampaign: route({
    method: "POST",
    path: "/api/campaigns/{campaign}/pause",
    scope: "campaigns:write",
    summary: "pause a campaign: start no more of its tasks; running ones finish",
    params: campaignName,
    answer: jobRow,
  }),
  resumeCampaign: route({
    method: "POST",
    path: "/api/campaigns/{campaign}/resume",
    scope: "campaigns:write",
    summary: "resume a paused campaign",
    params: campaignName,
    answer: jobRow,
  }),
  removeCampaign: route({
    method: "POST",
    path: "/api/campaigns/{campaign}/remove",
    scope: "campaigns:write",
    summary: "remove a campaign: its folder is renamed; the companies it found are kept",
    params: campaignName,
    body: z.strictObject({
      confirm: z.string().describe("the name of the campaign, as confirmation"),
    }),
    answer: z.strictObject({ campaign: z.string(), keptAs: z.string() }),
    commands: ["campaign remove"],
  }),
  explainPhrases: route({
    method: "GET",
    path: "/api/phrases",
    scope: "campaigns:read",
    summary: "the tags and categories of phrases",
    query: z.strictObject({
      phrase: z.array(name).min(1).max(50),
      language: z.array(z.string().min(2).max(10)).max(10).default([]),
    }),
    answer: z.strictObject({
      rows: z.array(z.strictObject({ phrase: z.string(), matches: z.array(tagMatch) })),
    }),
    commands: ["phrases"],
  }),
};
