import type { Point } from "../grid.ts";

/**
 * The point of any geometry: a point itself, or the centre of the bounding box. A box wider than
 * half the earth is taken to cross the 180° meridian.
 */
export function pointOfGeometry(geometry: unknown): Point | undefined {
  const box: Extent = { south: Infinity, north: -Infinity, positive: none(), negative: none() };
  addGeometry(box, geometry, 0);
  return centreOf(box);
}

/** The point in well-known binary, as in GeoParquet; undefined for other geometries. */
export function pointOfWkb(bytes: Uint8Array): Point | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 21) return undefined;
  const isLittle = view.getUint8(0) === 1;
  const kind = view.getUint32(1, isLittle);
  // Points, also with Z, M or a reference system (the flags of EWKB, the thousands of ISO).
  if ((kind & 0xff) % 1_000 !== 1 && kind % 1_000 !== 1) return undefined;
  const at = (kind & 0x20000000) !== 0 ? 9 : 5;
  if (bytes.length < at + 16) return undefined;
  const [longitude, latitude] = [view.getFloat64(at, isLittle), view.getFloat64(at + 8, isLittle)];
  return Number.isFinite(longitude) && Number.isFinite(latitude)
    ? { latitude, longitude }
    : undefined;
}

/**
 * `POINT(11.5 48.1)`, `SRID=4326;POLYGON((…))`, with or without Z and M: any WKT, by its numbers.
 */
export function pointOfWkt(text: string): Point | undefined {
  const match = /^\s*(?:SRID=\d+;)?\s*[A-Z]+\s*(ZM|Z|M)?\s*(\(.*\))\s*$/is.exec(text);
  if (!match) return undefined;
  const box: Extent = { south: Infinity, north: -Infinity, positive: none(), negative: none() };
  for (const tuple of match[2]!.split(/[(),]+|[A-Z]+/i)) {
    const numbers = tuple.trim().split(/\s+/).map(Number);
    if (numbers.length >= 2) addPosition(box, numbers[0]!, numbers[1]!);
  }
  return centreOf(box);
}

interface Span {
  west: number;
  east: number;
}
interface Extent {
  south: number;
  north: number;
  readonly positive: Span;
  readonly negative: Span;
}

const none = (): Span => ({ west: Infinity, east: -Infinity });
const depthMax = 8;

function addGeometry(box: Extent, value: unknown, depth: number): void {
  if (typeof value !== "object" || value === null || depth > depthMax) return;
  const { coordinates, geometries } = value as { coordinates?: unknown; geometries?: unknown };
  if (Array.isArray(geometries)) {
    for (const one of geometries) addGeometry(box, one, depth + 1);
  } else addPositions(box, coordinates, depth);
}

function addPositions(box: Extent, value: unknown, depth: number): void {
  if (!Array.isArray(value) || depth > depthMax) return;
  const [first, second] = value as readonly unknown[];
  if (typeof first === "number" && typeof second === "number") addPosition(box, first, second);
  else for (const one of value) addPositions(box, one, depth + 1);
}

function addPosition(box: Extent, longitude: number, latitude: number): void {
  if (!Number.isFinite(longitude) || !Number.isFinite(latitude)) return;
  const span = longitude < 0 ? box.negative : box.positive;
  span.west = Math.min(span.west, longitude);
  span.east = Math.max(span.east, longitude);
  box.south = Math.min(box.south, latitude);
  box.north = Math.max(box.north, latitude);
}

function centreOf({ south, north, positive, negative }: Extent): Point | undefined {
  if (south > north) return undefined;
  const latitude = (south + north) / 2;
  const west = Math.min(positive.west, negative.west);
  const east = Math.max(positive.east, negative.east);
  if (east - west <= 180) return { latitude, longitude: (west + east) / 2 };
  const turned = (positive.west + negative.east + 360) / 2;
  return { latitude, longitude: turned > 180 ? turned - 360 : turned };
}
