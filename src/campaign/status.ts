import type { Campaign } from "./campaign.ts";
import type { Target } from "./plan.ts";
import { standingOf, timesOf, witnessOf, type Witnesses } from "./witness.ts";

export interface CampaignStatus {
  readonly tiles: number;
  readonly targets: number;
  /** Looked through in time, with places there. */
  readonly fresh: number;
  /** Looked through in time, and nothing there. */
  readonly empty: number;
  readonly expired: number;
  readonly never: number;
  /** What the witnesses in time have found; a place that two of them name counts twice. */
  readonly found: number;
  /** When the oldest of them expires, ISO 8601; undefined: there is none. */
  readonly nextDueAt: string | undefined;
}

/** By the same rules as `dueTargets`: `expired` + `never` is what a dispatch would ask for. */
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
    const standing = standingOf(witness, freshness, nowMs, times);
    counts[standing === "none" ? "never" : standing] += 1;
    if (!witness || !times || standing === "expired") continue;
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
