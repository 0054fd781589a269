import * as z from "zod";
import { budgetStandingSchema } from "../budget/budget-schema.ts";
import { estimateComparisonSchema } from "../estimate/estimate-schema.ts";

/**
 * `report.json`: what a campaign has come to. The same document for the command line, the HTTP API,
 * the dashboard and published sites. What is kept of
 * another version is computed again.
 */
const count = z.int().min(0);
/** From 0 to 1, rounded to four digits. */
const share = z.number().min(0).max(1);
const moment = z.iso.datetime();

/** Each step, up to `withContact`, has those of the one before that came further. */
const funnelShape = {
  tiles: count.describe("tiles that were searched, however long ago"),
  places: count.describe("a place that several questions found counts for each"),
  /** Companies that these places became, without excluded ones. */
  companies: count,
  withWebsite: count,
  /** The website was visited, however that ended. */
  visited: count,
  /** The website was read. */
  enriched: count,
  withContact: count.describe("the website was read, and an e-mail address or a phone is known"),
  /** Of all companies, whoever said it. */
  withEmail: count,
  withPhone: count,
};
const funnelSchema = z.strictObject(funnelShape);
export type CampaignFunnel = z.infer<typeof funnelSchema>;

const stateCounts = z.strictObject({
  fresh: count,
  empty: count,
  expired: count,
  failed: count,
  never: count,
});

export const campaignReportSchema = z.strictObject({
  format: z.literal("forager-campaign-report/1"),
  campaign: z.string(),
  at: moment.describe("when it was computed"),
  /** Of the plan, by state; a tile is as good as its worst question. */
  tiles: stateCounts.extend({ planned: count }),
  /** Questions: tile × phrase × source. `leftOut`: the source has no place in the tile. */
  targets: stateCounts.extend({ planned: count, leftOut: count }),
  /** Each company once. */
  funnel: funnelSchema,
  /** A company that two questions found is in both rows. */
  rows: z.array(z.strictObject({ phrase: z.string(), source: z.string(), ...funnelShape })),
  /** How many of the companies have a value, by field. */
  fields: z.array(z.strictObject({ field: z.string(), companies: count, share })),
  /** Every company without an e-mail address has exactly one of these reasons. */
  withoutEmail: z.strictObject({
    companies: count,
    reasons: z.array(
      z.strictObject({
        reason: z.string(),
        /** What a machine said: `dns`, `http_403`. */
        detail: z.string().optional(),
        text: z.string(),
        companies: count,
        examples: z.array(z.string()).describe("folders of some of them"),
      }),
    ),
  }),
  /** A lead is a company with an e-mail address. */
  cost: z.strictObject({
    leads: count,
    /** Requests to websites, as far as visits counted them. */
    websiteRequests: count,
    /** That websites sent, as far as visits counted them. */
    websiteBytes: count.default(0),
    /** From the first find to the begin of the last visit. */
    hours: z.number().min(0).default(0),
    websiteRequestsPerLead: z.number().min(0).optional(),
    /** Of this node, since the campaign's first find. Absent: nothing was counted. */
    bucketRequests: count.optional(),
    bucketDollars: z.number().min(0).optional(),
    bucketDollarsPerLead: z.number().min(0).optional(),
  }),
  freshness: z.strictObject({
    /** Of looks at tiles that still count. */
    oldestTileAt: moment.optional(),
    newestTileAt: moment.optional(),
    /** When the first tile is due again. */
    nextDueAt: moment.optional(),
    /** Companies by the age of their last visit. */
    visits: z.strictObject({
      days7: count,
      days30: count,
      days90: count,
      older: count,
      never: count,
    }),
  }),
  excluded: count,
  /** Companies that a filter of the campaign rejects, by filter: kept, not visited, not counted. */
  filtered: z.array(z.strictObject({ filter: z.string(), companies: count })).default([]),
  /** Places that its sources mark as closed for good, in all of their data: no companies, no visits. */
  closedPlaces: count.default(0),
  /** Of `funnel.places`, those that were on the suppression list when their tile was searched. */
  suppressedPlaces: count.default(0),
  /** Absent: the campaign has no job yet. */
  tasks: z
    .object({ pending: count, running: count, done: count, skipped: count, failed: count })
    .optional(),
  licences: z
    .array(z.strictObject({ text: z.string(), licence: z.string(), url: z.string() }))
    .describe("what has to be shown beside the data, by the licences of its sources"),
  /** Absent: the campaign has no budget. */
  budget: budgetStandingSchema.optional(),
  /** The estimate that was made before, against what happened. Absent: none was made. */
  estimate: estimateComparisonSchema.optional(),
  alarms: z.array(z.strictObject({ alarm: z.string(), text: z.string() })),
});
export type CampaignReport = z.infer<typeof campaignReportSchema>;
