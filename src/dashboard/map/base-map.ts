/**
 * Land, borders and towns from files that the build generates. Only the cells in view are loaded.
 */
import { readJson } from "../data/api.ts";
import type { Painter } from "./canvas-layer.ts";

interface Outlines {
  readonly land: readonly (readonly number[])[];
  readonly borders: readonly (readonly number[])[];
}

interface World extends Outlines {
  readonly cells: readonly string[];
  readonly credit: string;
}

interface Cell extends Outlines {
  readonly states: readonly (readonly number[])[];
  readonly counties: readonly (readonly number[])[];
  readonly towns: readonly (readonly [string, number, number, number])[];
}

export interface BaseMap {
  readonly credit: string;
  paintLand(painter: Painter, colours: Colours): void;
  /** Paints borders and towns above the tiles. */
  paintLines(painter: Painter, colours: Colours): void;
}

export interface Colours {
  readonly land: string;
  readonly line: string;
  readonly ink: string;
  readonly halo: string;
}

const stepsPerDegree = 500;
const cellDegrees = 10;
const detailZoomMin = 5;
const countyZoomMin = 7;

/** `onLoad` is called when more of the map can be painted. */
export async function openBaseMap(onLoad: () => void): Promise<BaseMap> {
  const world = await readJson<World>("/basemap/world.json");
  const known = new Set(world.cells);
  const cells = new Map<string, Cell | "loading">();

  const cellsIn = (painter: Painter): readonly Cell[] => {
    if (painter.zoom < detailZoomMin) return [];
    const found: Cell[] = [];
    for (const key of known) {
      const [west = 0, south = 0] = key.split("_").map(Number);
      if (!isInView(painter, west, south)) continue;
      const cell = cells.get(key);
      if (cell === undefined) void loadCell(key);
      else if (cell !== "loading") found.push(cell);
    }
    return found;
  };
  const loadCell = async (key: string) => {
    cells.set(key, "loading");
    try {
      cells.set(key, await readJson<Cell>(`/basemap/${key}.json`));
      onLoad();
    } catch {
      cells.delete(key); // requested again after the next movement
    }
  };
  return {
    credit: world.credit,
    paintLand(painter, colours) {
      painter.context.fillStyle = colours.land;
      const detailed = cellsIn(painter);
      const parts = detailed.length > 0 ? detailed : [world];
      for (const { land } of parts) {
        painter.context.beginPath();
        for (const ring of land) trace(painter, ring);
        painter.context.fill("evenodd");
      }
    },
    paintLines(painter, colours) {
      const { context, zoom } = painter;
      const detailed = cellsIn(painter);
      context.strokeStyle = colours.line;
      const stroke = (lines: readonly (readonly number[])[], width: number) => {
        context.lineWidth = width;
        context.beginPath();
        for (const line of lines) trace(painter, line);
        context.stroke();
      };
      if (detailed.length === 0) stroke(world.borders, 1);
      for (const { borders, states, counties } of detailed) {
        if (zoom >= countyZoomMin) stroke(counties, 0.5);
        stroke(states, 1);
        stroke(borders, 1.5);
      }
      paintTowns(
        painter,
        detailed.flatMap(({ towns }) => towns),
        colours,
      );
    },
  };
}

function isInView({ x, y, width, height }: Painter, west: number, south: number): boolean {
  return x(west) < width && x(west + cellDegrees) > 0 && y(south + cellDegrees) < height && y(south) > 0; // prettier-ignore
}

function trace({ context, x, y }: Painter, line: readonly number[]): void {
  let longitude = 0;
  let latitude = 0;
  for (let at = 0; at < line.length; at += 2) {
    longitude += line[at]!;
    latitude += line[at + 1]!;
    const [px, py] = [x(longitude / stepsPerDegree), y(latitude / stepsPerDegree)];
    if (at === 0) context.moveTo(px, py);
    else context.lineTo(px, py);
  }
}

const labelsMax = 60;

/** The largest towns first; labels that would overlap another are left out. */
function paintTowns(painter: Painter, towns: Cell["towns"], colours: Colours): void {
  const { context, x, y, width, height, zoom } = painter;
  const inhabitantsMin = zoom >= 10 ? 5_000 : zoom >= 8 ? 20_000 : zoom >= 6 ? 150_000 : 700_000;
  const taken: { readonly x: number; readonly y: number; readonly width: number }[] = [];
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const sorted = [...towns].sort((a, b) => b[3] - a[3]);
  for (const [name, longitude, latitude, inhabitants] of sorted) {
    if (inhabitants < inhabitantsMin || taken.length >= labelsMax) break;
    const [px, py] = [x(longitude / stepsPerDegree), y(latitude / stepsPerDegree)];
    if (px < 0 || py < 0 || px > width || py > height) continue;
    const label = context.measureText(name).width + 14;
    const isFree = taken.every(
      (other) => Math.abs(other.y - py) > 18 || px > other.x + other.width || px + label < other.x,
    );
    if (!isFree) continue;
    taken.push({ x: px, y: py, width: label });
    context.fillStyle = colours.ink;
    context.beginPath();
    context.arc(px, py, 2.2, 0, 2 * Math.PI);
    context.fill();
    context.strokeStyle = colours.halo;
    context.lineWidth = 3;
    context.strokeText(name, px + 7, py);
    context.fillText(name, px + 7, py);
  }
}
