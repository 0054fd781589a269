import type { Company } from "./company.ts";
import { normalDomain } from "./identity.ts";

/** A place of a company in one source: `place/osm/node/1`. A company may have several. */
export const placePrefix = "place/";
/** A further domain of a company, beside `domain`: that of one that was merged into it. */
export const domainPrefix = "domain/";
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

/** Undefined for what no field can be named by. */
export function domainField(domain: unknown): string | undefined {
  const name = typeof domain === "string" ? normalDomain(domain) : "";
  return name === "" || /[/\s\p{Cc}]/u.test(name) ? undefined : `${domainPrefix}${name}`;
}

const idBytesMax = 250;

/** All of them; the one it was made from first. */
export const placesOf = ({ texts, places }: Pick<Company, "texts" | "places">): readonly string[] =>
  texts.place === undefined
    ? (places ?? [])
    : places
      ? [...new Set([texts.place, ...places])]
      : [texts.place];

/** All of them, without `www.`; its own first. */
export function domainsOf({
  texts: { domain },
  domains,
}: Pick<Company, "texts" | "domains">): readonly string[] {
  const own = domain === undefined ? [] : [normalDomain(domain)];
  return domains ? [...new Set([...own, ...domains.map(normalDomain)])] : own;
}
