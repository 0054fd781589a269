import { createHash } from "node:crypto";
import { AppError } from "../../base/app-error.ts";
import { isPoint, tileAt, type Tile } from "../grid.ts";
import type { PlaceArea } from "./cut-places.ts";

/** `47.2,5.8,55.1,15.1`: south, west, north, east; or a set of tiles. A box may cross 180°. */
export function readArea(given: string | readonly Tile[]): PlaceArea {
  if (typeof given !== "string") {
    const ids = new Set(given.map(({ id }) => id));
    const hash = createHash("sha256")
      .update([...ids].sort().join(" "))
      .digest("hex");
    return { id: `tiles ${hash.slice(0, 16)}`, has: (point) => ids.has(tileAt(point).id) };
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
    has: ({ latitude, longitude }) =>
      latitude >= south && latitude <= north && isBetween(longitude),
  };
}
