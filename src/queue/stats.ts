import { openFromMs } from "./gate.ts";
import type { Lane, Overview } from "./queue-store.ts";
import type { TaskState } from "./task.ts";
import { percentiles, type WaitPercentiles } from "./wait-histogram.ts";
import { dueReason, isHeld, waitingReasons, type WaitingReason } from "./waiting.ts";

export interface QueueStats {
  readonly states: Readonly<Record<TaskState, number>>;
  /** All reasons, in order, also those that hold nothing back at the moment. */
  readonly reasons: readonly ReasonStats[];
  readonly kinds: readonly KindStats[];
  /** One, but for a bucket queue that was made with several. */
  readonly shards: readonly ShardStats[];
  /** Waits that ended with a claim, over all kinds. */
  readonly waits: WaitPercentiles;
  readonly lanes: number;
  readonly gates: number;
  readonly jobs: { readonly open: number; readonly paused: number; readonly ended: number };
  readonly raises: { readonly raised: number; readonly unchanged: number };
}

export interface ReasonStats {
  readonly reason: WaitingReason;
  readonly count: number;
  /** Of all pending tasks, or of those of the kind, 0–1. */
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
  /** Pending, and nothing but the lack of workers keeps them from running. */
  readonly claimable: number;
  /** Since the oldest of those was added, or its gate opened if later; 0 when there is none. */
  readonly claimableAgeMs: number;
  /** Of its pending tasks; only those that hold something back. */
  readonly reasons: readonly ReasonStats[];
  readonly waits: WaitPercentiles;
}

export interface ShardStats {
  readonly shard: number;
  readonly pending: number;
  /** Done, skipped and failed, as long as they are remembered. */
  readonly completed: number;
  readonly claimable: number;
  readonly claimableAgeMs: number;
}

/** Turns the counters of the lanes into what people ask: the same words for every backend. */
export function summarise(overview: Overview): QueueStats {
  const { lanes, jobs, gates, now, waits } = overview;
  const pending = sum(lanes, pendingOf);
  const tallies = countReasons(overview);
  const claimable = countClaimable(overview);
  return {
    states: {
      pending,
      running: sum(lanes, (lane) => lane.running),
      done: sum(lanes, (lane) => lane.done),
      skipped: sum(lanes, (lane) => lane.skipped),
      failed: sum(lanes, (lane) => lane.failed),
    },
    reasons: reasonStats([...tallies.values()], pending, now.ms),
    kinds: [...new Set(lanes.map((lane) => lane.kind))].sort().map((kind) => {
      const own = lanes.filter((lane) => lane.kind === kind);
      const ownPending = sum(own, pendingOf);
      const reasons = reasonStats([tallies.get(kind) ?? new Map()], ownPending, now.ms);
      return {
        kind,
        pending: ownPending,
        running: sum(own, (lane) => lane.running),
        done: sum(own, (lane) => lane.done),
        skipped: sum(own, (lane) => lane.skipped),
        failed: sum(own, (lane) => lane.failed),
        claimable: claimable.get(kind)?.count ?? 0,
        claimableAgeMs: Math.max(0, now.ms - (claimable.get(kind)?.oldestAtMs ?? now.ms)),
        reasons: reasons.filter(({ count }) => count > 0),
        waits: percentiles(waits.get(kind) ?? new Map()),
      };
    }),
    shards: (overview.shards ?? [lanes]).map((own, shard) => {
      const tallies = [...countClaimable({ ...overview, lanes: own }).values()];
      const oldestAtMs = Math.min(now.ms, ...tallies.map((tally) => tally.oldestAtMs));
      return {
        shard,
        pending: sum(own, pendingOf),
        completed: sum(own, (lane) => lane.done + lane.skipped + lane.failed),
        claimable: tallies.reduce((total, { count }) => total + count, 0),
        claimableAgeMs: now.ms - oldestAtMs,
      };
    }),
    waits: percentiles(mergeBuckets(waits.values())),
    lanes: lanes.length,
    gates: gates.length,
    jobs: {
      open: jobs.filter((job) => job.ended === null && !job.isPaused).length,
      paused: jobs.filter((job) => job.ended === null && job.isPaused).length,
      ended: jobs.filter((job) => job.ended !== null).length,
    },
    raises: overview.raises,
  };
}

interface Tally {
  readonly count: number;
  readonly oldestAtMs: number;
}

type Reasons = Map<WaitingReason, Tally>;

/** By kind: what a lane holds is of one kind. */
function countReasons({ lanes, gates, jobs, now }: Overview): ReadonlyMap<string, Reasons> {
  const gatesByName = new Map(gates.map((gate) => [gate.name, gate]));
  const jobsByName = new Map(jobs.map((job) => [job.name, job]));
  const tallies = new Map<string, Reasons>();
  for (const lane of lanes) {
    const job = jobsByName.get(lane.job);
    if (!job) continue;
    const own = tallies.get(lane.kind) ?? new Map<WaitingReason, Tally>();
    tallies.set(lane.kind, own);
    const note = (reason: WaitingReason, count: number, oldestAtMs: number) => {
      if (count > 0) own.set(reason, joined([own.get(reason), { count, oldestAtMs }]));
    };
    const held = isHeld(job);
    const due = dueReason(gatesByName.get(lane.gate), job, now).reason;
    note(held ? "paused" : due, lane.ready, lane.oldestReadyAtMs);
    note(held ? "paused" : "scheduled", lane.scheduled, lane.oldestScheduledAtMs);
    note(held ? "paused" : "retry_backoff", lane.backoff, lane.oldestBackoffAtMs);
  }
  return tallies;
}

const joined = (tallies: readonly (Tally | undefined)[]): Tally => ({
  count: tallies.reduce((total, tally) => total + (tally?.count ?? 0), 0),
  oldestAtMs: Math.min(...tallies.map((tally) => tally?.oldestAtMs ?? Infinity)),
});

const reasonStats = (tallies: readonly Reasons[], pending: number, nowMs: number) =>
  waitingReasons.map((reason): ReasonStats => {
    const { count, oldestAtMs } = joined(tallies.map((tally) => tally.get(reason)));
    return {
      reason,
      count,
      share: pending === 0 ? 0 : count / pending,
      oldestAgeMs: count === 0 ? 0 : Math.max(0, nowMs - oldestAtMs),
    };
  });

/** What a claim could take, by kind. */
function countClaimable({ lanes, gates, jobs, now }: Overview): Map<string, Tally> {
  const gatesByName = new Map(gates.map((gate) => [gate.name, gate]));
  const jobsByName = new Map(jobs.map((job) => [job.name, job]));
  const tally = new Map<string, Tally>();
  for (const lane of lanes) {
    const job = jobsByName.get(lane.job);
    if (!job || lane.ready === 0) continue;
    const gate = gatesByName.get(lane.gate);
    const { reason } = dueReason(gate, job, now);
    if (reason !== "worker_capacity") continue;
    const before = tally.get(lane.kind) ?? { count: 0, oldestAtMs: Infinity };
    // What waited for its gate until now has not waited for a worker.
    const sinceMs = Math.max(lane.oldestReadyAtMs, gate ? openFromMs(gate) : 0);
    tally.set(lane.kind, {
      count: before.count + lane.ready,
      oldestAtMs: Math.min(before.oldestAtMs, sinceMs),
    });
  }
  return tally;
}

const pendingOf = (lane: Lane) => lane.ready + lane.scheduled + lane.backoff;

const sum = (lanes: readonly Lane[], of: (lane: Lane) => number) =>
  lanes.reduce((total, lane) => total + of(lane), 0);

function mergeBuckets(all: Iterable<ReadonlyMap<number, number>>): Map<number, number> {
  const merged = new Map<number, number>();
  for (const buckets of all) {
    for (const [bucket, count] of buckets) merged.set(bucket, (merged.get(bucket) ?? 0) + count);
  }
  return merged;
}
