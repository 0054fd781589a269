import type { Random } from "../../base/random.ts";
import { makeBusiness, type Business } from "./business.ts";

/** An invented region, its businesses, and all their data. */
export interface Region {
  readonly tiles: readonly string[];
  readonly phrases: readonly string[];
  readonly businesses: readonly Business[];
}

/** In the middle of an ocean, so no real places are affected. */
const south = 46.5;
const west = -30.1;
const phrases = ["carpenter", "bakery"] as const;

/** The same seed and size make exactly the same region. */
export function makeRegion({
  size,
  random,
}: {
  readonly size: number;
  readonly random: Random;
}): Region {
  const tiles = [0, 1, 2, 3].map((number) => {
    const tile = { south: south + Math.floor(number / 2) / 10, west: west + (number % 2) / 10 };
    return { ...tile, id: `${tile.south.toFixed(1)}_${tile.west.toFixed(1)}` };
  });
  const businesses = Array.from({ length: size }, (_, index) => {
    const number = Math.floor(index / tiles.length) % phrases.length;
    const phrase = { text: phrases[number]!, number };
    return makeBusiness({ index, phrase, tile: tiles[index % tiles.length]! }, random);
  });
  return { tiles: tiles.map(({ id }) => id), phrases, businesses };
}
