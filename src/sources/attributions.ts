import type { Attribution } from "./place-source.ts";

/** Open data with an attribution, by the first part of the ids of its places. */
export const osmAttribution: Attribution = {
  text: "© OpenStreetMap contributors",
  licence: "ODbL-1.0",
  url: "https://www.openstreetmap.org/copyright",
};
export const overtureAttribution: Attribution = {
  text: "© Overture Maps Foundation, overturemaps.org, and its contributors",
  licence: "CDLA-Permissive-2.0",
  url: "https://docs.overturemaps.org/attribution/",
};
export const foursquareAttribution: Attribution = {
  text: "Copyright 2024 Foursquare Labs, Inc. All rights reserved.",
  licence: "Apache-2.0",
  url: "https://opensource.foursquare.com/os-places/",
};

const byPrefix: Readonly<Record<string, Attribution>> = {
  osm: osmAttribution,
  overture: overtureAttribution,
  fsq: foursquareAttribution,
};

/** Names of open data, as used in `export --without osm`. */
export const openDataNames = Object.keys(byPrefix);

/** `osm` for the id of a place (`osm/node/1`) or the source of a value (`place:osm/node/1`). */
export function openDataOf(idOrSource: string): string | undefined {
  const [, name = ""] = /^(?:place:)?([a-z]+)\//.exec(idOrSource) ?? [];
  return Object.hasOwn(byPrefix, name) ? name : undefined;
}

export const attributionOf = (name: string): Attribution | undefined =>
  Object.hasOwn(byPrefix, name) ? byPrefix[name] : undefined;

/** The attributions that must be shown with data from these places, each once. */
export function attributionsOf(placeIds: Iterable<string>): readonly Attribution[] {
  const names = new Set<string>();
  for (const id of placeIds) names.add(id.slice(0, Math.max(0, id.indexOf("/"))));
  return [...names].sort().flatMap((name) => attributionOf(name) ?? []);
}

/** As one line: `© OpenStreetMap contributors (ODbL-1.0), https://…`. */
export const attributionLine = ({ text, licence, url }: Attribution): string =>
  `${text} (${licence}), ${url}`;

/** The licence of the open data that a value comes from, by the value's source. */
export function licenceOf(source: string): string | undefined {
  const name = openDataOf(source);
  return name === undefined ? undefined : attributionOf(name)?.licence;
}
