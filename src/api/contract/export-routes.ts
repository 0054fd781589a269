import * as z from "zod";
import { companyFilter } from "./records/record-routes.ts";
import { name, route } from "./route.ts";

const common = {
  ...companyFilter,
  campaign: name.optional().describe("only companies of this campaign"),
  withExcluded: z.boolean().default(false).describe("excluded companies too"),
  bom: z.boolean().default(false).describe("begin CSV with a byte order mark, for older Excel"),
};

const companies = {
  ...common,
  format: z.enum(["csv", "json", "jsonl", "vcf", "geojson", "kml"]).default("csv"),
  column: z.array(name).max(100).optional().describe("the columns in their order"),
};

const emails = {
  ...common,
  format: z.enum(["csv", "json", "jsonl", "vcf"]).default("csv"),
  sitesMax: z.int().min(1).optional().describe("leave out addresses found on more unrelated sites"),
};

const onlyNew = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: "use a-z, 0-9 and dashes, such as hubspot-weekly" })
    .optional()
    .describe("exported rows are remembered under this name; absent: the name of the campaign, otherwise of the kind"), // prettier-ignore
  isRestarted: z.boolean().default(false).describe("begin again: everything counts as new"),
};

export const exportRoutes = {
  exportCompanies: route({
    method: "GET",
    path: "/api/exports/companies",
    scope: "exports:read",
    summary: "companies by words and filters as a file, by name",
    query: z.strictObject(companies),
    sends: "file",
    answer: z.string(),
    commands: ["export companies"],
  }),
  exportEmails: route({
    method: "GET",
    path: "/api/exports/emails",
    scope: "exports:read",
    summary: "e-mail addresses of companies by words and filters as a file, each once",
    query: z.strictObject(emails),
    sends: "file",
    answer: z.string(),
    commands: ["export emails"],
  }),
  exportNewCompanies: route({
    method: "POST",
    path: "/api/exports/companies/new",
    scope: "exports:read",
    summary: "companies that no earlier export of this name had, as a file",
    query: z.strictObject({ ...companies, ...onlyNew }),
    sends: "file",
    answer: z.string(),
    commands: ["export companies"],
  }),
  exportChanges: route({
    method: "POST",
    path: "/api/exports/changes",
    scope: "exports:read",
    summary:
      "companies that are new, changed, closed or removed since the last feed of this name, as JSON lines",
    query: z.strictObject({
      ...companyFilter,
      campaign: common.campaign,
      withExcluded: common.withExcluded,
      ...onlyNew,
    }),
    sends: "file",
    answer: z.string(),
    commands: ["export changes"],
  }),
  exportNewEmails: route({
    method: "POST",
    path: "/api/exports/emails/new",
    scope: "exports:read",
    summary: "e-mail addresses that no earlier export of this name had, as a file",
    query: z.strictObject({ ...emails, ...onlyNew }),
    sends: "file",
    answer: z.string(),
    commands: ["export emails"],
  }),
};
