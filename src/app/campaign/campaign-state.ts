import {
  budgetStatus,
  fileSourceKey,
  campaignStatus,
  mayHave,
  openCampaignFolder,
  planTargets,
  planTiles,
  readWitnesses,
  type BudgetStatus,
  type CampaignStatus,
} from "../../campaign/index.ts";
import type { Clock } from "../../base/clock.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { Job, Queue } from "../../queue/index.ts";
import { pausedFor } from "../outcome/paused-jobs.ts";
import type { Places } from "../places/open-places.ts";
import { createBudgetSources } from "./budget-sources.ts";

export interface CampaignStateOptions {
  readonly paths: Paths;
  readonly ledger: Pick<NodeReadApi["ledger"], "readAll">;
  readonly places: Pick<Places, "known">;
  /** Undefined if the queue does not exist yet. */
  readonly queue: Pick<Queue, "job" | "now" | "ended"> | undefined;
  readonly settings: Pick<Settings, "queue">;
  readonly records: Pick<NodeReadApi["records"], "search" | "count">;
  readonly clock: Clock;
}

export interface CampaignState extends CampaignStatus {
  readonly campaign: string;
  /** Targets in whose tile the source has no places. */
  readonly leftOut: number;
  readonly tasks: CampaignTasks;
  readonly isPaused: boolean;
  /**
   * The reason for which its first visits paused it. Absent if they did not, or did so on another
   * node.
   */
  readonly pausedFor?: string;
  /** Undefined if it has no budget. */
  readonly budget?: BudgetStatus;
}

export interface CampaignTasks {
  readonly pending: number;
  readonly running: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
}

/** The progress of a campaign, from its witnesses and the tasks of its job. */
export async function readCampaignState(
  name: string,
  options: CampaignStateOptions,
): Promise<CampaignState> {
  const { paths, ledger, places, queue, clock, settings } = options;
  const folder = openCampaignFolder(paths);
  const campaign = await folder.load(name);
  const tiles = planTiles(campaign).map(({ tile }) => tile);
  const releases = await places.known(campaign);
  const release = releases.get(fileSourceKey);
  const witnesses = await readWitnesses(ledger, tiles, { campaign, release });
  const planned = planTargets(campaign);
  const targets = planned.filter(mayHave(releases));
  const queueUrl = settings.queue.url;
  const budget =
    queue && (await budgetStatus(campaign, createBudgetSources({ ...options, queue, queueUrl })));
  const job = await queue?.job(name);
  const isPaused = job?.isPaused ?? false;
  const why = isPaused ? pausedFor(paths, name) : undefined;
  return {
    campaign: name,
    ...campaignStatus(campaign, targets, witnesses, clock.nowMs()),
    tiles: new Set(planned.map(({ tile }) => tile.id)).size,
    targets: planned.length,
    leftOut: planned.length - targets.length,
    tasks: tasksOf(job),
    isPaused,
    ...(why !== undefined && { pausedFor: why }),
    ...(budget && { budget }),
  };
}

const tasksOf = (job: Job | undefined): CampaignTasks => ({
  pending: job?.pending ?? 0,
  running: job?.running ?? 0,
  done: job?.done ?? 0,
  skipped: job?.skipped ?? 0,
  failed: job?.failed ?? 0,
});
