import type { Clock } from "../base/clock.ts";

/** A rate limit: an average per second, and a burst. */
export interface TokenBucket {
  /** Takes `amount` if that much is left. */
  take(amount: number): boolean;
  left(): number;
}

export interface TokenBucketOptions {
  readonly clock: Clock;
  readonly perS: number;
  readonly burst: number;
}

export function createTokenBucket({ clock, perS, burst }: TokenBucketOptions): TokenBucket {
  let tokens = burst;
  let atMs = clock.monotonicMs();
  const left = () => {
    const nowMs = clock.monotonicMs();
    tokens = Math.min(burst, tokens + ((nowMs - atMs) / 1_000) * perS);
    atMs = nowMs;
    return tokens;
  };
  return {
    left,
    take(amount) {
      if (left() < amount) return false;
      tokens -= amount;
      return true;
    },
  };
}
