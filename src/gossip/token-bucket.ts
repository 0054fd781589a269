import type { Clock } from "../base/clock.ts";

/** So much a second on average, and so much at once. */
export interface TokenBucket {
  /** Takes `amount` where there is that much. */
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
