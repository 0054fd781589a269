import { createHash } from "node:crypto";
import type { Point } from "../grid.ts";
import type { Place } from "../place.ts";
import { closingOf } from "./closing.ts";
import { pointOfWkt } from "./geometry.ts";
import {
  fieldByName,
  isCategoryName,
  networkNames,
  plainName,
  tagKeys,
  type FieldName,
  type NamedField,
} from "./place-names.ts";
import { degreesOf, itemsOf, numberOf, textOf } from "./read-values.ts";
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
  const first = (field: FieldName) => found.values.get(field)?.[0];
  const text = (field: FieldName) => textOf(first(field));
  const items = (field: FieldName): readonly string[] => {
    const given = found.values.get(field);
    if (!given) return noItems;
    const all = given.length === 1 ? itemsOf(given[0]) : given.flatMap(itemsOf);
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
  const rating = numberOf(first("rating"));
  const reviews = numberOf(first("reviews"));
  const confidence = numberOf(first("confidence"));
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
      rating: rating !== undefined && rating >= 0 && rating <= 10 ? rating : undefined,
      reviews: reviews !== undefined && reviews >= 0 ? Math.trunc(reviews) : undefined,
      hours: text("hours"),
      confidence:
        confidence !== undefined && confidence >= 0 && confidence <= 1 ? confidence : undefined,
      temporarilyClosed: closing === "temporarily" ? true : undefined,
    }),
  };
}

const descriptionMax = 20_000;
const idMax = 200;
const listMax = 50;
const noItems: readonly string[] = [];

interface Sorted {
  /** The value of the best name first. */
  readonly values: ReadonlyMap<FieldName, readonly unknown[]>;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly socials: readonly string[];
}

/** Values that say how a place is stored, or only that it exists: not categories. */
const noCategories: ReadonlySet<string> = new Set(["node", "way", "relation", "feature", "yes", "no", "point"]); // prettier-ignore

function sortByField(row: Row): Sorted {
  const ranked = new Map<FieldName, { rank: number; value: unknown }[]>();
  const categories = new Set<string>();
  const tags = new Set<string>();
  const socials = new Set<string>();
  for (const key of Object.keys(row)) {
    const value = row[key];
    if (value === null || value === undefined || value === "") continue;
    const meaning = meaningOf(key);
    if (meaning.field) {
      if (textOf(Array.isArray(value) ? value[0] : value) === undefined) continue;
      const list = ranked.get(meaning.field.field) ?? [];
      list.push({ rank: meaning.field.rank, value });
      ranked.set(meaning.field.field, list);
    }
    if (meaning.isCategory || meaning.tag !== undefined) {
      for (const one of itemsOf(value)) {
        if (noCategories.has(one.toLowerCase())) continue;
        if (meaning.tag !== undefined) tags.add(`${meaning.tag}=${one}`);
        if (meaning.isCategory) categories.add(one);
      }
    }
    if (meaning.network !== undefined) {
      for (const one of itemsOf(value)) socials.add(`${meaning.network}:${one}`);
    } else if (key === "socials") for (const one of itemsOf(value)) socials.add(one);
  }
  const values = new Map<FieldName, readonly unknown[]>();
  for (const [field, list] of ranked) {
    if (list.length > 1) list.sort((a, b) => a.rank - b.rank);
    values.set(field, list.map(({ value }) => value)); // prettier-ignore
  }
  return {
    values,
    categories: [...categories].slice(0, listMax),
    tags: [...tags].slice(0, listMax),
    socials: [...socials].slice(0, listMax),
  };
}

interface Meaning {
  readonly field?: NamedField;
  readonly isCategory?: boolean;
  readonly tag?: string;
  readonly network?: string;
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
  const field = fieldByName.get(plain);
  const network = networks.exec(plain)?.[1];
  const made: Meaning = {
    ...(field && { field }),
    isCategory: isCategoryName.has(plain) || mainTags.test(key),
    ...(tagKeys.has(key) && { tag: key }),
    ...(network !== undefined && { network }),
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
