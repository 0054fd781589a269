import * as z from "zod";

/**
 * `estimate.json`: the expected size, duration and cost of a campaign, computed before it runs.
 * Each figure names its basis, so that a reader can tell a count from a guess. The report compares
 * it with the result.
 */
export const estimateBases = ["counted", "measured", "guess"] as const;
export type EstimateBasis = (typeof estimateBases)[number];

const basis = z
  .enum(estimateBases)
  .describe(
    "counted: from the plan and the place snapshots; measured: from earlier visits of this data folder; guess: from defaults, at least in part",
  );
const amount = z.number().min(0);
const figure = z.strictObject({
  value: amount,
  basis,
  because: z.string().describe("how the figure was made"),
});
export type EstimateFigure = z.infer<typeof figure>;

/** Figures of the whole campaign, in the order in which they are shown. */
export const estimateFigures = [
  "tiles",
  "places",
  "companies",
  "websites",
  "sourceRequests",
  "websiteRequests",
  "hours",
  "bytes",
  "bucketDollars",
] as const;
export type EstimateFigureName = (typeof estimateFigures)[number];

export const campaignEstimateSchema = z.strictObject({
  format: z.literal("forager-campaign-estimate/1"),
  campaign: z.string(),
  at: z.iso.datetime().describe("when it was made"),
  plan: z.string().describe("hash of what is looked for, where, and in which sources"),
  phrases: z.array(z.strictObject({ phrase: z.string(), places: amount, basis })),
  filtered: amount.describe("places that a filter of the campaign rejects: they are not visited"),
  suppressed: amount.default(0).describe("places that are on the suppression list: left out"),
  tiles: figure,
  places: figure.describe("a place that two phrases find counts twice"),
  companies: figure.describe(
    "places that are left after exclusions, filters and the suppression list, each once",
  ),
  websites: figure.describe("companies whose website will be visited"),
  sourceRequests: figure.describe("requests to servers that sources ask, such as Overpass"),
  websiteRequests: figure,
  hours: figure.describe("run time on this machine alone, at the campaign's request rate"),
  bytes: figure.describe("bytes received from websites"),
  bucketDollars: figure.describe("requests to buckets, at list prices"),
});
export type CampaignEstimate = z.infer<typeof campaignEstimateSchema>;

/** For one figure: the estimate, the result, and the relative error. */
export const estimateComparisonSchema = z.strictObject({
  at: z.iso.datetime().describe("when the estimate was made"),
  isFinal: z.boolean().describe("false: the campaign is not finished, so actual values will grow"),
  isOutdated: z.boolean().describe("the campaign was changed after the estimate"),
  rows: z.array(
    z.strictObject({
      figure: z.string(),
      /** Only for the figure `places`. */
      phrase: z.string().optional(),
      basis,
      estimated: amount,
      actual: amount,
      errorPercent: z.number().nullable().describe("null: nothing happened to compare with"),
    }),
  ),
});
export type EstimateComparison = z.infer<typeof estimateComparisonSchema>;
