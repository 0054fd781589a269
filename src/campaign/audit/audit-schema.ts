import * as z from "zod";

/** The ways in which a company's membership can be wrong. */
export const auditProblems = ["no_campaign", "wrong_place", "wrong_campaign"] as const;

/** A company that belongs to no campaign or to the wrong one, and the evidence. */
export const auditFindingSchema = z.strictObject({
  problem: z
    .enum(auditProblems)
    .describe(
      "no_campaign: it belongs to no campaign; wrong_place: it lies where its campaign does not search; wrong_campaign: its campaign does not search this tile for this phrase, and another one does",
    ),
  target: z.string(),
  name: z.string(),
  slug: z.string(),
  campaign: z.string().nullable().describe("the campaign that it is assigned to; null: none"),
  belongsTo: z.string().nullable().describe("where it belongs; null: no campaign fits"),
  evidence: z.string(),
  changes: z
    .array(
      z.strictObject({
        field: z.string(),
        value: z
          .strictObject({
            campaign: z.string(),
            at: z.string(),
            source: z.string(),
            filtered: z.string().optional(),
          })
          .nullable()
          .describe("null: the field is removed"),
      }),
    )
    .describe("what a repair writes; empty: it cannot be repaired"),
});
export type AuditFinding = z.infer<typeof auditFindingSchema>;
