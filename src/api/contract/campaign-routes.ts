import * as z from "zod";
import { budgetStatusSchema } from "../../campaign/budget/budget-schema.ts";
import { stateCounts } from "./queue-routes.ts";
import { count, name, route } from "./route.ts";

const campaignName = z.strictObject({ campaign: name });

const campaignState = z.strictObject({
  campaign: z.string(),
  tiles: count,
  targets: count.describe("tiles × phrases × sources"),
  fresh: count,
  empty: count,
  expired: count,
  never: count,
  leftOut: count.describe("targets in whose tile the source has no places"),
  found: count,
  nextDueAt: z.string().nullable(),
  tasks: stateCounts,
  isPaused: z.boolean(),
  pausedFor: z.string().optional().describe("why its first visits paused it, if they did"),
  budget: budgetStatusSchema.optional().describe("absent: the campaign has none"),
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
  fault: z.string().nullable().describe("the error in its config.toml; null: none"),
});

export const campaignRoutes = {
  listCampaigns: route({
    method: "GET",
    path: "/api/campaigns",
    scope: "campaigns:read",
    summary: "campaigns of this data folder",
    answer: z.strictObject({ rows: z.array(campaignRow) }),
    commands: ["campaign list"],
  }),
  campaignStatus: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/status",
    scope: "campaigns:read",
    summary: "the progress of a campaign",
    params: campaignName,
    answer: campaignState,
    commands: ["campaign status"],
  }),
  showCampaignConfig: route({
    method: "GET",
    path: "/api/campaigns/{campaign}/config",
    scope: "campaigns:read",
    summary: "the config.toml of a campaign, as text",
    params: campaignName,
    answer: z.strictObject({ text: z.string() }),
    commands: ["campaign show"],
  }),
  saveCampaignConfig: route({
    method: "PUT",
    path: "/api/campaigns/{campaign}/config",
    scope: "campaigns:write",
    summary: "check a config.toml and save it; isDryRun: only check",
    params: campaignName,
    body: z.strictObject({
      text: z.string().max(1_000_000),
      base: z
        .string()
        .max(1_000_000)
        .optional()
        .describe("the text that was edited: 409 if there is another one by now"),
      isDryRun: z.boolean().default(false),
    }),
    answer: z.strictObject({ isSaved: z.boolean(), phrases: z.array(z.string()), tiles: count }),
    edits: "showCampaignConfig",
    commands: ["campaign edit", "campaign set"],
  }),
  createCampaign: route({
    method: "POST",
    path: "/api/campaigns",
    scope: "campaigns:write",
    summary: "create a campaign: a config.toml to edit",
    status: 201,
    body: z.strictObject({ campaign: name }),
    answer: z.strictObject({ campaign: z.string() }),
    commands: ["campaign new"],
  }),
};
