import * as z from "zod";
import { auditFindingSchema } from "../../campaign/audit/audit-schema.ts";
import { count, name, route } from "./route.ts";

const about = z.strictObject({
  campaign: name.optional().describe("only findings about this campaign"),
});

export const auditRoutes = {
  auditCampaigns: route({
    method: "GET",
    path: "/api/records/audit",
    scope: "companies:read",
    summary: "companies that belong to no campaign or to the wrong one, with the evidence",
    query: about,
    answer: z.strictObject({
      campaigns: count,
      companies: count.describe("companies that were checked"),
      findings: z.array(auditFindingSchema),
      isComplete: z.boolean().describe("false: there are more findings"),
    }),
    commands: ["campaign audit"],
  }),
  repairCampaigns: route({
    method: "POST",
    path: "/api/records/audit/repair",
    scope: "companies:write",
    summary: "apply the corrections that the audit proposes; each company can be restored",
    body: about,
    answer: z.strictObject({
      repaired: count.describe("findings"),
      left: count.describe("findings that match no campaign"),
      undoAt: z.string().describe("the moment before: restore a company as of then to undo"),
    }),
    commands: ["campaign audit"],
  }),
};
