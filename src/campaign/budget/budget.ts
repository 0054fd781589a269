import { formatAmount } from "../../base/text/count-words.ts";
import type { Job } from "../../queue/index.ts";
import type { Campaign } from "../campaign.ts";
import { budgetLimits, type BudgetLimit, type BudgetStatus } from "./budget-schema.ts";

/** The sources of the numbers that a budget limits. */
export interface BudgetSources {
  readonly job: (name: string) => Promise<Job | undefined>;
  /** The time of the queue's store. */
  readonly nowMs: () => Promise<number>;
  /**
   * The cost of this node's requests to buckets in the last `lastMs` milliseconds, without those of
   * the queue.
   */
  readonly dollars: (lastMs: number) => Promise<number>;
  /**
   * The price of one request of a commit to the queue; 0 if the queue is not in a bucket that
   * charges.
   */
  readonly dollarsPerCommitRequest: number;
  /**
   * The companies of the campaign, without excluded and filtered ones. The count may be seconds
   * old.
   */
  readonly companies: (campaign: Campaign) => Promise<number>;
}

const hourMs = 3_600_000;

/** Undefined if the campaign has no limit. */
export async function budgetStatus(
  campaign: Campaign,
  sources: BudgetSources,
): Promise<BudgetStatus | undefined> {
  const { budget } = campaign;
  if (!budget) return undefined;
  const job = await sources.job(campaign.name);
  const limits: BudgetStatus["limits"] = [];
  for (const limit of budgetLimits) {
    const max = budget[limit];
    if (max === undefined) continue;
    limits.push({ limit, max, spent: await spentOf({ campaign, limit, job, sources }) });
  }
  if (limits.length === 0) return undefined;
  const left = job ? job.pending + job.running : 0;
  const exceeded = limits.find(({ limit, max, spent }) => !growing.has(limit) && spent > max);
  const reached =
    (left > 0 ? undefined : exceeded) ?? limits.find(({ max, spent }) => spent >= max);
  return {
    state: reached && (left > 0 || exceeded) ? "budget" : "within",
    ...(reached && { reached: reached.limit }),
    limits,
    left,
  };
}

/** These values keep growing after all work is done, so a finished campaign does not count as exceeding them. */
const growing: ReadonlySet<BudgetLimit> = new Set(["hours", "dollars"]);

interface Asked {
  readonly campaign: Campaign;
  readonly limit: BudgetLimit;
  readonly job: Job | undefined;
  readonly sources: BudgetSources;
}

async function spentOf({ campaign, limit, job, sources }: Asked): Promise<number> {
  if (limit === "companies") return await sources.companies(campaign);
  if (!job) return 0;
  if (limit === "requests") return job.requests;
  const openMs = Math.max(0, (await sources.nowMs()) - job.openedAtMs);
  if (limit === "hours") return rounded(openMs / hourMs);
  const ofQueue = (job.commitRequests ?? 0) * sources.dollarsPerCommitRequest;
  return rounded(ofQueue + (await sources.dollars(openMs)));
}

/** A request to a bucket costs a fraction of a millionth of a dollar. */
const rounded = (value: number) => Math.round(value * 1e9) / 1e9;

/** Such as `40 of 40 requests`. */
export const spentText = ({ limits, reached }: BudgetStatus): string =>
  limits
    .filter(({ limit }) => reached === undefined || limit === reached)
    .map(({ limit, max, spent }) => `${formatAmount(spent)} of ${formatAmount(max)} ${limit}`)
    .join(", ");

/** Which limit was reached, and what to do. */
export function budgetText(campaign: string, status: BudgetStatus): string {
  const { reached = "requests", left } = status;
  const set = (value: string) => `\`forager campaign set ${campaign} budget.${reached}=${value}\``;
  return left > 0
    ? `stopped by its budget, ${spentText(status)}: raise it with ${set("…")}, then ` +
        `\`forager campaign run ${campaign}\` or \`forager campaign dispatch ${campaign}\` continues`
    : `done, but over its budget, ${spentText(status)}: raise it with ${set("…")}, or remove it with ${set("none")}`;
}
