import type { Company } from "../fields/company.ts";
import { listPrefixes } from "../fields/fields.ts";
import { firstText } from "../fields/identity.ts";
import { distanceM } from "../resolve/judge-pair.ts";
import { comparedName, nameSimilarity } from "../resolve/name-similarity.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A list may correct a position by this much and the name with it. */
const samePointM = 50;
/** No business moves farther and keeps its entry in a list. */
const movedM = 50_000;
const likeName = 0.8;

/**
 * Whether a place of a user's own list can be the known company with the same id. Without positions it
 * is taken for the same.
 */
export function isSamePlace({ name, texts, numbers, phones }: Company, fields: Fields): boolean {
  const { latitude, longitude } = fields;
  const isPlaced = typeof latitude === "number" && typeof longitude === "number";
  if (!isPlaced || numbers.latitude === undefined || numbers.longitude === undefined) return true;
  if (phones.some(({ value }) => `${listPrefixes.phones}${value}` in fields)) return true;
  const known = { latitude: numbers.latitude, longitude: numbers.longitude };
  const farM = distanceM(known, { latitude, longitude });
  if (farM <= samePointM) return true;
  if (farM > movedM) return false;
  const isSameDomain = texts.domain !== undefined && texts.domain === fields["domain"];
  const like = nameSimilarity(comparedName(name), comparedName(firstText(fields["name"])));
  return isSameDomain || like >= likeName;
}

/** Instead of the id that another business has: from it and the name, so every node makes the same. */
export const ownIdWithName = (place: string, name: unknown): string =>
  `${place} ${comparedName(firstText(name)).joined}`;
