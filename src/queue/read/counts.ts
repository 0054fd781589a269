import { openFromMs, type Gate } from "../gate.ts";
import type { Job } from "../job.ts";
import type { Lane } from "../lane.ts";
import type { StoreNow } from "../queue-store.ts";
import { dueReason, isHeld, type WaitingReason } from "../waiting.ts";

/** The content of a queue by kind: one row per kind, whatever the number of lanes. */
export interface QueueCounts {
  readonly now: StoreNow;
  /** One for each kind that has tasks in each shard, in no order. */
  readonly kinds: readonly KindCounts[];
  /** 1, unless a bucket queue was created with several. */
  readonly shards: number;
  readonly lanes: number;
  /** Gates that have tasks. */
  readonly gates: number;
  readonly jobs: JobCounts;
  /** Waits that ended with a claim: kind → histogram bucket → count. */
  readonly waits: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly raises: { readonly raised: number; readonly unchanged: number };
}

export interface KindCounts {
  readonly kind: string;
  readonly shard: number;
  readonly pending: number;
  readonly running: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** What its pending tasks wait for; only reasons with tasks. */
  readonly reasons: readonly ReasonCount[];
  /** Since when one of its tasks could be claimed; 0 if none can. */
  readonly claimableSinceMs: number;
}

export interface ReasonCount {
  readonly reason: WaitingReason;
  readonly count: number;
  readonly oldestAtMs: number;
}

export interface JobCounts {
  readonly open: number;
  readonly paused: number;
  readonly ended: number;
}

type HeldJob = Parameters<typeof dueReason>[1];
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Adds up lanes by kind, with the reason why their tasks wait now. */
export interface KindCounter {
  /** `gate` and `job` are those of the lane; an unknown job gives no reason. */
  add(lane: Lane, gate: Gate | undefined, job: HeldJob | undefined, shard?: number): void;
  kinds(): readonly KindCounts[];
}

export function createKindCounter(now: StoreNow): KindCounter {
  type Found = Writable<Omit<KindCounts, "reasons">> & {
    readonly reasons: Map<WaitingReason, Writable<ReasonCount>>;
  };
  const found = new Map<string, Found>();

  const kindOf = (kind: string, shard: number): Found => {
    const key = `${shard} ${kind}`;
    let own = found.get(key);
    if (!own) {
      const none = { pending: 0, running: 0, done: 0, skipped: 0, failed: 0, claimableSinceMs: 0 };
      found.set(key, (own = { kind, shard, ...none, reasons: new Map() }));
    }
    return own;
  };
  const note = (own: Found, { reason, count, oldestAtMs }: ReasonCount) => {
    if (count === 0) return;
    const known = own.reasons.get(reason);
    if (!known) return void own.reasons.set(reason, { reason, count, oldestAtMs });
    known.count += count;
    known.oldestAtMs = Math.min(known.oldestAtMs, oldestAtMs);
  };

  return {
    add(lane, gate, job, shard = 0) {
      const own = kindOf(lane.kind, shard);
      own.pending += lane.ready + lane.scheduled + lane.backoff;
      own.running += lane.running;
      own.done += lane.done;
      own.skipped += lane.skipped;
      own.failed += lane.failed;
      if (!job) return;
      const held = isHeld(job) ? "paused" : undefined;
      const { reason } = dueReason(gate, job, now);
      const { ready, scheduled, backoff } = lane;
      note(own, { reason, count: ready, oldestAtMs: lane.oldestReadyAtMs });
      note(own, {
        reason: held ?? "scheduled",
        count: scheduled,
        oldestAtMs: lane.oldestScheduledAtMs,
      });
      note(own, {
        reason: held ?? "retry_backoff",
        count: backoff,
        oldestAtMs: lane.oldestBackoffAtMs,
      });
      if (ready === 0 || reason !== "worker_capacity") return;
      // Time in which a task waited for its gate does not count as waiting for a worker.
      const sinceMs = Math.max(lane.oldestReadyAtMs, gate ? openFromMs(gate) : 0);
      const before = own.claimableSinceMs;
      own.claimableSinceMs = before === 0 ? sinceMs : Math.min(before, sinceMs);
    },
    kinds: () =>
      [...found.values()].map(({ reasons, ...own }) => ({
        ...own,
        reasons: [...reasons.values()],
      })),
  };
}

export function countJobs(jobs: Iterable<Pick<Job, "ended" | "isPaused">>): JobCounts {
  const counts = { open: 0, paused: 0, ended: 0 };
  for (const { ended, isPaused } of jobs) {
    if (ended !== null) counts.ended += 1;
    else if (isPaused) counts.paused += 1;
    else counts.open += 1;
  }
  return counts;
}
