import type { Company } from "./company.ts";
import { normalDomain } from "./identity.ts";

/** A place of a company in one source: `place/osm/node/1`. A company may have several. */
export const placePrefix = "place/";
/** An additional domain of a company, from one that was merged into it. */
export const domainPrefix = "domain/";
/** A similar company that a user marked as distinct: `distinct/<id>`. */
export const distinctPrefix = "distinct/";
/** The fields that came from a company that was merged into this one: `mergedFields/<id>`. */
export const mergedFieldsPrefix = "mergedFields/";

/** Undefined if it is not the id of a place or cannot be part of a field name. */
export function placeField(place: unknown): string | undefined {
  if (typeof place !== "string" || Buffer.byteLength(place) > idBytesMax) return undefined;
  const isName = place.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return isName && !/\p{Cc}/u.test(place) ? `${placePrefix}${place}` : undefined;
}

/** Undefined if it cannot be part of a field name. */
export function domainField(domain: unknown): string | undefined {
  const name = typeof domain === "string" ? normalDomain(domain) : "";
  return name === "" || /[/\s\p{Cc}]/u.test(name) ? undefined : `${domainPrefix}${name}`;
}

const idBytesMax = 250;

/** All places, the original one first. */
export const placesOf = ({ texts, places }: Pick<Company, "texts" | "places">): readonly string[] =>
  texts.place === undefined
    ? (places ?? [])
    : places
      ? [...new Set([texts.place, ...places])]
      : [texts.place];

/** All domains without `www.`, its own first. */
export function domainsOf({
  texts: { domain },
  domains,
}: Pick<Company, "texts" | "domains">): readonly string[] {
  const own = domain === undefined ? [] : [normalDomain(domain)];
  return domains ? [...new Set([...own, ...domains.map(normalDomain)])] : own;
}

/** As in `sources/attributions.ts`: their ids name one place, whatever it is called. */
const openData = /^(?:osm|overture|fsq)\//;

/**
 * Ids of a user's own list may be row numbers, and another list has the same ones for other
 * businesses.
 */
export const isIdOfOwnList = (place: string): boolean => !openData.test(place);
