import type { Campaign } from "../campaign.ts";
import type { Target } from "../plan.ts";
import { witnessOf, type Witnesses } from "../witness.ts";
import type { CampaignReport } from "./report-schema.ts";

const withinMs = 7 * 86_400_000;
/** Fewer say nothing. */
const tilesMin = 10;
const shareMax = 0.4;

/** Many empty tiles in a short time: more likely a source that stopped answering than empty land. */
export function emptyTilesAlarm(
  { name }: Pick<Campaign, "name">,
  targets: readonly Target[],
  witnesses: ReadonlyMap<string, Witnesses>,
  nowMs: number,
): readonly CampaignReport["alarms"][number][] {
  const isEmptyByTile = new Map<string, boolean>();
  for (const target of targets) {
    const { id } = target.tile;
    const witness = witnessOf(witnesses.get(id), target);
    if (!witness || nowMs - Date.parse(witness.at) > withinMs) continue;
    isEmptyByTile.set(id, (isEmptyByTile.get(id) ?? true) && witness.found === 0);
  }
  const looked = isEmptyByTile.size;
  const empty = [...isEmptyByTile.values()].filter(Boolean).length;
  if (looked <= tilesMin || empty <= looked * shareMax) return [];
  const text =
    `${empty} of ${looked} tiles that were searched in the last 7 days are empty ` +
    `(${Math.round((empty / looked) * 100)} %): check the source and the phrases with ` +
    `\`forager campaign plan ${name}\``;
  return [{ alarm: "empty_tiles", text }];
}
