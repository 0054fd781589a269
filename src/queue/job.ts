/**
 * A group of tasks: a campaign run, the crawl of one site. Its counters change in the same step as
 * the states of its tasks, so that reading the progress reads one row.
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
  /** The most tasks that run at once; null: no cap. */
  readonly concurrency: number | null;
  /** The most tasks that are ever added; null: no budget. */
  readonly budget: number | null;
  /** The only gate that its tasks may have; "" if the job is not bound. */
  readonly gate: string;
  /** The slots that its running tasks use: a run uses as many as it may run tasks at once. */
  readonly slots: number;
  /** The number of tasks ever added, including tasks that were purged. */
  readonly added: number;
  readonly overBudget: number;
  readonly pending: number;
  readonly running: number;
  /** These three include tasks that were purged. */
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** How often it completed: more than once if a retry reopened it. */
  readonly completions: number;
  readonly openedAtMs: number;
  readonly endedAtMs: number;
  /**
   * The number of the pick that served it last: at equal priority, the job with the lowest number
   * is next.
   */
  readonly served: number;
  /** Requests that its handlers sent, as their finishes reported them: to buckets, websites and place servers. */
  readonly requests: number;
  /**
   * For a bucket queue: its share of the requests of commits, to a thousandth of a request. The
   * jobs that a commit changes share its requests equally.
   */
  readonly commitRequests?: number;
}

export interface JobSettings {
  readonly concurrency: number | null;
  readonly budget: number | null;
  readonly gate: string;
}

/** The job of tasks that name no job. It is never sealed. */
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

/** The changed fields when a job completes; undefined if it is not complete or has ended. */
export const completion = (
  job: Job,
  nowMs: number,
): Pick<Job, "ended" | "endedAtMs" | "completions"> | undefined =>
  isComplete(job)
    ? { ended: "completed", endedAtMs: nowMs, completions: job.completions + 1 }
    : undefined;
