import * as z from "zod";
import type { Company } from "../../records/index.ts";
import type { Place } from "../../sources/index.ts";
import type { CompanyFacts } from "./company-fields.ts";

/** Filters are applied before anything is spent: a place that is rejected gets no task. */
export const filterNames = [
  "website",
  "phone",
  "open",
  "chain",
  "category",
  "rating",
  "reviews",
  "polygon",
] as const;
export type FilterName = (typeof filterNames)[number];

const names = z.array(z.string({ error: "text" }).trim().min(1).max(200), {
  error: 'a list of categories or tags, such as ["craft=plumber"]',
});
const yesOrNo = z.boolean({ error: "true (only places with one) or false (only places without)" });
const corner = z.tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)], {
  error: "[longitude, latitude]",
});

/** The table `[filters]` of a campaign. */
export const filtersSchema = z.strictObject({
  website: yesOrNo.optional(),
  phone: yesOrNo.optional(),
  /**
   * True: no place that is temporarily closed. Permanently closed places never become companies.
   */
  open: z
    .boolean({ error: "true (only places that are open) or false (only ones closed for a time)" })
    .optional(),
  /** Whether places of a brand are accepted. */
  chains: z.boolean({ error: "true or false" }).default(true),
  categories: z.strictObject({ only: names.default([]), not: names.default([]) }).prefault({}),
  ratingMin: z.number({ error: "a number from 0 to 10" }).min(0).max(10).optional(),
  reviewsMin: z.int({ error: "a whole number" }).min(0).optional(),
  polygon: z
    .array(corner, { error: "a list of corners, [[longitude, latitude], …]" })
    .min(3, { error: "a list of at least three corners, [[longitude, latitude], …]" })
    .max(10_000)
    .optional(),
});
export type PlaceFilters = z.output<typeof filtersSchema>;

interface Filtered {
  readonly hasWebsite: boolean;
  readonly hasPhone: boolean;
  readonly isOpen: boolean;
  readonly isChain: boolean;
  /** Categories and tags. */
  readonly categories: readonly string[];
  readonly rating: number | undefined;
  readonly reviews: number | undefined;
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
}

/** The first filter that rejects a place; undefined if none does. */
export function filterOfPlace(
  filters: PlaceFilters | undefined,
  place: Place,
  { website, fields }: CompanyFacts,
): FilterName | undefined {
  if (!filters) return undefined;
  return firstFilter(filters, {
    hasWebsite: website !== undefined,
    hasPhone: fields.some(({ field }) => field.startsWith("phone/")),
    isOpen: place.temporarilyClosed !== true,
    isChain: place.brand !== undefined,
    categories: [...(place.categories ?? []), ...(place.tags ?? [])],
    rating: place.rating,
    reviews: place.reviews,
    latitude: place.latitude,
    longitude: place.longitude,
  });
}

/** The same for a company that another campaign has found, by its stored fields. */
export function filterOfCompany(
  filters: PlaceFilters | undefined,
  { texts, numbers, phones, categories, extra }: Company,
): FilterName | undefined {
  if (!filters) return undefined;
  return firstFilter(filters, {
    hasWebsite: texts.website !== undefined,
    hasPhone: phones.length > 0,
    isOpen: !/closed|out of business/i.test(texts.status ?? ""),
    isChain: extra["brand"] !== undefined,
    categories,
    rating: numbers.rating,
    reviews: numbers.reviews,
    latitude: numbers.latitude,
    longitude: numbers.longitude,
  });
}

function firstFilter(filters: PlaceFilters, one: Filtered): FilterName | undefined {
  const { website, phone, open, chains, categories, ratingMin, reviewsMin, polygon } = filters;
  if (website !== undefined && website !== one.hasWebsite) return "website";
  if (phone !== undefined && phone !== one.hasPhone) return "phone";
  if (open !== undefined && open !== one.isOpen) return "open";
  if (!chains && one.isChain) return "chain";
  const own = new Set(one.categories.map(folded));
  const { only, not } = categories;
  if (only.length > 0 && !only.some((name) => own.has(folded(name)))) return "category";
  if (not.some((name) => own.has(folded(name)))) return "category";
  // An unknown value never reaches a minimum.
  if (ratingMin !== undefined && (one.rating ?? -1) < ratingMin) return "rating";
  if (reviewsMin !== undefined && (one.reviews ?? -1) < reviewsMin) return "reviews";
  if (polygon && !isInside(polygon, one)) return "polygon";
  return undefined;
}

const folded = (name: string) => name.normalize("NFKC").trim().toLowerCase();

/** Counts the edges west of the point: an odd number means inside. Edges do not cross 180°. */
function isInside(
  polygon: NonNullable<PlaceFilters["polygon"]>,
  { latitude, longitude }: Pick<Filtered, "latitude" | "longitude">,
): boolean {
  if (latitude === undefined || longitude === undefined) return false;
  let inside = false;
  let [beforeLon, beforeLat] = polygon.at(-1)!;
  for (const [lon, lat] of polygon) {
    const isCrossed = lat > latitude !== beforeLat > latitude;
    const atLon = ((beforeLon - lon) * (latitude - lat)) / (beforeLat - lat) + lon;
    if (isCrossed && longitude < atLon) inside = !inside;
    [beforeLon, beforeLat] = [lon, lat];
  }
  return inside;
}
