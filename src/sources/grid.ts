import { AppError, assert } from "../base/app-error.ts";

/**
 * The earth in tiles of 0.1° × 0.1°. All arithmetic is in whole tenths of a degree, so that every
 * machine gets the same tiles. Invariants:
 * - a tile includes its southern and western edge, not its northern and eastern one; the
 *   northernmost row also includes the pole;
 * - longitudes go from -180 up to, but not including, 180: a point at 180 is in the tile at -180;
 * - its id is its south-western corner: `30.2_-97.7`.
 */
export interface Tile {
  readonly id: string;
  /** Decidegrees of the southern edge, -900 to 899. */
  readonly south: number;
  /** Decidegrees of the western edge, -1800 to 1799. */
  readonly west: number;
}

export interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

/** In degrees. No box of a tile crosses the 180° meridian. */
export interface Box {
  readonly south: number;
  readonly west: number;
  readonly north: number;
  readonly east: number;
}

const rowsEnd = 900;
const around = 3_600;
/** 0.3 - 0.1 is 0.19999999999999998: a point this close to an edge (0.1 mm) counts as on it. */
const slack = 1e-9;
const earthRadiusKm = 6_371.0088;
/** A campaign that needs more tiles has a mistake in its locations. */
export const tilesMax = 200_000;

export function tileAt({ latitude, longitude }: Point): Tile {
  assert(isPoint({ latitude, longitude }), `${latitude}, ${longitude} is not on the earth`);
  return makeTile(rowOf(latitude), columnOf(longitude));
}

export const isPoint = ({ latitude, longitude }: Point): boolean =>
  Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;

/** Returns undefined if no tile has this id. */
export function parseTileId(id: string): Tile | undefined {
  const [, south, west] = /^(-?\d{1,2}\.\d)_(-?\d{1,3}\.\d)$/.exec(id) ?? [];
  if (south === undefined || west === undefined) return undefined;
  const [row, column] = [Math.round(Number(south) * 10), Math.round(Number(west) * 10)];
  if (row < -rowsEnd || row >= rowsEnd) return undefined;
  const tile = makeTile(row, column);
  return tile.id === id ? tile : undefined;
}

export function boxOf({ south, west }: Tile): Box {
  return {
    south: south / 10,
    west: west / 10,
    north: (south + 1) / 10,
    east: (west + 1) / 10,
  };
}

/** The eight tiles around one; five in the rows at the poles. */
export function neighbourTiles({ south, west }: Tile): readonly Tile[] {
  const steps = [-1, 0, 1];
  return steps.flatMap((north) =>
    steps.flatMap((east) => {
      const row = south + north;
      const isTile = row >= -rowsEnd && row < rowsEnd && (north !== 0 || east !== 0);
      return isTile ? [makeTile(row, west + east)] : [];
    }),
  );
}

export function centreOf({ south, west }: Tile): Point {
  return { latitude: (south * 10 + 5) / 100, longitude: (west * 10 + 5) / 100 };
}

/**
 * Every tile that overlaps the box around a point: whatever is within `radiusKm` is in one of them.
 * South to north, west to east; contiguous across the 180° meridian, and all around the earth if
 * the box reaches a pole.
 */
export function tilesAround(point: Point, radiusKm: number): readonly Tile[] {
  assert(isPoint(point) && radiusKm >= 0, `no box of ${radiusKm} km around a point`);
  const angle = radiusKm / earthRadiusKm;
  const latitude = toRadians(point.latitude);
  const [south, north] = [toDegrees(latitude - angle), toDegrees(latitude + angle)];
  const first = south <= -90 ? -rowsEnd : rowOf(south);
  const last = rowOf(Math.min(north, 90));
  const isPolar = south <= -90 || north >= 90;
  // Not angle / cos(latitude): a circle is widest slightly closer to the pole than its centre.
  const half = isPolar ? 180 : toDegrees(Math.asin(Math.sin(angle) / Math.cos(latitude)));
  const west = isPolar ? -around / 2 : columnOf(point.longitude - half);
  const east = isPolar ? around / 2 - 1 : columnOf(point.longitude + half);
  const columns = Math.min(around, east - west + 1);
  const count = (last - first + 1) * columns;
  if (count > tilesMax) throw tooMany(count, radiusKm);
  return Array.from({ length: last - first + 1 }, (_, row) =>
    Array.from({ length: columns }, (_, column) => makeTile(first + row, west + column)),
  ).flat();
}

/** By row, then by column: independent of how the tiles were found. */
export const compareTiles = (a: Tile, b: Tile): number => a.south - b.south || a.west - b.west;

const toRadians = (degrees: number) => (degrees * Math.PI) / 180;
const toDegrees = (radians: number) => (radians * 180) / Math.PI;

const rowOf = (latitude: number) => Math.min(Math.floor(latitude * 10 + slack), rowsEnd - 1);
const columnOf = (longitude: number) => Math.floor(longitude * 10 + slack);

function makeTile(south: number, column: number): Tile {
  const west = ((((column + around / 2) % around) + around) % around) - around / 2;
  return { id: `${written(south)}_${written(west)}`, south: south + 0, west: west + 0 };
}

function written(decidegrees: number): string {
  const size = Math.abs(decidegrees);
  return `${decidegrees < 0 ? "-" : ""}${Math.floor(size / 10)}.${size % 10}`;
}

const tooMany = (count: number, radiusKm: number) =>
  new AppError(
    "invalid",
    "campaign_too_many_tiles",
    `${count} tiles within ${radiusKm} km of one location; a campaign has at most ${tilesMax}: ` +
      `make proximityKm smaller`,
  );
