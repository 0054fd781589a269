import type { Campaign } from "../campaign.ts";
import type { Look } from "../coverage/coverage.ts";
import type { CampaignReport } from "./report-schema.ts";

const withinMs = 7 * 86_400_000;
/** With fewer tiles the share is not meaningful. */
const tilesMin = 10;
const shareMax = 0.4;

/**
 * Many empty tiles in a short time: the source has more likely stopped working than found empty
 * land.
 */
export function createEmptyTiles(nowMs: number) {
  const isEmptyByTile = new Map<string, boolean>();
  return {
    add({ target, witness, times }: Look): void {
      if (!witness || !times || nowMs - times.atMs > withinMs) return;
      const { id } = target.tile;
      isEmptyByTile.set(id, witness.found === 0 && (isEmptyByTile.get(id) ?? true));
    },
    alarms({ name }: Pick<Campaign, "name">): CampaignReport["alarms"] {
      const looked = isEmptyByTile.size;
      const empty = [...isEmptyByTile.values()].filter(Boolean).length;
      if (looked <= tilesMin || empty <= looked * shareMax) return [];
      const text =
        `${empty} of ${looked} tiles that were searched in the last 7 days are empty ` +
        `(${Math.round((empty / looked) * 100)} %): check the source and the phrases with ` +
        `\`forager campaign plan ${name}\``;
      return [{ alarm: "empty_tiles", text }];
    },
  };
}
