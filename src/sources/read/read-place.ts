import { createHash } from "node:crypto";
import type { Point } from "../grid.ts";
import type { Place } from "../place.ts";
import { closingOf } from "./closing.ts";
import { pointOfWkt } from "./geometry.ts";
import {
  fieldNames,
  isCategoryName,
  namedField,
  networkNames,
  plainName,
  tagKeys,
  type FieldName,
} from "./place-names.ts";
import { degreesOf, isSomething, itemsOf, numberOf, textOf } from "./read-values.ts";
import {
  flattened,
  isElement,
  isObject,
  osmId,
  rowOfElement,
  rowOfFeature,
  type Row,
} from "./row-shapes.ts";
import { streetOf } from "./street-line.ts";

/** The result of reading one record; the reason of a bad one says what would be right. */
export type ReadPlace =
  | { readonly kind: "place"; readonly place: Place }
  /** The place no longer exists: not an error of the file. */
  | { readonly kind: "closed" }
  | { readonly kind: "bad"; readonly reason: string };

/** Reads one record of JSON: a flat object, or a GeoJSON feature of any geometry. */
export function readJsonPlace(text: string): ReadPlace {
  let value: unknown;
  try {
    // In a GeoJSON sequence (RFC 8142) a record separator precedes each record.
    value = JSON.parse(text.startsWith("{") ? text : text.replace(/^[\p{Cc}\ufeff]+/u, ""));
  } catch {
    return bad("it is not JSON");
  }
  if (!isObject(value)) {
    return bad('it is not an object such as {"name": …, "latitude": …, "longitude": …}');
  }
  const row =
    value["type"] === "Feature"
      ? rowOfFeature(value)
      : isElement(value)
        ? rowOfElement(value)
        : value;
  return typeof row === "string" ? bad(row) : readRow(row);
}

/** Reads an element in the format of Overpass. */
export function readElement(element: Row): ReadPlace {
  const row = rowOfElement(element);
  return typeof row === "string" ? bad(row) : readRow(row);
}

/** Reads a row with any keys that `place-names.ts` knows. */
export function readRow(given: Row): ReadPlace {
  const row = flattened(given);
  const closing = closingOf(row);
  if (closing === "for good") return { kind: "closed" };
  const found = sortByField(row);
  const first = (field: FieldName): unknown => {
    const value = found.values[slotOf[field]];
    return value instanceof Several ? value.ranked[0]!.value : value;
  };
  const text = (field: FieldName) => textOf(first(field));
  const items = (field: FieldName): readonly string[] => {
    const value = found.values[slotOf[field]];
    if (value === undefined) return noItems;
    const all =
      value instanceof Several ? value.ranked.flatMap((one) => itemsOf(one.value)) : itemsOf(value);
    return all.length < 2 ? all : [...new Set(all)];
  };

  const [operator, brand] = [text("operator"), text("brand")];
  const name = text("name") ?? operator ?? brand;
  if (name === undefined) return bad("it has no name, no operator and no brand");
  const point = pointOf(first);
  if (typeof point === "string") return bad(point);
  const [website, ...websites] = items("website").flatMap((one) =>
    one.split(/\s*,\s*(?=https?:|www\.)|\s+/i),
  );
  const country = text("country");
  const parts = {
    street: text("street"),
    houseNumber: text("houseNumber"),
    unit: text("unit"),
    quarter: text("quarter"),
    country,
  };
  const unread: NonNullable<Place["unread"]> = [];
  const number = (field: "rating" | "reviews" | "confidence", max: number) => {
    const value = text(field);
    if (value === undefined) return undefined;
    const found = numberOf(value);
    if (found !== undefined && found >= 0 && found <= max) return found;
    unread.push({ field, value });
    return undefined;
  };
  const [rating, confidence] = [number("rating", ratingMax), number("confidence", 1)];
  const reviews = number("reviews", Number.MAX_SAFE_INTEGER);
  const rawId = textOf(first("id"), idMax);
  const id = rawId === undefined ? idOf(name, point) : osmId(rawId, row);
  return {
    kind: "place",
    place: withoutNothing({
      id,
      name,
      latitude: point.latitude,
      longitude: point.longitude,
      address: text("address"),
      street: streetOf(parts, point),
      city: text("city"),
      zip: text("zip"),
      state: text("state"),
      country,
      timezone: text("timezone"),
      website,
      websites,
      phones: items("phones"),
      faxes: items("faxes"),
      emails: items("emails"),
      socials: found.socials,
      operator,
      brand,
      categories: found.categories,
      tags: found.tags,
      description: textOf(first("description"), descriptionMax),
      rating,
      reviews: reviews === undefined ? undefined : Math.trunc(reviews),
      hours: text("hours"),
      confidence,
      unread,
      temporarilyClosed: closing === "temporarily" ? true : undefined,
    }),
  };
}

const descriptionMax = 20_000;
const ratingMax = 10;
const idMax = 200;
const listMax = 50;
const noItems: readonly string[] = [];

/** The position of each field in `Sorted.values`. A file has many rows: this is faster than a map. */
const slotOf = Object.fromEntries(
  Object.keys(fieldNames).map((field, slot) => [field, slot]),
) as Readonly<Record<FieldName, number>>;
const noValues: readonly unknown[] = Object.keys(slotOf).map(() => undefined);

/** The values of one field under several names, the best name first. */
class Several {
  readonly ranked: { readonly rank: number; readonly value: unknown }[] = [];
}

interface Sorted {
  /** By `slotOf`: undefined, the only value of the field, or `Several`. */
  readonly values: readonly unknown[];
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly socials: readonly string[];
}

/** Values that say how a place is stored, or only that it exists: not categories. */
const noCategories: ReadonlySet<string> = new Set(["node", "way", "relation", "feature", "yes", "no", "point"]); // prettier-ignore

function sortByField(row: Row): Sorted {
  const values = noValues.slice();
  const ranks = new Uint8Array(noValues.length);
  const categories: string[] = [];
  const tags: string[] = [];
  const socials: string[] = [];
  for (const key of Object.keys(row)) {
    const value = row[key];
    if (value === null || value === undefined || value === "") continue;
    const { field, slot, rank, isCategory, tag, network } = meaningOf(key);
    if (field !== undefined && isSomething(Array.isArray(value) ? value[0] : value)) {
      const before = values[slot];
      if (before === undefined) [values[slot], ranks[slot]] = [value, rank];
      else {
        const several = before instanceof Several ? before : new Several();
        if (several !== before) several.ranked.push({ rank: ranks[slot]!, value: before });
        several.ranked.push({ rank, value });
        several.ranked.sort((a, b) => a.rank - b.rank);
        values[slot] = several;
      }
    }
    if (isCategory || tag !== undefined) {
      for (const one of itemsOf(value)) {
        if (noCategories.has(one.toLowerCase())) continue;
        if (tag !== undefined) addTo(tags, `${tag}=${one}`);
        if (isCategory) addTo(categories, one);
      }
    }
    if (network !== undefined)
      for (const one of itemsOf(value)) addTo(socials, `${network}:${one}`);
    else if (key === "socials") for (const one of itemsOf(value)) addTo(socials, one);
  }
  return { values, categories, tags, socials };
}

function addTo(list: string[], item: string): void {
  if (list.length < listMax && !list.includes(item)) list.push(item);
}

interface Meaning {
  readonly field: FieldName | undefined;
  /** Of the field; -1 without one. */
  readonly slot: number;
  readonly rank: number;
  readonly isCategory: boolean;
  readonly tag: string | undefined;
  readonly network: string | undefined;
}

/** Cached: files have few keys, and each of them in every row. */
const meanings = new Map<string, Meaning>();
const meaningsMax = 10_000;
const networks = new RegExp(
  `^(?:contact)?(${networkNames.replaceAll(" ", "|")})(?:id|url|page|profile|handle|username)?$`,
);
/** Tags that are categories; other tags only add details. */
const mainTags = /^(?:shop|craft|office|amenity|healthcare|tourism|leisure|club|education)$/;

function meaningOf(key: string): Meaning {
  const known = meanings.get(key);
  if (known) return known;
  const plain = plainName(key);
  const named = namedField(key);
  const made: Meaning = {
    field: named?.field,
    slot: named === undefined ? -1 : slotOf[named.field],
    rank: named?.rank ?? 0,
    isCategory: isCategoryName.has(plain) || mainTags.test(key),
    tag: tagKeys.has(key) ? key : undefined,
    network: networks.exec(plain)?.[1],
  };
  if (meanings.size < meaningsMax) meanings.set(key, made);
  return made;
}

/** Returns a text if there is no point: the reason. */
function pointOf(first: (field: FieldName) => unknown): Point | string {
  const [latitude, longitude] = [degreesOf(first("latitude")), degreesOf(first("longitude"))];
  const point =
    latitude !== undefined && longitude !== undefined
      ? { latitude, longitude }
      : (pointOfText(textOf(first("point"))) ?? pointOfWkt(textOf(first("wkt"), 1_000_000) ?? ""));
  if (!point) return "it has no latitude and longitude that are numbers";
  if (Math.abs(point.latitude) > 90 || Math.abs(point.longitude) > 180) {
    const isSwapped = Math.abs(point.longitude) <= 90 && Math.abs(point.latitude) <= 180;
    return isSwapped
      ? "its latitude and longitude seem to be swapped"
      : "its point is not on the earth";
  }
  // Many programs write a missing point as 0, 0; no business is at that place in the ocean.
  if (point.latitude === 0 && point.longitude === 0)
    return "its point is 0, 0: that is not a place";
  return point;
}

/** `48.1, 11.5`, `48,1; 11,5`, `POINT(11.5 48.1)`. */
function pointOfText(text: string | undefined): Point | undefined {
  if (text === undefined) return undefined;
  const [latitude, longitude, ...rest] = text
    .replaceAll(/[()[\]]/g, " ")
    .split(/\s*[;|]\s*|\s*,\s+|\s+/u)
    .filter(Boolean)
    .flatMap((part) => (/^[+-]?\d+\.\d+,[+-]?\d+\.\d+$/.test(part) ? part.split(",") : [part]))
    .map(degreesOf);
  const isPair = latitude !== undefined && longitude !== undefined && rest.length === 0;
  return isPair ? { latitude, longitude } : pointOfWkt(text);
}

/** The same for the same place in the same file, whatever line it is on. */
function idOf(name: string, { latitude, longitude }: Point): string {
  const text = `${name}\n${latitude.toFixed(5)}\n${longitude.toFixed(5)}`;
  return `file/${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
}

function withoutNothing(
  place: { readonly id: string; readonly name: string } & Readonly<Record<string, unknown>>,
): Place {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(place)) {
    const value = place[key];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) kept[key] = value;
  }
  return kept as Place;
}

const bad = (reason: string): ReadPlace => ({ kind: "bad", reason });
