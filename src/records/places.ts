import type { Company } from "./company.ts";

/** A place of a company in one source: `place/osm/node/1`. A company may have several. */
export const placePrefix = "place/";
/** Another company that is not this one, though it looks alike: `distinct/<id>`. A person said so. */
export const distinctPrefix = "distinct/";
/** Which fields came from a company that was merged into this one: `mergedFields/<id>`. */
export const mergedFieldsPrefix = "mergedFields/";

/** Undefined for what is no id of a place, or one that no field can be named by. */
export function placeField(place: unknown): string | undefined {
  if (typeof place !== "string" || Buffer.byteLength(place) > idBytesMax) return undefined;
  const isName = place.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  return isName && !/\p{Cc}/u.test(place) ? `${placePrefix}${place}` : undefined;
}

const idBytesMax = 250;

/** All of them; the one it was made from first. */
export const placesOf = ({ texts, places }: Pick<Company, "texts" | "places">): readonly string[] =>
  texts.place === undefined ? (places ?? []) : [...new Set([texts.place, ...(places ?? [])])];
