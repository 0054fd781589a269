import { AppError } from "../base/app-error.ts";
import { compareTiles, tilesAround, tilesMax, type Tile } from "../sources/index.ts";
import { sourceKeysOf, type Campaign, type Location } from "./campaign.ts";

/** A tile that a campaign covers, and the first location whose area contains it. */
export interface PlannedTile {
  readonly tile: Tile;
  readonly location: string;
}

/** One question to a source: which places of this phrase are in this tile? */
export interface Target {
  readonly tile: Tile;
  readonly phrase: string;
  /** `file`, or the name of an import. */
  readonly source: string;
  readonly location: string;
}

const targetsMax = 1_000_000;

/**
 * Every tile in the area of any location, without duplicates. All counts of tiles are based on this.
 */
export function planTiles({ locations }: Pick<Campaign, "locations">): readonly PlannedTile[] {
  const found = new Map<string, PlannedTile>();
  for (const location of locations) {
    for (const tile of tilesOf(location)) {
      if (!found.has(tile.id)) found.set(tile.id, { tile, location: location.name });
    }
    if (found.size > tilesMax) throw tooMany("tiles", found.size, tilesMax);
  }
  return [...found.values()].sort((a, b) => compareTiles(a.tile, b.tile));
}

/** All combinations of tile, phrase and source, tile by tile. */
export function planTargets(
  campaign: Pick<Campaign, "locations" | "phrases" | "sourceFile" | "imported" | "overpass">,
): readonly Target[] {
  const tiles = planTiles(campaign);
  const sources = sourceKeysOf(campaign);
  const count = tiles.length * campaign.phrases.length * sources.length;
  if (count > targetsMax) throw tooMany("targets", count, targetsMax);
  return tiles.flatMap(({ tile, location }) =>
    sources.flatMap((source) =>
      campaign.phrases.map((phrase) => ({ tile, phrase, source, location })),
    ),
  );
}

const tilesOf = (location: Location) => tilesAround(location, location.proximityKm);

const tooMany = (what: string, count: number, max: number) =>
  new AppError(
    "invalid",
    "campaign_too_big",
    `the campaign has ${count} ${what} or more; ${max} are allowed: make proximityKm smaller, or ` +
      `split it into several campaigns`,
  );
