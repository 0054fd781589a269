/**
 * Paints tiles of 0.1°. When they are small, all of them become one image with a pixel per tile,
 * whose rows are stretched into place: 50,000 tiles cost a few hundred calls. When they are large,
 * few are in view.
 */
import type { Painter } from "./canvas-layer.ts";
import { stateOnDay, type CoverageRow, type TileState } from "./coverage.ts";

export interface TilePicture {
  paint(painter: Painter): void;
}

export type TilePalette = Readonly<Record<TileState, string>>;

const largePixels = 7;
const pictureMax = 4_000;

export function pictureOf(
  rows: readonly CoverageRow[],
  day: number,
  palette: TilePalette,
): TilePicture {
  const bounds = boundsOf(rows);
  if (!bounds) return { paint() {} };
  const { south, north, west, east } = bounds;
  const byRow = new Map<number, CoverageRow[]>();
  for (const row of rows) {
    const found = byRow.get(row[0]);
    if (found) found.push(row);
    else byRow.set(row[0], [row]);
  }
  const width = Math.min(pictureMax, east - west + 1);
  const picture = document.createElement("canvas");
  picture.width = width;
  picture.height = Math.min(pictureMax, north - south + 1);
  const context = picture.getContext("2d")!;
  for (const row of rows) {
    const state = stateOnDay(row, day);
    if (state === "never") continue;
    context.fillStyle = palette[state];
    context.fillRect(row[1] - west, north - row[0], 1, 1);
  }
  return {
    paint(painter) {
      const { context: target, x, y, height } = painter;
      const tilePixels = x(0.1) - x(0);
      const isLarge = tilePixels >= largePixels;
      target.imageSmoothingEnabled = false;
      for (const [lat10, tiles] of byRow) {
        const top = y((lat10 + 1) / 10);
        const bottom = y(lat10 / 10);
        if (bottom < 0 || top > height) continue;
        if (isLarge) paintTiles(painter, tiles, { top, bottom, day, palette });
        else {
          const left = x(west / 10);
          target.drawImage(picture, 0, north - lat10, width, 1, left, top, width * tilePixels, bottom - top); // prettier-ignore
        }
      }
    },
  };
}

interface RowPlace {
  readonly top: number;
  readonly bottom: number;
  readonly day: number;
  readonly palette: TilePalette;
}

function paintTiles(painter: Painter, tiles: readonly CoverageRow[], place: RowPlace): void {
  const { context, x, width } = painter;
  const { top, bottom, day, palette } = place;
  for (const tile of tiles) {
    const left = x(tile[1] / 10);
    const right = x((tile[1] + 1) / 10);
    if (right < 0 || left > width) continue;
    const state = stateOnDay(tile, day);
    if (state === "never") {
      context.strokeStyle = palette.never;
      context.globalAlpha = 0.5;
      context.lineWidth = 1;
      context.setLineDash([2, 3]);
      context.strokeRect(left + 1.5, top + 1.5, right - left - 3, bottom - top - 3);
      context.setLineDash([]);
      context.globalAlpha = 1;
      continue;
    }
    context.fillStyle = palette[state];
    context.globalAlpha = 0.82;
    context.fillRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
    context.globalAlpha = 1;
  }
}

export function boundsOf(rows: readonly CoverageRow[]) {
  if (rows.length === 0) return undefined;
  let [south, north, west, east] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [lat10, lon10] of rows) {
    south = Math.min(south, lat10);
    north = Math.max(north, lat10);
    west = Math.min(west, lon10);
    east = Math.max(east, lon10);
  }
  return { south, north, west, east };
}
