import { countryAt, countryCodeOf } from "../country-at.ts";
import { tileAt, type Point } from "../grid.ts";

export interface StreetParts {
  readonly street: string | undefined;
  readonly houseNumber: string | undefined;
  readonly unit: string | undefined;
  /** The village or hamlet, used if the place has no streets. */
  readonly quarter: string | undefined;
  readonly country: string | undefined;
}

/** Countries that write the number before the street. */
const numberFirst: ReadonlySet<string> = new Set(
  "US CA GB IE AU NZ FR LU MC ZA IN SG HK PH MY TH TW IL EG MA DZ TN NG KE GH JM PR".split(" "),
);

/** `12 Main St, Unit 4` or `Hauptstraße 12`, in the order that is usual in the place's country. */
export function streetOf(parts: StreetParts, point: Point): string | undefined {
  const { houseNumber, unit } = parts;
  const road = parts.street ?? parts.quarter;
  if (road === undefined) return houseNumber;
  const line =
    houseNumber === undefined || hasNumber(road, houseNumber)
      ? road
      : numberFirst.has(countryOf(parts.country, point) ?? "")
        ? `${houseNumber} ${road}`
        : `${road} ${houseNumber}`;
  if (unit === undefined) return line;
  return `${line}, ${/^[\p{N}-]+\p{L}?$/u.test(unit) ? `Unit ${unit}` : unit}`;
}

const hasNumber = (road: string, houseNumber: string): boolean =>
  road.endsWith(` ${houseNumber}`) || road.startsWith(`${houseNumber} `);

/** By tile: near a border the order may be the other country's, which does no harm. */
const known = new Map<string, string | undefined>();
const knownMax = 50_000;

function countryOf(country: string | undefined, point: Point): string | undefined {
  const code = country === undefined ? undefined : countryCodeOf(country);
  if (code !== undefined) return code;
  const { id } = tileAt(point);
  if (known.has(id)) return known.get(id);
  const found = countryAt(point);
  if (known.size < knownMax) known.set(id, found);
  return found;
}
