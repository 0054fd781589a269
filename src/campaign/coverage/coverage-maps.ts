import { xmlText } from "../../base/text/xml-text.ts";
import {
  kmlBegin,
  kmlData,
  kmlLicences,
  licenceMember,
  type DataLicence,
} from "../../records/index.ts";
import { boxOf, type Tile } from "../../sources/index.ts";
import { coverageStates, type CoverageCell, type CoverageState } from "./coverage.ts";

/** A position in GeoJSON and KML: longitude first, in degrees. */
type Position = readonly [longitude: number, latitude: number];

/** The outline of a tile, counter-clockwise from its south-western corner, and closed. */
export function ringOf(tile: Tile): readonly Position[] {
  const { south, west, north, east } = boxOf(tile);
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

/**
 * GeoJSON (RFC 7946) with one feature for each cell. Yields pieces, because a campaign may have a
 * million cells.
 */
export function* coverageGeoJson(
  cells: Iterable<CoverageCell>,
  licences: readonly DataLicence[] = [],
): Generator<string> {
  yield '{"type":"FeatureCollection","features":[';
  let separator = "\n";
  for (const { tile, phrase, state, found, at, expires } of cells) {
    const feature = {
      type: "Feature",
      id: phrase === undefined ? tile.id : `${tile.id} ${phrase}`,
      geometry: { type: "Polygon", coordinates: [ringOf(tile)] },
      properties: { tile: tile.id, phrase, state, found, at, expires },
    };
    yield `${separator}${JSON.stringify(feature)}`;
    separator = ",\n";
  }
  yield `\n]${licenceMember(licences)}}\n`;
}

/** In the order of KML: alpha, blue, green, red. */
const colours: Readonly<Record<CoverageState, string>> = {
  fresh: "8050b040",
  empty: "60b0b0b0",
  expired: "8020a0e0",
  failed: "803030d0",
  never: "30ffffff",
};

/**
 * KML 2.2 with a folder for each phrase. The time span of a cell is the time for which its result
 * is valid, so the time slider of Google Earth shows freshness. Elements are in the order of the
 * schema.
 */
export function* coverageKml(
  name: string,
  cells: readonly CoverageCell[],
  licences: readonly DataLicence[] = [],
): Generator<string> {
  yield `${kmlBegin}<Document>\n<name>${xmlText(name)}</name>\n`;
  for (const state of coverageStates) {
    yield (
      `<Style id="${state}"><LineStyle><color>ff606060</color><width>1</width></LineStyle>` +
        `<PolyStyle><color>${colours[state]}</color></PolyStyle></Style>\n`
    );
  }
  const folders = new Map<string | undefined, CoverageCell[]>();
  for (const cell of cells) {
    const known = folders.get(cell.phrase);
    if (known) known.push(cell);
    else folders.set(cell.phrase, [cell]);
  }
  for (const [phrase, some] of folders) {
    yield `<Folder><name>${xmlText(phrase ?? "all phrases")}</name>\n`;
    for (const cell of some) yield placemarkOf(cell);
    yield "</Folder>\n";
  }
  yield `${kmlLicences(licences)}</Document>\n</kml>\n`;
}

function placemarkOf({ tile, state, found, at, expires }: CoverageCell): string {
  const span =
    at === undefined || expires === undefined
      ? ""
      : `<TimeSpan><begin>${at}</begin><end>${expires}</end></TimeSpan>`;
  const ring = ringOf(tile)
    .map(([longitude, latitude]) => `${longitude},${latitude}`)
    .join(" ");
  return (
    `<Placemark><name>${tile.id}</name>${span}<styleUrl>#${state}</styleUrl>` +
    `${kmlData({ state, found })}<Polygon><outerBoundaryIs><LinearRing>` +
    `<coordinates>${ring}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>\n`
  );
}
