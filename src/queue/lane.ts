/**
 * The tasks of one (kind, job, gate), counted by state. Pending tasks are counted by what they wait
 * for.
 */
export interface Lane extends LaneName {
  /** Pending and due. */
  readonly ready: number;
  /** Pending, due later, and not tried yet. */
  readonly scheduled: number;
  /** Pending, due later, after a failed attempt. */
  readonly backoff: number;
  readonly running: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  /** When the oldest task of each state was created; 0 if there is none. */
  readonly oldestReadyAtMs: number;
  readonly oldestScheduledAtMs: number;
  readonly oldestBackoffAtMs: number;
}

export interface LaneName {
  readonly kind: string;
  readonly job: string;
  readonly gate: string;
}

export const emptyLane = ({ kind, job, gate }: LaneName): Lane => ({
  kind,
  job,
  gate,
  ready: 0,
  scheduled: 0,
  backoff: 0,
  running: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  oldestReadyAtMs: 0,
  oldestScheduledAtMs: 0,
  oldestBackoffAtMs: 0,
});

/** Identifies a lane. Names hold no NUL, see ./check-value.ts, so it keeps the parts apart. */
export const laneKey = ({ kind, job, gate }: LaneName): string => `${kind}\0${job}\0${gate}`;

/** Identifies a scope, (job, gate), within which keys are unique. */
export const scopeKey = ({ job, gate }: Omit<LaneName, "kind">): string => `${job}\0${gate}`;
