import { z } from "zod";
import { stateCounts } from "./queue-routes.ts";
import { count, name, route } from "./route.ts";

const campaignState = z.strictObject({
  campaign: z.string(),
  tiles: count,
  targets: count.describe("tiles × phrases × sources"),
  fresh: count,
  empty: count,
  expired: count,
  never: count,
  leftOut: count.describe("targets in whose tile their source has no place"),
  found: count,
  nextDueAt: z.string().nullable(),
  tasks: stateCounts,
});

export const campaignRow = z.strictObject({
  campaign: z.string(),
  phrases: z.array(z.string()),
  locations: z.array(
    z.strictObject({
      name: z.string(),
      latitude: z.number(),
      longitude: z.number(),
      proximityKm: z.number(),
    }),
  ),
  fault: z.string().nullable().describe("what is wrong in its config.toml; null: nothing"),
});

export const campaignRoutes = {
  listCampaigns: route({
    method: "GET",
    path: "/api/campaigns",
    scope: "campaigns:read",
    summary: "campaigns of this data folder",
    answer: z.strictObject({ rows: z.array(campaignRow) }),
  }),
  campaignStatus: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/status",
    scope: "campaigns:read",
    summary: "how far a campaign is, by its witnesses and tasks",
    params: z.strictObject({ campaign: name }),
    answer: campaignState,
    commands: ["campaign status"],
  }),
};
