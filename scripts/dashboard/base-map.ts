/**
 * Cuts an offline base map: land and borders of world-atlas (Natural Earth, public domain), states and counties of us-atlas (US
 * Census, public domain), towns of GeoNames (CC BY 4.0). A page loads only the cells of 10° × 10° that it shows,
 * about 20 KB each. `world.json` has the coarse outlines for low zoom.
 */
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { feature, mesh } from "topojson-client";
import { clipLine, clipRing, type Box, type Line } from "./clip.ts";

export interface BaseMapOptions {
  readonly root: string;
  readonly to: string;
  readonly cacheFolder: string;
}

/** A cell as the browser reads it. Coordinates are steps of 1/500°: the first point, then differences. */
interface Cell {
  readonly land: number[][];
  readonly borders: number[][];
  readonly states: number[][];
  readonly counties: number[][];
  /** Name, longitude, latitude, inhabitants. */
  readonly towns: [string, number, number, number][];
}

const cellDegrees = 10;
const stepsPerDegree = 500;
const townsPerCellMax = 700;
const require = createRequire(import.meta.url);

export async function writeBaseMap({ root, to, cacheFolder }: BaseMapOptions): Promise<void> {
  const kept = join(cacheFolder, `basemap-${await signature(root)}`);
  if (!(await stat(kept).catch(() => undefined))) {
    const fresh = `${kept}.${process.pid}`;
    await mkdir(fresh, { recursive: true });
    for (const [name, content] of await cutBaseMap(root)) {
      await writeFile(join(fresh, name), JSON.stringify(content));
    }
    // Another build may have been faster.
    await rename(fresh, kept).catch(() => rm(fresh, { recursive: true, force: true }));
  }
  await cp(kept, to, { recursive: true });
}

/** Changes when the data or the code changes. */
async function signature(root: string): Promise<string> {
  const files = [
    require.resolve("world-atlas/package.json"),
    require.resolve("us-atlas/package.json"),
    join(root, "scripts/dashboard/base-map.ts"),
    join(root, "scripts/dashboard/clip.ts"),
    join(root, "src/sources/data/towns.tsv.gz"),
  ];
  const hash = createHash("sha256");
  for (const file of files) hash.update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}

async function cutBaseMap(root: string): Promise<ReadonlyMap<string, unknown>> {
  const cells = new Map<string, Cell>();
  const world = await readTopology("world-atlas/countries-10m.json");
  const us = await readTopology("us-atlas/counties-10m.json");
  const isInner = (a: unknown, b: unknown) => a !== b;
  for (const ring of ringsOf(feature(world, world.objects["land"]!))) {
    addRing(cells, ring);
  }
  addLines(cells, "borders", mesh(world, world.objects["countries"] as never, isInner).coordinates);
  addLines(cells, "states", mesh(us, us.objects["states"] as never, isInner).coordinates);
  const isWithinState = (a: { id?: unknown }, b: { id?: unknown }) =>
    a !== b && String(a.id).slice(0, 2) === String(b.id).slice(0, 2);
  addLines(cells, "counties", mesh(us, us.objects["counties"] as never, isWithinState as never).coordinates); // prettier-ignore
  await addTowns(cells, root);

  const files = new Map<string, unknown>();
  for (const [key, cell] of cells) files.set(`${key}.json`, cell);
  const coarse = await readTopology("world-atlas/countries-110m.json");
  files.set("world.json", {
    land: ringsOf(feature(coarse, coarse.objects["land"]!)).map(encode),
    borders: mesh(coarse, coarse.objects["countries"] as never, isInner).coordinates.map(encode as never), // prettier-ignore
    cells: [...cells.keys()],
    credit: "Natural Earth, US Census, towns: GeoNames (CC BY 4.0)",
  });
  return files;
}

async function readTopology(name: string): Promise<Parameters<typeof feature>[0]> {
  return JSON.parse(await readFile(require.resolve(name), "utf8")) as never;
}

function ringsOf(shape: unknown): readonly Line[] {
  const found = shape as {
    readonly geometry?: { readonly type: string; readonly coordinates: never };
    readonly features?: readonly unknown[];
  };
  if (found.features) return found.features.flatMap(ringsOf);
  const { type, coordinates } = found.geometry!;
  return type === "Polygon" ? (coordinates as Line[]) : (coordinates as Line[][]).flat();
}

function addRing(cells: Map<string, Cell>, ring: Line): void {
  // Cut into strips first: a continent has a hundred thousand points, a strip of it few.
  for (const strip of slices(ring, 0)) {
    const within = clipRing(ring, { ...everywhere, west: strip, east: strip + cellDegrees });
    if (within.length < 3) continue;
    for (const south of slices(within, 1)) {
      const part = clipRing(within, { ...everywhere, south, north: south + cellDegrees });
      const line = encode(part);
      if (line.length >= 6) cellAt(cells, strip, south).land.push(line);
    }
  }
}

type LineLayer = "borders" | "states" | "counties";

function addLines(
  cells: Map<string, Cell>,
  layer: LineLayer,
  lines: readonly (readonly unknown[])[],
): void {
  for (const line of lines as unknown as readonly Line[]) {
    for (const west of slices(line, 0)) {
      for (const south of slices(line, 1)) {
        const box = { west, south, east: west + cellDegrees, north: south + cellDegrees };
        for (const part of clipLine(line, box)) {
          const encoded = encode(part);
          if (encoded.length >= 4) cellAt(cells, west, south)[layer].push(encoded);
        }
      }
    }
  }
}

async function addTowns(cells: Map<string, Cell>, root: string): Promise<void> {
  const packed = await readFile(join(root, "src/sources/data/towns.tsv.gz"));
  const rows = gunzipSync(packed).toString("utf8").split("\n").slice(1).filter(Boolean);
  for (const row of rows) {
    const [name, , , population, latitude, longitude] = row.split("\t");
    const [x, y] = [Number(longitude), Number(latitude)];
    const west = Math.floor(x / cellDegrees) * cellDegrees;
    const south = Math.floor(y / cellDegrees) * cellDegrees;
    cellAt(cells, west, south).towns.push([name!, step(x), step(y), Number(population)]);
  }
  for (const { towns } of cells.values()) {
    towns.sort((a, b) => b[3] - a[3]);
    towns.length = Math.min(towns.length, townsPerCellMax);
  }
}

function cellAt(cells: Map<string, Cell>, west: number, south: number): Cell {
  const key = `${west}_${south}`;
  const found = cells.get(key);
  if (found) return found;
  const cell: Cell = { land: [], borders: [], states: [], counties: [], towns: [] };
  cells.set(key, cell);
  return cell;
}

const everywhere: Box = { west: -180, south: -90, east: 180, north: 90 };

/** The western (or southern) edges of the cells that a line touches. */
function slices(line: Line, axis: 0 | 1): readonly number[] {
  let min = Infinity;
  let max = -Infinity;
  for (const point of line) {
    min = Math.min(min, point[axis]);
    max = Math.max(max, point[axis]);
  }
  const edges: number[] = [];
  const limit = axis === 0 ? 180 : 90;
  const first = Math.floor(min / cellDegrees) * cellDegrees;
  for (let edge = first; edge < Math.min(max, limit); edge += cellDegrees) edges.push(edge);
  return edges;
}

const step = (degrees: number): number => Math.round(degrees * stepsPerDegree);

/** Rounded to steps, without points that fall on their neighbour, as differences. */
function encode(line: Line): number[] {
  const encoded: number[] = [];
  let lastX = 0;
  let lastY = 0;
  for (const [longitude, latitude] of line) {
    const [x, y] = [step(longitude), step(latitude)];
    if (encoded.length > 0 && x === lastX && y === lastY) continue;
    encoded.push(x - lastX, y - lastY);
    lastX = x;
    lastY = y;
  }
  return encoded;
}
