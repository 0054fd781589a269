import { budgetStatus, resumeJob, type Campaign } from "../../campaign/index.ts";
import type { Queue } from "../../queue/index.ts";
import { createBudgetSources, type BudgetSourcesOptions } from "./budget-sources.ts";

export interface ResumeCampaignOptions extends Omit<BudgetSourcesOptions, "queue"> {
  readonly campaign: Campaign;
  readonly queue: Pick<Queue, "job" | "now" | "ended" | "resume" | "add">;
}

/**
 * `budget`: a limit of its budget is reached. `running`: it was not paused. `resumed`: it was
 * paused, and no limit is reached any more. `paused`: it has no budget, so a user or its first
 * visits have paused it.
 */
export type ResumeOutcome = "running" | "resumed" | "budget" | "paused";

/** Resumes the job of a campaign after its budget was raised, as `forager queue resume` does. */
export async function resumeWithinBudget(options: ResumeCampaignOptions): Promise<ResumeOutcome> {
  const { campaign, queue } = options;
  const status = await budgetStatus(campaign, createBudgetSources(options));
  if (status?.state === "budget") return "budget";
  const job = await queue.job(campaign.name);
  if (job?.isPaused !== true) return "running";
  if (!campaign.budget) return "paused";
  await resumeJob(queue, campaign.name, { nowMs: options.clock.nowMs() });
  return "resumed";
}
