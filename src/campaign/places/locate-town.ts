import { findTowns, townText, type Town } from "../../sources/index.ts";

/**
 * The one town that a name means, or what is wrong with the name, as the end of a sentence "<text>
 * …".
 */
export type LocatedTown =
  | { readonly kind: "town"; readonly town: Town }
  | { readonly kind: "fault"; readonly words: string };

const shownMax = 12;

/** Works offline. If several towns have the name, none is guessed: the error lists them. */
export function locateTown(text: string): LocatedTown {
  const [town, ...others] = findTowns(text);
  if (!town) {
    const words = "is not a known town of 5,000 or more inhabitants: give latitude and longitude";
    return { kind: "fault", words };
  }
  if (others.length === 0) return { kind: "town", town };
  const all = [town, ...others];
  const listed = all.slice(0, shownMax).map((one) => {
    const same = all.filter((other) => townText(other) === townText(one)).length;
    const where = `${one.latitude.toFixed(2)},${one.longitude.toFixed(2)}`;
    return same > 1 ? `${townText(one)} at ${where}` : townText(one);
  });
  const more = all.length > shownMax ? ` and ${all.length - shownMax} more` : "";
  const words = `is the name of ${all.length} towns: choose one of ${listed.join(" · ")}${more}, or give latitude and longitude`;
  return { kind: "fault", words };
}

const kmPerMile = 1.609344;

/** Converts `20 mi`, `30 km` or `12.5km` to kilometres; undefined for anything else. */
export function radiusKm(text: string): number | undefined {
  const [, number, unit = ""] =
    /^\s*(\d{1,5}(?:\.\d{1,3})?)\s*(km|kilometers?|kilometres?|mi|miles?)\s*$/i.exec(text) ?? [];
  if (number === undefined) return undefined;
  const km = Number(number) * (unit.toLowerCase().startsWith("mi") ? kmPerMile : 1);
  return Math.round(km * 1_000) / 1_000;
}
