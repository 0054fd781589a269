import * as z from "zod";

/** What a campaign may spend. When a limit is reached, no task of it is started any more. */
export const budgetLimits = ["requests", "hours", "dollars", "companies"] as const;
export type BudgetLimit = (typeof budgetLimits)[number];

const whole = "a whole number from 1";
const positive = "a number above 0";

/** `[budget]` of a campaign. */
export const budgetSchema = z.strictObject({
  /** To websites and place servers, of all nodes together. */
  requests: z.int({ error: whole }).min(1, { error: whole }).optional(),
  /** Since the first task of the campaign. */
  hours: z.number({ error: positive }).positive({ error: positive }).optional(),
  /** For requests to buckets, at list prices. */
  dollars: z.number({ error: positive }).positive({ error: positive }).optional(),
  /** That were found, without excluded and filtered ones. */
  companies: z.int({ error: whole }).min(1, { error: whole }).optional(),
});
export type CampaignBudget = z.output<typeof budgetSchema>;

/** How much of a budget is spent. */
export const budgetStandingSchema = z.strictObject({
  state: z
    .enum(["within", "budget"])
    .describe("budget: a limit is reached and work is left; it goes on when the limit is raised"),
  reached: z.enum(budgetLimits).optional().describe("the first limit that is reached"),
  limits: z.array(
    z.strictObject({ limit: z.enum(budgetLimits), max: z.number(), spent: z.number().min(0) }),
  ),
});
export type BudgetStanding = z.infer<typeof budgetStandingSchema>;
