import * as z from "zod";
import { budgetStatusSchema } from "../budget/budget-schema.ts";
import { estimateComparisonSchema } from "../estimate/estimate-schema.ts";

/**
 * `report.json`: the results of a campaign. Command line, HTTP API, dashboard and published sites
 * use the same document. A stored report of another version is computed again.
 */
const count = z.int().min(0);
/** From 0 to 1, rounded to four digits. */
const share = z.number().min(0).max(1);
const moment = z.iso.datetime();

/** Each step, up to `withContact`, is a subset of the step before. */
const funnelShape = {
  tiles: count.describe("tiles that were searched, however long ago"),
  places: count.describe("a place that several questions found counts for each"),
  /** The companies created from these places, without excluded ones. */
  companies: count,
  withWebsite: count,
  /** The website was visited, with any outcome. */
  visited: count,
  /** The website was read. */
  enriched: count,
  withContact: count.describe("the website was read, and an e-mail address or a phone is known"),
  /** Companies with an e-mail address from any source. */
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
  /** The tiles of the plan by state; a tile has the worst state of its questions. */
  tiles: stateCounts.extend({ planned: count }),
  /** Questions: tile × phrase × source. `leftOut`: the source has no place in the tile. */
  targets: stateCounts.extend({ planned: count, leftOut: count }),
  /** Each company counts once. */
  funnel: funnelSchema,
  /** A company that two questions found counts in both rows. */
  rows: z.array(z.strictObject({ phrase: z.string(), source: z.string(), ...funnelShape })),
  /** By field: how many companies have a value. */
  fields: z.array(z.strictObject({ field: z.string(), companies: count, share })),
  /** Every company without an e-mail address has exactly one of these reasons. */
  withoutEmail: z.strictObject({
    companies: count,
    reasons: z.array(
      z.strictObject({
        reason: z.string(),
        /** A machine-readable reason: `dns`, `http_403`. */
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
    /** Requests to websites, if visits counted them. */
    websiteRequests: count,
    /** Bytes that websites sent, if visits counted them. */
    websiteBytes: count.default(0),
    /** From the first find to the start of the last visit. */
    hours: z.number().min(0).default(0),
    websiteRequestsPerLead: z.number().min(0).optional(),
    /** Requests of this node since the campaign's first find. Absent if nothing was counted. */
    bucketRequests: count.optional(),
    bucketDollars: z.number().min(0).optional(),
    bucketDollarsPerLead: z.number().min(0).optional(),
  }),
  freshness: z.strictObject({
    /** The oldest search of a tile that is still valid. */
    oldestTileAt: moment.optional(),
    newestTileAt: moment.optional(),
    /** When the first tile must be searched again. */
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
  /**
   * How many companies each filter of the campaign rejects. They are kept, but not visited and not
   * counted elsewhere.
   */
  filtered: z.array(z.strictObject({ filter: z.string(), companies: count })).default([]),
  /**
   * Places that the sources mark as permanently closed. They become no companies and are not
   * visited.
   */
  closedPlaces: count.default(0),
  /** Those of `funnel.places` that were on the suppression list when their tile was searched. */
  suppressedPlaces: count.default(0),
  /** Absent if the campaign has no job yet. */
  tasks: z
    .object({ pending: count, running: count, done: count, skipped: count, failed: count })
    .optional(),
  licences: z
    .array(z.strictObject({ text: z.string(), licence: z.string(), url: z.string() }))
    .describe("the attribution that the licences of the sources require"),
  /** Absent if the campaign has no budget. */
  budget: budgetStatusSchema.optional(),
  /** The comparison of the estimate with the results. Absent if there is no estimate. */
  estimate: estimateComparisonSchema.optional(),
  alarms: z.array(z.strictObject({ alarm: z.string(), text: z.string() })),
});
export type CampaignReport = z.infer<typeof campaignReportSchema>;
