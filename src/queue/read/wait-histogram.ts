/**
 * A histogram of waits in whole milliseconds. Each bucket is a tenth wider than the one before, so
 * a percentile is within 5 % of the true value, and about 250 counters cover all waits. Below 10 ms
 * each millisecond has its own bucket.
 */
const growth = Math.log(1.1);
const exactBelow = 10;
const offset = Math.floor(Math.log(exactBelow) / growth);

export function bucketOf(waitMs: number): number {
  const wait = Math.max(0, Math.floor(waitMs));
  if (wait < exactBelow) return wait;
  return exactBelow + Math.floor(Math.log(wait) / growth) - offset;
}

/** The shortest wait of each possible bucket, for stores that count in a database. */
export function waitBounds(): {
  readonly bounds: readonly number[];
  readonly buckets: readonly number[];
} {
  const bounds: number[] = [];
  const buckets: number[] = [];
  for (let wait = 0; wait < boundsMax; wait = nextBound(wait)) {
    bounds.push(wait);
    buckets.push(bucketOf(wait));
  }
  return { bounds, buckets };
}

/** More than 30,000 years. */
const boundsMax = 1e15;

function nextBound(wait: number): number {
  const bucket = bucketOf(wait);
  let below = wait;
  let above = Math.ceil(wait * 1.2) + 1;
  while (above - below > 1) {
    const middle = Math.floor((below + above) / 2);
    if (bucketOf(middle) > bucket) above = middle;
    else below = middle;
  }
  return above;
}

/** The geometric middle of the bucket: wrong by a factor of at most √1.1, which is 4.9 %. */
export function waitOf(bucket: number): number {
  if (bucket < exactBelow) return bucket;
  return Math.exp((bucket - exactBelow + offset + 0.5) * growth);
}

export interface WaitPercentiles {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

export function percentiles(buckets: ReadonlyMap<number, number>): WaitPercentiles {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const count = sorted.reduce((sum, [, n]) => sum + n, 0);
  const at = (share: number) => {
    let below = 0;
    for (const [bucket, n] of sorted) {
      below += n;
      // Rounding to whole milliseconds would add to the error of short waits.
      if (below >= share * count) return Number(waitOf(bucket).toPrecision(4));
    }
    return 0;
  };
  return { count, p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) };
}
