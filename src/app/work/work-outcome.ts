import type { Clock } from "../../base/clock.ts";
import type { NodeReadApi } from "../../node/index.ts";
import { readStoppedCampaigns } from "../campaign/budget-sources.ts";
import type { Paths } from "../../config/index.ts";
import { deliveryKind } from "../../notify/index.ts";
import type { Queue, Task } from "../../queue/index.ts";
import type { JobTroubles } from "../outcome/job-troubles.ts";
import { readJobTroubles } from "../outcome/read-job-troubles.ts";
import type { HeldNode } from "./process-pool.ts";
import { readReleaseRecords, type ContactSettings } from "./release-records.ts";
import type { WorkSummary } from "./work-summary.ts";

/** The results of the work since it was opened. */
export interface WorkOutcome extends WorkSummary, JobTroubles {
  /** The reasons why tasks failed for good, the most frequent first. */
  readonly failures: readonly FailureCount[];
  /** Waiting tasks that no worker of this node can run. */
  readonly undone: readonly UndoneCount[];
  /** Webhook deliveries that wait for their next attempt; a drain does not wait for them. */
  readonly deliveriesLeft?: number;
  /** Set if the fleet has paused or drained this node, so that some or all tasks were not run. */
  readonly held?: HeldNode & { readonly node: string };
  /** Campaigns that were stopped by their budget, each with the next step. */
  readonly stopped: readonly { readonly campaign: string; readonly text: string }[];
}

export interface UndoneCount {
  readonly kind: string;
  readonly count: number;
  /**
   * `no_handler`: no worker here has a handler for the kind. `unwanted`: by a command to the fleet,
   * none may run here. `released`: this node lacks something.
   */
  readonly why: "no_handler" | "unwanted" | "released";
  /** What this node lacks; only for released tasks. */
  readonly reason?: string;
}

export interface FailureCount {
  readonly kind: string;
  readonly reason: string;
  readonly count: number;
}

/** Enough to find the most frequent reasons. */
const failedReadMax = 1_000;

export interface WorkOutcomeOptions {
  readonly queue: Pick<Queue, "ended" | "stats" | "job" | "jobs" | "now" | "hasTaskLimit">;
  readonly queueUrl: string;
  readonly clock: Clock;
  readonly reader: Pick<NodeReadApi, "ledger" | "records">;
  /** The kinds that the workers have handlers for; undefined if not known. */
  readonly kinds: ReadonlySet<string> | undefined;
  /** Kinds that must not run on this node, by a command to the fleet. */
  readonly unwanted: ReadonlySet<string>;
  /** The process exits when no tasks are left. */
  readonly isDraining: boolean;
  /** True if it ended because no tasks were left. */
  readonly isDrained: boolean;
  readonly held: HeldNode | undefined;
  /** The name of this node. */
  readonly node: string;
  readonly paths: Paths;
  readonly settings: ContactSettings;
  /** By the clock of the queue's store. */
  readonly sinceMs: number;
  readonly summary: WorkSummary;
}

export async function readWorkOutcome(options: WorkOutcomeOptions): Promise<WorkOutcome> {
  const { queue, held, node, paths, sinceMs, summary } = options;
  const query = { states: ["failed"], isNewestFirst: true, limit: failedReadMax } as const;
  const failed = summary.failed === 0 ? [] : await queue.ended(query);
  const stopped = await readStoppedCampaigns({ ...options, ...options.reader });
  const names = stopped.map(({ campaign }) => campaign);
  const troubles = await readJobTroubles({ queue, paths, stopped: names });
  return {
    ...summary,
    ...(held && { held: { ...held, node } }),
    ...(options.isDraining && (await countDeliveries(queue))),
    undone: options.isDrained ? await countUndone(options, { isStopped: stopped.length > 0 }) : [],
    stopped,
    failures: countFailures(failed.filter(({ finishedAtMs }) => finishedAtMs >= sinceMs)),
    paused: troubles.paused,
    // `forager status` shows the outcomes of earlier visits.
    unread: summary.visits.length === 0 ? [] : troubles.unread,
  };
}

/** Claimable tasks that remain after a drain are those that no worker here can run. */
async function countUndone(
  options: WorkOutcomeOptions,
  { isStopped }: { readonly isStopped: boolean },
): Promise<readonly UndoneCount[]> {
  const { queue, kinds, unwanted, summary, paths } = options;
  const released =
    summary.released === 0 ? [] : await readReleaseRecords(paths, queue, options.settings);
  // The end of a drain may itself cause an event, which the next worker delivers.
  const waiting = (await queue.stats()).kinds.filter(
    ({ kind, claimable }) => claimable > 0 && kind !== deliveryKind,
  );
  return waiting.flatMap(({ kind, claimable: count }): readonly UndoneCount[] => {
    const isReleased = summary.releasedKinds.includes(kind);
    if (unwanted.has(kind)) return [{ kind, count, why: "unwanted" }];
    if (!isReleased) return !kinds || kinds.has(kind) ? [] : [{ kind, count, why: "no_handler" }];
    const reason = released.find((one) => one.kind === kind)?.reason;
    // Tasks released because of a budget have no record; the stopped campaign is listed instead.
    if (reason === undefined && isStopped) return [];
    return [{ kind, count, why: "released", ...(reason !== undefined && { reason }) }];
  });
}

async function countDeliveries(queue: Pick<Queue, "stats">) {
  const { kinds } = await queue.stats();
  const deliveriesLeft = kinds.find(({ kind }) => kind === deliveryKind)?.pending ?? 0;
  return deliveriesLeft > 0 && { deliveriesLeft };
}

function countFailures(tasks: readonly Task[]): readonly FailureCount[] {
  const counts = new Map<string, FailureCount>();
  for (const { kind, attempts } of tasks) {
    const reason = attempts.at(-1)?.reason.split("\n", 1)[0] ?? "";
    const id = JSON.stringify([kind, reason]);
    counts.set(id, { kind, reason, count: (counts.get(id)?.count ?? 0) + 1 });
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count);
}
