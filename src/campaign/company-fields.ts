import parsePhoneNumber, { type CountryCode, isSupportedCountry } from "libphonenumber-js";
import { getDomain, parse as parseHost } from "tldts";
import { parseUrl } from "../base/parse-url.ts";
import type { CompanyField } from "./company-writer.ts";
import type { Place } from "./place.ts";

export interface CompanyFacts {
  readonly domain: string | undefined;
  readonly website: string | undefined;
  readonly fields: readonly CompanyField[];
}

const copied = [
  "name",
  "address",
  "street",
  "city",
  "zip",
  "state",
  "country",
  "timezone",
  "latitude",
  "longitude",
  "description",
  "rating",
  "reviews",
  "hours",
] as const;

/** What a place says about a company, as fields of its record. What it does not say is left out. */
export function companyFacts(place: Place): CompanyFacts {
  const website = webAddress(place.website);
  const network = website && networkOf(website);
  const domain = website && !network ? domainOf(website) : undefined;
  const fields: CompanyField[] = [{ field: "place", value: place.id }];
  const add = (field: string, value: unknown) => void fields.push({ field, value });
  for (const field of copied) if (place[field] !== undefined) add(field, place[field]);
  if (website && network) add(`social/${network}`, website);
  else if (website) add("website", website);
  if (domain) add("domain", domain);
  for (const phone of place.phones ?? []) {
    const number = phoneNumber(phone, place.country);
    if (number) add(`phone/${number}`, true);
  }
  for (const email of place.emails ?? []) {
    const address = email.toLowerCase();
    if (isEmail(address)) add(`email/${address}`, true);
  }
  for (const category of place.categories ?? []) {
    const name = category.toLowerCase().replaceAll("/", "-").slice(0, 80).trim();
    if (name !== "" && name !== "." && name !== "..") add(`category/${name}`, true);
  }
  return { domain, website: network ? undefined : website, fields: unique(fields) };
}

/** A page on someone else's site is a profile there, and that site's domain is nobody's key. */
const networks: Readonly<Record<string, string>> = {
  "facebook.com": "facebook",
  "instagram.com": "instagram",
  "linkedin.com": "linkedin",
  "twitter.com": "twitter",
  "x.com": "twitter",
  "youtube.com": "youtube",
  "tiktok.com": "tiktok",
  "linktr.ee": "linktree",
  "xing.com": "xing",
};

const networkOf = (url: string): string | undefined => networks[getDomain(url) ?? ""];

/** The registrable domain; on a shared host (`foo.wixsite.com`) the customer's. */
export function domainOf(url: string): string | undefined {
  const { domain, isIp } = parseHost(url, { allowPrivateDomains: true });
  return isIp || !domain ? undefined : domain.toLowerCase();
}

/** Undefined for what is no address of the web. `example.org` is one, as people write it. */
function webAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const whole = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`;
  const url = parseUrl(whole);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return url.hostname.includes(".") && !url.username ? url.href : undefined;
}

/** E.164; the place's country helps where the number names none. */
function phoneNumber(text: string, country: string | undefined): string | undefined {
  const code = country?.toUpperCase();
  const region = code && isSupportedCountry(code) ? (code as CountryCode) : undefined;
  const parsed = parsePhoneNumber(text, region);
  return parsed?.isValid() ? parsed.number : undefined;
}

const isEmail = (text: string) =>
  /^[^\s@/"<>()]{1,64}@[^\s@/"<>()]{1,190}$/u.test(text) &&
  domainOf(text.split("@")[1]!) !== undefined;

const unique = (fields: readonly CompanyField[]): readonly CompanyField[] => [
  ...new Map(fields.map((one) => [one.field, one])).values(),
];
