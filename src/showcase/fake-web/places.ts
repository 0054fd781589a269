import type { Business } from "./business.ts";
import type { Region } from "./region.ts";

/** The region as a list of places, as a map or an open data set would have it. */
export interface PlaceLine {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly street: string;
  readonly city: string;
  readonly zip: string;
  readonly country: string;
  readonly website: string;
}

/** `port`: that of the region's server; without it, the default port of the web. */
export const websiteOf = ({ domain }: Pick<Business, "domain">, port?: number): string =>
  `http://www.${domain}${port === undefined ? "" : `:${port}`}/`;

export const placesOf = ({ businesses }: Region, port?: number): readonly PlaceLine[] =>
  businesses.map((business) => ({
    id: business.id,
    name: business.name,
    category: business.phrase,
    latitude: business.latitude,
    longitude: business.longitude,
    street: business.street,
    city: business.town,
    zip: business.zip,
    country: business.language.country,
    website: websiteOf(business, port),
  }));

export const placesJsonl = (region: Region, port?: number): string =>
  placesOf(region, port)
    .map((place) => `${JSON.stringify(place)}\n`)
    .join("");
