export const profileNames = ["baseline", "2x", "5x", "burst"] as const;
export type ProfileName = (typeof profileNames)[number];

/** How much load, and for how long, in real time; a time scale shortens all times equally. */
export interface Profile {
  readonly name: ProfileName;
  readonly jobs: number;
  /** The time over which the jobs arrive, evenly. */
  readonly arrivalMs: number;
  readonly durationMs: number;
}

const minuteMs = 60_000;
const profiles: Readonly<Record<ProfileName, Omit<Profile, "name">>> = {
  baseline: { jobs: 8, arrivalMs: 6 * minuteMs, durationMs: 60 * minuteMs },
  "2x": { jobs: 20, arrivalMs: 6 * minuteMs, durationMs: 60 * minuteMs },
  "5x": { jobs: 50, arrivalMs: 12 * minuteMs, durationMs: 120 * minuteMs },
  burst: { jobs: 100, arrivalMs: 5 * minuteMs, durationMs: 30 * minuteMs },
};
export const profileOf = (name: ProfileName): Profile => ({ name, ...profiles[name] });

/**
 * Each job crawls one invented site, with a request every `delayMs` and at most `limit` at once.
 */
export const site = { delayMs: 100, limit: 2, cap: 2 } as const;
/** The number of pages of a site, so that a job takes about the length of the run. */
export const pagesOf = ({ durationMs, arrivalMs }: Profile, timeScale: number): number =>
  Math.max(10, Math.floor((durationMs - arrivalMs) / timeScale / (site.delayMs * 2)));

export const isBucket = (address: string): boolean => /^(?:s3|dir):/.test(address);
/**
 * The duration from which a call to the queue counts as slow: on a bucket several writers share one
 * object.
 */
export const slowCallSeconds = (address: string): number => (isBucket(address) ? 5 : 1);

/** Small jobs before the measurement, so that every worker has done each operation once. */
export const warmUp = { jobs: 9, pages: 10 } as const;
/** Jobs without a gate: only their cap keeps workers from using all slots for them. */
export const ungated = { jobs: 2, pages: 60 } as const;
/**
 * A job for each worker that is stopped and continued, so that it has a task to finish too late. It
 * has no cap, more tasks than the other workers have slots, and tasks that take long enough for
 * every worker to get some.
 */
export const late = { pages: 120, workMs: 500 } as const;
