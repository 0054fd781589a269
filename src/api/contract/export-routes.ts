import * as z from "zod";
import { companyFilter } from "./record-routes.ts";
import { name, route } from "./route.ts";

const common = {
  ...companyFilter,
  campaign: name.optional().describe("only companies of this campaign"),
  withExcluded: z.boolean().default(false).describe("excluded companies too"),
  bom: z.boolean().default(false).describe("begin CSV with a byte order mark, for older Excel"),
};

export const exportRoutes = {
  exportCompanies: route({
    method: "GET",
    path: "/api/exports/companies",
    scope: "exports:read",
    summary: "companies by words and filters as a file, by name",
    query: z.strictObject({
      ...common,
      format: z.enum(["csv", "json", "jsonl", "vcf", "geojson", "kml"]).default("csv"),
      column: z.array(name).max(100).optional().describe("which columns, in which order"),
    }),
    sends: "file",
    answer: z.string(),
    commands: ["export companies"],
  }),
  exportEmails: route({
    method: "GET",
    path: "/api/exports/emails",
    scope: "exports:read",
    summary: "e-mail addresses of companies by words and filters as a file, each once",
    query: z.strictObject({
      ...common,
      format: z.enum(["csv", "json", "jsonl", "vcf"]).default("csv"),
      sitesMax: z
        .int()
        .min(1)
        .optional()
        .describe("leave out addresses found on more unrelated sites"),
    }),
    sends: "file",
    answer: z.string(),
    commands: ["export emails"],
  }),
};
