import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import { boxOf, isPoint, tileAt, type Box, type Tile } from "../grid.ts";
import type { PlaceArea } from "./cut-places.ts";

/** `47.2,5.8,55.1,15.1`: south, west, north, east; or a set of tiles. A box may cross 180°. */
export function readArea(given: string | readonly Tile[]): PlaceArea {
  if (typeof given !== "string") {
    const ids = new Set(given.map(({ id }) => id));
    const hash = createHash("sha256")
      .update([...ids].sort().join(" "))
      .digest("hex");
    return {
      id: `tiles ${hash.slice(0, 16)}`,
      boxes: boundsOf(given),
      has: (point) => ids.has(tileAt(point).id),
    };
  }
  const numbers = given.split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  const [south = NaN, west = NaN, north = NaN, east = NaN] = numbers;
  const isBox =
    numbers.length === 4 &&
    isPoint({ latitude: south, longitude: west }) &&
    isPoint({ latitude: north, longitude: east }) &&
    south < north;
  if (!isBox) {
    const words = `an area is SOUTH,WEST,NORTH,EAST in degrees, such as 47.2,5.8,55.1,15.1, not '${given}'`;
    throw new AppError("invalid", "places_area", words);
  }
  const isBetween = (longitude: number) =>
    west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east;
  return {
    id: `box ${numbers.join(" ")}`,
    boxes:
      west <= east
        ? [{ south, west, north, east }]
        : [
            { south, west, north, east: 180 },
            { south, west: -180, north, east },
          ],
    has: ({ latitude, longitude }) =>
      latitude >= south && latitude <= north && isBetween(longitude),
  };
}

/** The bounding box of all of them. */
function boundsOf(tiles: readonly Tile[]): readonly Box[] {
  const boxes = tiles.map(boxOf);
  if (boxes.length === 0) return [];
  const least = (of: (box: Box) => number) => boxes.reduce((min, box) => Math.min(min, of(box)), Infinity); // prettier-ignore
  const most = (of: (box: Box) => number) => boxes.reduce((max, box) => Math.max(max, of(box)), -Infinity); // prettier-ignore
  return [
    {
      south: least(({ south }) => south),
      west: least(({ west }) => west),
      north: most(({ north }) => north),
      east: most(({ east }) => east),
    },
  ];
}
