import * as z from "zod";
import { campaignEstimateSchema } from "../../campaign/estimate/estimate-schema.ts";
import { campaignReportSchema } from "../../campaign/report/report-schema.ts";
import { count, licences, name, route } from "./route.ts";

const day = z.int().nullable().describe("days since 1970; null: not searched yet");

/** The fields are short because a campaign can have 50,000 tiles. */
const tile = z
  .tuple([z.int(), z.int(), z.int().min(0).max(4), count, day, day])
  .describe(
    "south-west corner in tenths of a degree (latitude, longitude); state: fresh, empty, expired, failed, never; places; day of the search; day it expires",
  );

const params = z.strictObject({ campaign: name });

export const campaignViewRoutes = {
  campaignReport: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/report",
    scope: "campaigns:read",
    summary: "the funnel of a campaign, why e-mail addresses are missing, and its cost",
    params,
    query: z.strictObject({
      fresh: z.boolean().default(false).describe("true: compute it now; otherwise it may be 15 minutes old"), // prettier-ignore
    }),
    answer: campaignReportSchema,
    commands: ["campaign report"],
  }),
  campaignEstimate: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/estimate",
    scope: "campaigns:read",
    summary: "the estimated effort of a campaign, and the basis of each figure",
    params,
    answer: campaignEstimateSchema,
    commands: ["campaign plan"],
  }),
  campaignCoverage: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/coverage",
    scope: "campaigns:read",
    summary: "the tiles of a campaign and their states",
    params,
    query: z.strictObject({ phrase: name.optional().describe("absent: all phrases together") }),
    answer: z.strictObject({ rows: z.array(tile), licences }),
    commands: ["campaign coverage"],
  }),
};
