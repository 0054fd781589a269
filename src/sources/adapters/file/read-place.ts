import { createHash } from "node:crypto";
import { z } from "zod";
import type { Place } from "../../place-source.ts";

/** What is wrong with one record, in words that say what would be right. */
export type ReadPlace =
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "bad"; readonly reason: string };

const feature = z.object({
  type: z.literal("Feature"),
  id: z.union([z.string(), z.number()]).optional(),
  geometry: z.object({ type: z.string(), coordinates: z.unknown() }).nullish(),
  properties: z.record(z.string(), z.unknown()).nullish(),
});

/** Names that exports give to the same thing; the first that is there is taken. */
const aliases = {
  id: ["id", "place_id", "placeId", "@id", "osm_id"],
  name: ["name", "title", "company"],
  latitude: ["latitude", "lat"],
  longitude: ["longitude", "lon", "lng", "long"],
  address: ["address", "full_address", "formatted_address"],
  street: ["street", "addr:street"],
  city: ["city", "addr:city", "locality"],
  zip: ["zip", "postcode", "postal_code", "addr:postcode"],
  state: ["state", "region", "addr:state"],
  country: ["country", "country_code", "addr:country"],
  timezone: ["timezone"],
  website: ["website", "url", "contact:website", "domain"],
  phones: ["phones", "phone", "contact:phone"],
  emails: ["emails", "email", "contact:email"],
  description: ["description", "about"],
  rating: ["rating", "stars"],
  reviews: ["reviews", "reviews_count", "review_count"],
  hours: ["hours", "opening_hours"],
} as const satisfies Record<Exclude<keyof Place, "categories" | "tags">, readonly string[]>;

/** What it is may stand in several of these, and all of them count. */
const categoryNames =
  "categories category types type shop craft office amenity healthcare tourism".split(" ");
/** How it is stored, or that it is one of some kind: not what it is. */
const noCategories: ReadonlySet<string> = new Set([
  "node",
  "way",
  "relation",
  "feature",
  "yes",
  "no",
]);

const numbers: ReadonlySet<string> = new Set(["latitude", "longitude", "rating", "reviews"]);
const lists: ReadonlySet<string> = new Set(["phones", "emails", "categories"]);

/** Reads one record: a flat object, or a GeoJSON feature with a point. */
export function readPlace(text: string): ReadPlace {
  let value: unknown;
  try {
    // A GeoJSON sequence (RFC 8142) has a record separator before each.
    value = JSON.parse(text.replace(/^[\p{Cc}\ufeff]+/u, ""));
  } catch (error) {
    return bad(`it is not JSON (${(error as Error).message.slice(0, 80)})`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return bad('it is not an object such as {"name": …, "latitude": …, "longitude": …}');
  }
  const flat = (value as { type?: unknown }).type === "Feature" ? fromFeature(value) : value;
  return typeof flat === "string" ? bad(flat) : fromObject(flat as Record<string, unknown>);
}

function fromFeature(value: object): Record<string, unknown> | string {
  const parsed = feature.safeParse(value);
  if (!parsed.success) return "it is a Feature without geometry or properties that can be read";
  const { id, geometry, properties } = parsed.data;
  const point = z.tuple([z.number(), z.number()]).rest(z.number()).safeParse(geometry?.coordinates);
  if (geometry?.type !== "Point" || !point.success) {
    return "its geometry is no Point with [longitude, latitude]";
  }
  const [longitude, latitude] = point.data;
  return { ...(id === undefined ? {} : { id }), ...properties, longitude, latitude };
}

function fromObject(object: Record<string, unknown>): ReadPlace {
  const found: Record<string, unknown> = {};
  for (const [field, names] of Object.entries(aliases)) {
    for (const name of names) {
      const value = Object.hasOwn(object, name) ? valueOf(field, object[name]) : undefined;
      if (value === undefined) continue;
      found[field] = value;
      break;
    }
  }
  const categories = categoriesOf(object);
  if (categories.length > 0) found["categories"] = categories;
  const { name, latitude, longitude } = found as Partial<Place>;
  if (name === undefined) return bad("it has no name");
  if (latitude === undefined || longitude === undefined) {
    return bad("it has no latitude and longitude that are numbers");
  }
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) {
    return bad(`${latitude}, ${longitude} is not on the earth (latitude comes first)`);
  }
  const id = typeof found["id"] === "string" ? found["id"] : idOf(name, latitude, longitude);
  return { kind: "place", place: { ...found, id, name } as Place };
}

function categoriesOf(object: Record<string, unknown>): readonly string[] {
  const all = categoryNames.flatMap((name) =>
    Object.hasOwn(object, name) ? ((valueOf("categories", object[name]) ?? []) as string[]) : [],
  );
  return [...new Set(all)].filter((one) => !noCategories.has(one.toLowerCase())).slice(0, itemsMax);
}

/** Undefined: not known. Never a word such as "None" that stands for it. */
function valueOf(field: string, value: unknown): unknown {
  if (lists.has(field)) {
    const items = (Array.isArray(value) ? value : typeof value === "string" ? value.split(";") : [])
      .filter((item) => typeof item === "string")
      .map((item) => item.trim().slice(0, textMax))
      .filter((item) => item !== "");
    return items.length > 0 ? items.slice(0, itemsMax) : undefined;
  }
  if (numbers.has(field)) {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
    if (field === "rating") return number >= 0 && number <= 10 ? number : undefined;
    return field === "reviews" && !(Number.isInteger(number) && number >= 0) ? undefined : number;
  }
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.trim() === "") return undefined;
  if (/^(?:none|null|nan|undefined|n\/a)$/iu.test(text.trim())) return undefined;
  // oxlint-disable-next-line no-control-regex -- control characters are what it is for
  const clean = text.replace(/[\u0000-\u001f\u007f]+/g, " ").trim();
  return clean.slice(
    0,
    field === "id" ? idMax : field === "description" ? descriptionMax : textMax,
  );
}

const textMax = 2_000;
const descriptionMax = 20_000;
const idMax = 200;
const itemsMax = 50;

/** The same for the same place in the same file, whatever line it is on. */
function idOf(name: string, latitude: number, longitude: number): string {
  const text = `${name}\n${latitude.toFixed(5)}\n${longitude.toFixed(5)}`;
  return `file/${createHash("sha256").update(text).digest("hex").slice(0, 20)}`;
}

const bad = (reason: string): ReadPlace => ({ kind: "bad", reason });
