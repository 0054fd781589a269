import * as z from "zod";
import { count, route } from "./route.ts";

const site = z.strictObject({
  target: z.string(),
  mode: z.enum(["private", "public", "sealed"]),
  campaign: z.string().optional().describe("absent: all companies"),
  shown: z.array(z.string()).describe("of a public site: personal values that it shows"),
  at: z.string().describe("when it last changed"),
  companies: count,
});

/**
 * Published sites. A new target is added on the command line, where its audience has to be chosen.
 */
export const siteRoutes = {
  listSites: route({
    method: "GET",
    path: "/api/sites",
    scope: "campaigns:read",
    summary: "sites that this data folder has published",
    answer: z.strictObject({ rows: z.array(site) }),
  }),
  publishSite: route({
    method: "POST",
    path: "/api/sites/publish",
    scope: "campaigns:write",
    summary: "publish a site again, in the way it was published before",
    body: z.strictObject({ target: z.string().min(1).max(1_000) }),
    answer: z.strictObject({
      status: z.enum(["published", "unchanged"]),
      generation: count,
      companies: count,
      written: count,
      leftOut: z.strictObject({
        suppressed: count,
        excluded: count,
        values: z.array(z.string()).readonly(),
      }),
      hook: z.string().nullable().describe("the outcome of publish.afterCommand"),
    }),
    commands: ["publish"],
  }),
};
