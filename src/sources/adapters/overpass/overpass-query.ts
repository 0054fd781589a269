import type { Box } from "../../grid.ts";

/**
 * The limits that a query declares. A server admits a query only if it declares at most half of
 * what is left, so small numbers are admitted when the defaults (180 s, 512 MiB) are refused.
 */
export const queryTimeoutS = 60;
const maxSizeBytes = 128 * 2 ** 20;

const namedKeys = "shop craft office amenity healthcare tourism leisure club education".split(" ");
/** With these keys a place counts without a name too, if it has an operator or a brand. */
const unnamedKeys = ["shop", "craft", "office", "healthcare"];

/** Everything in a box that may be a business, each with its tags and one point. */
export function overpassQuery({ south, west, north, east }: Box): string {
  const box = [south, west, north, east].map(degrees).join(",");
  const head = `[out:json][timeout:${queryTimeoutS}][maxsize:${maxSizeBytes}][bbox:${box}];`;
  // One clause for each key, because a regular expression over keys is many times slower on the
  // server.
  const named = namedKeys.map((key) => `nwr[${key}][name];`);
  const unnamed = unnamedKeys.flatMap((key) =>
    ["operator", "brand"].map((other) => `nwr[${key}][!name][${other}];`),
  );
  return `${head}(${[...named, ...unnamed].join("")});out tags center qt;`;
}

/** A query for one element by its id, `osm/way/1`; undefined: it is not an id of OpenStreetMap. */
export function elementQuery(id: string): string | undefined {
  const [, type, number] = /^osm\/(node|way|relation)\/(\d{1,18})$/.exec(id) ?? [];
  if (type === undefined) return undefined;
  return `[out:json][timeout:10][maxsize:16777216];${type}(${number});out tags center;`;
}

/** Costs almost nothing, and its answer says how old the data is. */
export const probeQuery = "[out:json][timeout:5][maxsize:1048576];node(1);out ids;";

/** OpenStreetMap stores seven decimals. */
const degrees = (value: number): string => String(Number(value.toFixed(7)));

/** The four quarters of a box. */
export function quartersOf({ south, west, north, east }: Box): readonly Box[] {
  const [middle, centre] = [(south + north) / 2, (west + east) / 2];
  return [
    { south, west, north: middle, east: centre },
    { south, west: centre, north: middle, east },
    { south: middle, west, north, east: centre },
    { south: middle, west: centre, north, east },
  ];
}
