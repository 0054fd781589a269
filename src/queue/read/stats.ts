import type { JobCounts, KindCounts, QueueCounts } from "./counts.ts";
import type { TaskState } from "../task.ts";
import { percentiles, type WaitPercentiles } from "./wait-histogram.ts";
import { waitingReasons, type WaitingReason } from "../waiting.ts";

export interface QueueStats {
  readonly states: Readonly<Record<TaskState, number>>;
  /** All reasons in order, including those without tasks. */
  readonly reasons: readonly ReasonStats[];
  readonly kinds: readonly KindStats[];
  /** One, unless a bucket queue was created with several. */
  readonly shards: readonly ShardStats[];
  /** Waits that ended with a claim, over all kinds. */
  readonly waits: WaitPercentiles;
  readonly lanes: number;
  readonly gates: number;
  readonly jobs: JobCounts;
  readonly raises: { readonly raised: number; readonly unchanged: number };
}

export interface ReasonStats {
  readonly reason: WaitingReason;
  readonly count: number;
  /** The share of all pending tasks, or of those of the kind, 0–1. */
  readonly share: number;
  readonly oldestAgeMs: number;
}

export interface KindStats {
  readonly kind: string;
  readonly pending: number;
  readonly running: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** Pending tasks that wait only for a worker. */
  readonly claimable: number;
  /**
   * The time since the oldest of these was added, or since its gate opened if that was later; 0 if
   * there is none.
   */
  readonly claimableAgeMs: number;
  /** Of its pending tasks; only reasons with tasks. */
  readonly reasons: readonly ReasonStats[];
  readonly waits: WaitPercentiles;
}

export interface ShardStats {
  readonly shard: number;
  readonly pending: number;
  /** Done, skipped and failed tasks that are still stored. */
  readonly completed: number;
  readonly claimable: number;
  readonly claimableAgeMs: number;
}

/** Computes statistics for people from counts, the same way for every backend. */
export function summarise(counts: QueueCounts): QueueStats {
  const { now, waits, raises, lanes, gates, jobs } = counts;
  const states = {
    pending: sum(counts.kinds, ({ pending }) => pending),
    running: sum(counts.kinds, ({ running }) => running),
    done: sum(counts.kinds, ({ done }) => done),
    skipped: sum(counts.kinds, ({ skipped }) => skipped),
    failed: sum(counts.kinds, ({ failed }) => failed),
  };
  const names = [...new Set(counts.kinds.map(({ kind }) => kind))].sort();
  return {
    states,
    reasons: reasonStats(counts.kinds, states.pending, now.ms),
    kinds: names.map((kind) => {
      const own = counts.kinds.filter((one) => one.kind === kind);
      const pending = sum(own, (one) => one.pending);
      return {
        kind,
        pending,
        running: sum(own, ({ running }) => running),
        done: sum(own, ({ done }) => done),
        skipped: sum(own, ({ skipped }) => skipped),
        failed: sum(own, ({ failed }) => failed),
        ...claimable(own, now.ms),
        reasons: reasonStats(own, pending, now.ms).filter(({ count }) => count > 0),
        waits: percentiles(waits.get(kind) ?? new Map()),
      };
    }),
    shards: Array.from({ length: counts.shards }, (_, shard) => {
      const own = counts.kinds.filter((one) => one.shard === shard);
      return {
        shard,
        pending: sum(own, ({ pending }) => pending),
        completed: sum(own, ({ done, skipped, failed }) => done + skipped + failed),
        ...claimable(own, now.ms),
      };
    }),
    waits: percentiles(mergeBuckets(waits.values())),
    lanes,
    gates,
    jobs,
    raises,
  };
}

const reasonStats = (
  kinds: readonly KindCounts[],
  pending: number,
  nowMs: number,
): readonly ReasonStats[] =>
  waitingReasons.map((reason) => {
    const own = kinds.flatMap(({ reasons }) => reasons.filter((one) => one.reason === reason));
    const count = own.reduce((total, one) => total + one.count, 0);
    const oldestAtMs = own.reduce((oldest, one) => Math.min(oldest, one.oldestAtMs), Infinity);
    return {
      reason,
      count,
      share: pending === 0 ? 0 : count / pending,
      oldestAgeMs: count === 0 ? 0 : Math.max(0, nowMs - oldestAtMs),
    };
  });

/** What a claim could take. */
function claimable(kinds: readonly KindCounts[], nowMs: number) {
  const reasons = kinds.flatMap((one) => one.reasons);
  const sinceMs = kinds
    .filter((one) => one.claimableSinceMs > 0)
    .reduce((since, one) => Math.min(since, one.claimableSinceMs), nowMs);
  return {
    claimable: reasons
      .filter(({ reason }) => reason === "worker_capacity")
      .reduce((total, { count }) => total + count, 0),
    claimableAgeMs: nowMs - sinceMs,
  };
}

const sum = (kinds: readonly KindCounts[], of: (kind: KindCounts) => number) =>
  kinds.reduce((total, kind) => total + of(kind), 0);

function mergeBuckets(all: Iterable<ReadonlyMap<number, number>>): Map<number, number> {
  const merged = new Map<number, number>();
  for (const buckets of all) {
    for (const [bucket, count] of buckets) merged.set(bucket, (merged.get(bucket) ?? 0) + count);
  }
  return merged;
}
