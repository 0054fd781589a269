import { createMeteredBucket, type Bucket } from "../../../../bucket/index.ts";
import type { Job } from "../../../job.ts";

/**
 * Counts the bucket requests of commits until they are charged to jobs. Every request is charged
 * once: to the jobs of its own commit or of the next written commit. A charge may be larger than
 * the counted requests, because other commits run at the same time; the next charge is then
 * smaller.
 */
export interface Spending {
  /** The same bucket; its requests are counted. */
  readonly bucket: Bucket;
  owed(): number;
  /** These requests were charged, or belong to no job. */
  settle(requests: number): void;
}

export function createSpending(bucket: Bucket): Spending {
  let owed = 0;
  return {
    bucket: createMeteredBucket(bucket, () => void (owed += 1)),
    owed: () => owed,
    settle: (requests) => void (owed -= requests),
  };
}

type Jobs = ReadonlyMap<string, Job>;

/**
 * The jobs after a commit, charged with its requests in equal shares for all jobs that it changed.
 */
export function chargeJobs(before: Jobs, after: Jobs, requests: number): Jobs {
  const changed = [...after.values()].filter((job) => before.get(job.name) !== job);
  const share = Math.max(0, requests) / changed.length;
  if (changed.length === 0 || share === 0) return after;
  const charged = new Map(after);
  for (const job of changed) {
    charged.set(job.name, {
      ...job,
      commitRequests: thousandths(share + (job.commitRequests ?? 0)),
    });
  }
  return charged;
}

export const thousandths = (value: number): number => Math.round(value * 1_000) / 1_000;
