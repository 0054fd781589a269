export const profileNames = ["baseline", "2x", "5x", "burst"] as const;
export type ProfileName = (typeof profileNames)[number];

/** How much load, for how long, in real time; a time scale makes all of it shorter alike. */
export interface Profile {
  readonly name: ProfileName;
  readonly jobs: number;
  /** Over which the jobs arrive, evenly. */
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

/** Each job crawls one made-up site of its own, a request every so often, two at most at once. */
export const site = { delayMs: 100, limit: 2, cap: 2 } as const;
/** Some of its pages, so that a job would take about the run's length. */
export const pagesOf = ({ durationMs, arrivalMs }: Profile, timeScale: number): number =>
  Math.max(10, Math.floor((durationMs - arrivalMs) / timeScale / (site.delayMs * 2)));

export const isBucket = (address: string): boolean => /^(?:s3|dir):/.test(address);
/** From when a call to the queue is slow: on a bucket several writers take turns at one object. */
export const slowCallSeconds = (address: string): number => (isBucket(address) ? 5 : 1);

/** Small jobs before the clock runs, so that every worker has done each thing once. */
export const warmUp = { jobs: 9, pages: 10 } as const;
/** Jobs without a gate: nothing but their cap keeps all slots from working on them at once. */
export const ungated = { jobs: 2, pages: 60 } as const;
/**
 * A job for each worker that is stopped and continued, so that it has something to finish too late.
 * It has no cap, more tasks than the other workers have slots, and tasks that take long enough for
 * every worker to get some.
 */
export const late = { pages: 120, workMs: 500 } as const;
