/**
 * A group of tasks: a campaign run, one site crawl. Its counters are kept in the same step as the
 * tasks' states, so progress costs one row.
 *
 * open → completed   sealed, nothing pending or running: decided once, by `completeIfDone`
 * open → cancelled   at once; its pending tasks follow in chunks
 * completed | cancelled → open   only through `retry`
 */
export interface Job {
  readonly name: string;
  readonly isPaused: boolean;
  readonly isSealed: boolean;
  readonly ended: "completed" | "cancelled" | null;
  /** Most tasks at work at once; null for no cap. */
  readonly concurrency: number | null;
  /** Most tasks ever stored; null for no budget. */
  readonly budget: number | null;
  /** The only gate its tasks may have; "" when not bound. */
  readonly gate: string;
  /** At work, as the cap counts it: a run counts as many as it may have at work at once. */
  readonly slots: number;
  /** Stored over its life, also what has been purged since. */
  readonly added: number;
  readonly overBudget: number;
  readonly pending: number;
  readonly running: number;
  /** These three include what has been purged since. */
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** How often it completed: once, and once more for each time a retry reopened it. */
  readonly completions: number;
  readonly openedAtMs: number;
  readonly endedAtMs: number;
  /** When it last got work, in picks: equal priorities go to the job that waited longest. */
  readonly served: number;
  /** Requests that its handlers sent, as their finishes reported them: to buckets, websites and place servers. */
  readonly requests: number;
  /**
   * On a bucket queue: its share of the requests that commits cost, to a thousandth of a request. A
   * commit is shared equally by the jobs that it changes.
   */
  readonly commitRequests?: number;
}

export interface JobSettings {
  readonly concurrency: number | null;
  readonly budget: number | null;
  readonly gate: string;
}

/** The job of tasks that name none. It is never sealed. */
export const defaultJob = "default";

export const newJob = (name: string, nowMs: number, settings?: JobSettings): Job => ({
  name,
  isPaused: false,
  isSealed: false,
  ended: null,
  concurrency: null,
  budget: null,
  gate: "",
  ...settings,
  slots: 0,
  added: 0,
  overBudget: 0,
  pending: 0,
  running: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  completions: 0,
  openedAtMs: nowMs,
  endedAtMs: 0,
  served: 0,
  requests: 0,
});

export const slotsLeft = (job: Pick<Job, "concurrency" | "slots">): number =>
  job.concurrency === null ? Infinity : Math.max(0, job.concurrency - job.slots);

export const isClaimable = (job: Job): boolean =>
  !job.isPaused && job.ended === null && slotsLeft(job) > 0;

export const isComplete = (job: Job): boolean =>
  job.isSealed && job.ended === null && job.pending === 0 && job.running === 0;

/** What changes when a job completes; undefined if it is not complete, or has ended. */
export const completion = (
  job: Job,
  nowMs: number,
): Pick<Job, "ended" | "endedAtMs" | "completions"> | undefined =>
  isComplete(job)
    ? { ended: "completed", endedAtMs: nowMs, completions: job.completions + 1 }
    : undefined;
