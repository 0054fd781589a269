import { z } from "zod";

/**
 * `report.json`: what a campaign has come to. The same document for the command line, the HTTP API,
 * the dashboard and published sites. New keys may be added; what a key means does not change.
 */
const count = z.int().min(0);
/** From 0 to 1, rounded to four digits. */
const share = z.number().min(0).max(1);
const moment = z.iso.datetime();

/** Each step has those of the one before that came further. */
const funnelShape = {
  /** Tiles that were looked through, however long ago. */
  tiles: count,
  /** Answers of sources; a place that several questions found counts for each. */
  places: count,
  /** Companies that these places became, without excluded ones. */
  companies: count,
  withWebsite: count,
  /** The website was visited, however that ended. */
  visited: count,
  /** The website was read. */
  enriched: count,
  withEmail: count,
  withPhone: count,
};
const funnelSchema = z.object(funnelShape);
export type CampaignFunnel = z.infer<typeof funnelSchema>;

const stateCounts = z.object({
  fresh: count,
  empty: count,
  expired: count,
  failed: count,
  never: count,
});

export const campaignReportSchema = z.object({
  format: z.literal("forager-campaign-report/1"),
  campaign: z.string(),
  /** When it was computed. */
  at: moment,
  /** Of the plan, by state; a tile is as good as its worst question. */
  tiles: stateCounts.extend({ planned: count }),
  /** Questions: tile × phrase × source. `leftOut`: the source has no place in the tile. */
  targets: stateCounts.extend({ planned: count, leftOut: count }),
  /** Each company once. */
  funnel: funnelSchema,
  /** A company that two questions found is in both rows. */
  rows: z.array(z.object({ phrase: z.string(), source: z.string(), ...funnelShape })),
  /** How many of the companies have a value, by field. */
  fields: z.array(z.object({ field: z.string(), companies: count, share })),
  /** Every company without an e-mail address has exactly one of these reasons. */
  withoutEmail: z.object({
    companies: count,
    reasons: z.array(
      z.object({
        reason: z.string(),
        /** What a machine said: `dns`, `http_403`. */
        detail: z.string().optional(),
        text: z.string(),
        companies: count,
        /** Folders of some of them. */
        examples: z.array(z.string()),
      }),
    ),
  }),
  /** A lead is a company with an e-mail address. */
  cost: z.object({
    leads: count,
    /** Requests to websites, as far as visits counted them. */
    websiteRequests: count,
    websiteRequestsPerLead: z.number().min(0).optional(),
    /** Of this node, since the campaign's first find. Absent: nothing was counted. */
    bucketRequests: count.optional(),
    bucketDollars: z.number().min(0).optional(),
    bucketDollarsPerLead: z.number().min(0).optional(),
  }),
  freshness: z.object({
    /** Of looks at tiles that still count. */
    oldestTileAt: moment.optional(),
    newestTileAt: moment.optional(),
    /** When the first tile is due again. */
    nextDueAt: moment.optional(),
    /** Companies by the age of their last visit. */
    visits: z.object({ days7: count, days30: count, days90: count, older: count, never: count }),
  }),
  excluded: count,
  /** Companies that a filter of the campaign rejects, by filter: kept, not visited, not counted. */
  filtered: z.array(z.object({ filter: z.string(), companies: count })).default([]),
  /** Absent: the campaign has no job yet. */
  tasks: z
    .object({ pending: count, running: count, done: count, skipped: count, failed: count })
    .optional(),
  /** What has to be shown beside the data, by the licences of its sources. */
  licences: z.array(z.object({ text: z.string(), licence: z.string(), url: z.string() })),
  alarms: z.array(z.object({ alarm: z.string(), text: z.string() })),
});
export type CampaignReport = z.infer<typeof campaignReportSchema>;
