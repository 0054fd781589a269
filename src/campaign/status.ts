import type { Campaign } from "./campaign.ts";
import type { Target } from "./plan.ts";
import { witnessState, timesOf, witnessOf, type Witnesses } from "./witness.ts";

export interface CampaignStatus {
  readonly tiles: number;
  readonly targets: number;
  /** Searched recently, with places. */
  readonly fresh: number;
  /** Searched recently, without places. */
  readonly empty: number;
  readonly expired: number;
  readonly never: number;
  /** Places in the witnesses that are still valid; a place in two of them counts twice. */
  readonly found: number;
  /** When the first of them expires, ISO 8601; undefined if there is none. */
  readonly nextDueAt: string | undefined;
}

/** Uses the rules of `dueTargets`: a dispatch would add `expired` + `never` targets. */
export function campaignStatus(
  { freshness }: Pick<Campaign, "freshness">,
  targets: readonly Target[],
  witnesses: ReadonlyMap<string, Witnesses>,
  nowMs: number,
): CampaignStatus {
  const counts = { fresh: 0, empty: 0, expired: 0, never: 0, found: 0 };
  let nextDueMs = Infinity;
  for (const { tile, phrase, source } of targets) {
    const witness = witnessOf(witnesses.get(tile.id), { phrase, source });
    const times = witness && timesOf(witness, freshness);
    const status = witnessState(witness, freshness, nowMs, times);
    counts[status === "none" ? "never" : status] += 1;
    if (!witness || !times || status === "expired") continue;
    counts.found += witness.found;
    nextDueMs = Math.min(nextDueMs, times.expiresMs);
  }
  return {
    tiles: new Set(targets.map(({ tile }) => tile.id)).size,
    targets: targets.length,
    ...counts,
    nextDueAt: nextDueMs === Infinity ? undefined : new Date(nextDueMs).toISOString(),
  };
}
