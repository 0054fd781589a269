import * as z from "zod";

/** What a campaign may spend. When a limit is reached, none of its tasks is started any more. */
export const budgetLimits = ["requests", "hours", "dollars", "companies"] as const;
export type BudgetLimit = (typeof budgetLimits)[number];

const whole = 'a whole number from 1, or "none"';
const positive = 'a number above 0, or "none"';

/** `none` removes a limit that `_defaults.toml` sets for all campaigns. */
const limitOf = (number: z.ZodType<number>, error: string) =>
  z
    .union([number, z.literal("none")], { error })
    .transform((value) => (value === "none" ? undefined : value))
    .optional();

/** The table `[budget]` of a campaign. */
export const budgetSchema = z.strictObject({
  /** Requests to websites and place servers, by all nodes together. */
  requests: limitOf(z.int({ error: whole }).min(1, { error: whole }), whole),
  /** Hours since the first task of the campaign. */
  hours: limitOf(z.number({ error: positive }).positive({ error: positive }), positive),
  /** Cost of requests to buckets, at list prices. */
  dollars: limitOf(z.number({ error: positive }).positive({ error: positive }), positive),
  /** Companies found, without excluded and filtered ones. */
  companies: limitOf(z.int({ error: whole }).min(1, { error: whole }), whole),
});
export type CampaignBudget = z.output<typeof budgetSchema>;

/** How much of a budget is spent. */
export const budgetStatusSchema = z.strictObject({
  state: z
    .enum(["within", "budget"])
    .describe(
      "budget: a limit is reached and work is left, which continues when the limit is raised; or the " +
        "campaign has used more requests or companies than its limit",
    ),
  reached: z.enum(budgetLimits).optional().describe("the first limit that is reached"),
  limits: z.array(
    z.strictObject({ limit: z.enum(budgetLimits), max: z.number(), spent: z.number().min(0) }),
  ),
  left: z.int().min(0).describe("tasks of the campaign that have not ended"),
});
export type BudgetStatus = z.infer<typeof budgetStatusSchema>;
