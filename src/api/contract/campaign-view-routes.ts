import { z } from "zod";
import { stateCounts } from "./queue-routes.ts";
import { count, licences, name, route } from "./route.ts";

/** What a campaign has come to, and how its tiles stand. */
const share = z.number().min(0).max(1);

const funnelFields = {
  tiles: count.describe("tiles that were looked through, however long ago"),
  places: count.describe("a place that several questions found counts for each"),
  companies: count,
  withWebsite: count,
  visited: count,
  enriched: count,
  withEmail: count,
  withPhone: count,
};

const tileCounts = { fresh: count, empty: count, expired: count, failed: count, never: count };

const report = z.strictObject({
  format: z.literal("forager-campaign-report/1"),
  campaign: z.string(),
  at: z.string().describe("when it was computed"),
  tiles: z.strictObject({ ...tileCounts, planned: count }),
  targets: z.strictObject({ ...tileCounts, planned: count, leftOut: count }),
  funnel: z.strictObject(funnelFields),
  rows: z.array(z.strictObject({ phrase: z.string(), source: z.string(), ...funnelFields })),
  fields: z.array(z.strictObject({ field: z.string(), companies: count, share })),
  withoutEmail: z.strictObject({
    companies: count,
    reasons: z.array(
      z.strictObject({
        reason: z.string(),
        detail: z.string().optional(),
        text: z.string(),
        companies: count,
        examples: z.array(z.string()).describe("folders of some of them"),
      }),
    ),
  }),
  cost: z.strictObject({
    leads: count,
    websiteRequests: count,
    websiteRequestsPerLead: z.number().optional(),
    bucketRequests: count.optional(),
    bucketDollars: z.number().optional(),
    bucketDollarsPerLead: z.number().optional(),
  }),
  freshness: z.strictObject({
    oldestTileAt: z.string().optional(),
    newestTileAt: z.string().optional(),
    nextDueAt: z.string().optional(),
    visits: z.strictObject({
      days7: count,
      days30: count,
      days90: count,
      older: count,
      never: count,
    }),
  }),
  excluded: count,
  filtered: z.array(z.strictObject({ filter: z.string(), companies: count })),
  tasks: stateCounts.optional(),
  licences,
  alarms: z.array(z.strictObject({ alarm: z.string(), text: z.string() })),
});

const day = z.int().nullable().describe("days since 1970; null: there was no look");

/** Short, because a campaign can have 50,000 of them. */
const tile = z
  .tuple([z.int(), z.int(), z.int().min(0).max(4), count, day, day])
  .describe(
    "south-west corner in tenths of a degree (latitude, longitude); state: fresh, empty, expired, failed, never; places; day of the look; day it expires",
  );

const params = z.strictObject({ campaign: name });

export const campaignViewRoutes = {
  campaignReport: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/report",
    scope: "campaigns:read",
    summary: "the funnel of a campaign, why emails are missing, what it cost",
    params,
    query: z.strictObject({
      fresh: z.boolean().default(false).describe("true: compute it now; else it may be 15 minutes old"), // prettier-ignore
    }),
    answer: report,
    commands: ["campaign report"],
  }),
  campaignCoverage: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/coverage",
    scope: "campaigns:read",
    summary: "the tiles of a campaign and how they stand",
    params,
    query: z.strictObject({ phrase: name.optional().describe("absent: all phrases together") }),
    answer: z.strictObject({ rows: z.array(tile), licences }),
    commands: ["campaign coverage"],
  }),
};
