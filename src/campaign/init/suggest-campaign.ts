import {
  compilePhrases,
  createPhraseMatcher,
  type Place,
  type Point,
} from "../../sources/index.ts";
import { phraseFault, toPhrase } from "../phrase.ts";
import type { TemplateOptions } from "../config/template.ts";

/** A campaign that finds most of the places in a file. */
export interface SuggestedCampaign {
  /** Empty if the places have no categories. */
  readonly phrases: readonly string[];
  readonly location: NonNullable<TemplateOptions["locations"]>[number];
  readonly proximityKm: number;
}

const phrasesMax = 5;
/** A larger area has thousands of tiles; users must choose that themselves. */
const proximityKmMax = 50;

/** Undefined if the places have no coordinates. */
export function suggestCampaign(places: readonly Place[]): SuggestedCampaign | undefined {
  const points = places.flatMap(({ latitude, longitude }) =>
    latitude === undefined || longitude === undefined ? [] : [{ latitude, longitude }],
  );
  if (points.length === 0) return undefined;
  const centre = {
    latitude: rounded(median(points.map(({ latitude }) => latitude))),
    longitude: rounded(median(points.map(({ longitude }) => longitude))),
  };
  const distances = points.map((point) => distanceKm(centre, point)).toSorted((a, b) => a - b);
  const most = distances[Math.floor((distances.length - 1) * 0.95)]!;
  const proximityKm = Math.min(proximityKmMax, Math.max(1, Math.ceil(most)));
  const name = mostFrequent(places.flatMap(({ city }) => city ?? [])) ?? "places";
  return { phrases: commonPhrases(places), location: { name, ...centre }, proximityKm };
}

/** The most common categories for which a phrase of the same name finds places. */
function commonPhrases(places: readonly Place[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { categories = [], tags = [] } of places) {
    const names = [...categories, ...tags.map((tag) => tag.replace(/^.*=/s, ""))];
    for (const name of new Set(names.map((one) => toPhrase(one.replaceAll("_", " "))))) {
      if (phraseFault(name) === undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const candidates = [...counts]
    .filter(([name]) => name !== "yes")
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, phrasesMax * 3)
    .map(([name]) => name);
  if (candidates.length === 0) return [];
  const compiled = compilePhrases(candidates, createPhraseMatcher());
  const found = candidates.map(() => 0);
  for (const place of places) for (const at of compiled.matching(place)) found[at]! += 1;
  return candidates.filter((_, at) => found[at]! > 0).slice(0, phrasesMax);
}

function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const rounded = (degrees: number): number => Math.round(degrees * 10_000) / 10_000;

const earthRadiusKm = 6_371.0088;

function distanceKm(a: Point, b: Point): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const cosines = Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude));
  const square = half(a.latitude, b.latitude) + cosines * half(a.longitude, b.longitude);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(square)));
}
