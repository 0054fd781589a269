import parsePhoneNumber, {
  type CountryCode,
  findPhoneNumbersInText,
  isSupportedCountry,
} from "libphonenumber-js";
import { parse as parseHost } from "tldts";
import { asciiHost, parseUrl } from "../../base/text/parse-url.ts";
import { profileOf } from "../../extract/index.ts";
import { countryAt, countryCodeOf, type Place } from "../../sources/index.ts";
import type { CompanyField } from "./company-writer.ts";

export interface CompanyFacts {
  readonly domain: string | undefined;
  readonly website: string | undefined;
  readonly fields: readonly CompanyField[];
  /** Values of the place that could not be understood: a field of the place, and its text. */
  readonly unread: readonly UnreadValue[];
}

export interface UnreadValue {
  readonly field:
    | "website"
    | "phone"
    | "fax"
    | "email"
    | "social"
    | "country"
    | NonNullable<Place["unread"]>[number]["field"];
  readonly value: string;
}

const copied = [
  "name",
  "address",
  "street",
  "city",
  "zip",
  "state",
  "timezone",
  "latitude",
  "longitude",
  "description",
  "rating",
  "reviews",
  "hours",
] as const;

/** The `status` of a company whose place is closed temporarily. */
export const temporarilyClosedStatus = "temporarily closed";

/**
 * Converts a place to fields of a company record. What the place does not say is left out; a value
 * that cannot be understood is reported, never dropped silently.
 */
export function companyFacts(place: Place): CompanyFacts {
  const fields: CompanyField[] = [{ field: "place", value: place.id }];
  const unread: UnreadValue[] = [];
  const add = (field: string, value: unknown) => void fields.push({ field, value });
  const miss = (field: UnreadValue["field"], value: string) => void unread.push({ field, value });
  for (const field of copied) if (place[field] !== undefined) add(field, place[field]);

  if (place.temporarilyClosed === true) add("status", temporarilyClosedStatus);

  const code = place.country === undefined ? undefined : countryCodeOf(place.country);
  if (place.country !== undefined) {
    add("country", code ?? place.country);
    if (code === undefined) miss("country", place.country);
  }
  const web = readWebsites([...(place.website === undefined ? [] : [place.website]), ...(place.websites ?? [])]); // prettier-ignore
  for (const value of web.unread) miss("website", value);
  const profiles = [...web.profiles];
  const [website, ...others] = web.websites;
  const domain = website === undefined ? undefined : domainOf(website);
  if (website !== undefined) add("website", website);
  if (domain !== undefined) add("domain", domain);
  if (others.length > 0) add("x/websites", others.join(" "));

  for (const text of place.socials ?? []) {
    const profile = readProfile(text);
    if (profile) profiles.push(profile);
    else miss("social", text);
  }
  addProfiles(profiles, add);
  const region = regionOf(code, place);
  for (const text of place.phones ?? []) {
    const { numbers, unread: rest } = phoneNumbers(text, region);
    for (const one of rest) miss("phone", one);
    for (const number of numbers) add(`phone/${number}`, true);
  }
  const faxes = (place.faxes ?? []).flatMap((text) => {
    const { numbers, unread: rest } = phoneNumbers(text, region);
    for (const one of rest) miss("fax", one);
    return numbers;
  });
  if (faxes.length > 0) add("x/fax", [...new Set(faxes)].join(" "));
  for (const text of place.emails ?? []) {
    const { emails, unread: rest } = emailsOf(text);
    for (const one of rest) miss("email", one);
    for (const email of emails) add(`email/${email}`, true);
  }
  for (const category of place.categories ?? []) {
    const name = category.toLowerCase().replaceAll("/", "-").slice(0, 80).trim();
    if (name !== "" && name !== "." && name !== "..") add(`category/${name}`, true);
  }
  if (place.operator !== undefined && place.operator !== place.name)
    add("x/operator", place.operator);
  if (place.brand !== undefined && place.brand !== place.name) add("x/brand", place.brand);
  unread.push(...(place.unread ?? []));
  return { domain, website, fields: unique(fields), unread };
}

/** A record has one profile of each network; the others are kept as text. */
function addProfiles(profiles: readonly Profile[], add: (field: string, value: string) => void) {
  const first = new Map<string, string>();
  const others = new Set<string>();
  for (const { network, url } of profiles) {
    const known = first.get(network);
    if (known === undefined) first.set(network, url);
    else if (known !== url) others.add(url);
  }
  for (const [network, url] of first) add(`social/${network}`, url);
  if (others.size > 0) add("x/profiles", [...others].join(" "));
}

/** On these hosts a page is a profile, and the host's domain does not identify a company. */
const networkHosts: Readonly<Record<string, string>> = {
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

interface Profile {
  readonly network: string;
  readonly url: string;
}

function readWebsites(texts: readonly string[]) {
  const websites = new Set<string>();
  const profiles: Profile[] = [];
  const unread: string[] = [];
  for (const text of texts) {
    const url = webAddress(text);
    const host = url === undefined ? undefined : domainOf(url);
    const network = host === undefined ? undefined : networkHosts[host];
    if (url === undefined) unread.push(text);
    else if (network !== undefined) profiles.push({ network, url });
    else websites.add(url);
  }
  return { websites: [...websites], profiles, unread };
}

const pages: ReadonlyMap<string, string> = new Map(
  Object.entries({
    facebook: "https://www.facebook.com/",
    instagram: "https://www.instagram.com/",
    twitter: "https://twitter.com/",
    linkedin: "https://www.linkedin.com/company/",
    youtube: "https://www.youtube.com/",
    tiktok: "https://www.tiktok.com/@",
    pinterest: "https://www.pinterest.com/",
    xing: "https://www.xing.com/pages/",
    threads: "https://www.threads.net/@",
    vk: "https://vk.com/",
    telegram: "https://t.me/",
  }),
);

/** `facebook:https://www.facebook.com/x`, `instagram:@x`, or an address alone. */
function readProfile(text: string): Profile | undefined {
  const [, named = "", rest = text] = /^([a-z]+):(?!\/\/)(.*)$/s.exec(text) ?? [];
  const plain = rest.trim();
  const isAddress = /^https?:\/\//i.test(plain) || /^[\p{L}\p{N}.-]+\.[\p{L}]{2,}\//u.test(plain);
  if (isAddress) {
    const url = webAddress(plain);
    if (url === undefined) return undefined;
    const profile = profileOf(url);
    if (profile) return { network: profile.network, url: profile.url };
    const network = networkHosts[domainOf(url) ?? ""] ?? (named === "" ? undefined : named);
    return network === undefined ? undefined : { network, url };
  }
  const page = pages.get(named);
  const handle = plain.replace(/^@/, "");
  if (page === undefined || !/^[\p{L}\p{N}._-]{1,100}$/u.test(handle)) return undefined;
  return { network: named, url: page + encodeURIComponent(handle) };
}

/** The registrable domain; on a shared host (`foo.wixsite.com`) that of the customer. */
export function domainOf(url: string): string | undefined {
  const { domain, isIp } = parseHost(url, { allowPrivateDomains: true });
  if (isIp === true || !domain) return undefined;
  return asciiHost(domain) ?? domain.toLowerCase();
}

/** Undefined if the text is not a web address. `example.org` without a scheme is one. */
function webAddress(text: string): string | undefined {
  const plain = text.trim().replace(/^(?:https?:\/\/)+(?=https?:\/\/)/i, "");
  const whole = /^[a-z][a-z0-9+.-]*:/i.test(plain) ? plain : `https://${plain}`;
  const url = parseUrl(whole);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return url.hostname.includes(".") && !url.username ? url.href : undefined;
}

/**
 * The region of numbers without a country code: the place's country, else the country of its
 * coordinates.
 */
function regionOf(code: string | undefined, place: Place): () => CountryCode | undefined {
  let known: { readonly region: CountryCode | undefined } | undefined;
  return () => {
    if (known) return known.region;
    const { latitude, longitude } = place;
    const isSomewhere = latitude !== undefined && longitude !== undefined;
    const found = code ?? (isSomewhere ? countryAt({ latitude, longitude }) : undefined);
    known = { region: found !== undefined && isSupportedCountry(found) ? found : undefined };
    return known.region;
  };
}

interface PhoneNumbers {
  /** In E.164. */
  readonly numbers: readonly string[];
  /** What is left of the text, if it has more digits than an extension. */
  readonly unread: readonly string[];
}

/** One text may contain several numbers, such as `089/123456 (office), 0171/1234567`. */
function phoneNumbers(text: string, region: () => CountryCode | undefined): PhoneNumbers {
  const plain = text
    .replace(/^(?:tel|phone|fax|mobile):/i, "")
    .replaceAll(/(?<![\d+])00(?=[1-9])/g, "+")
    .trim();
  const whole = phoneNumber(plain, region);
  if (whole !== undefined) return { numbers: [whole], unread: [] };
  const numbers: string[] = [];
  let rest = "";
  // A slash stands after an area code, or between two numbers.
  for (const part of plain.split(/\s*,\s*|\s+\/\s+(?=[+0(])/)) {
    let end = 0;
    for (const found of findPhoneNumbersInText(part, region())) {
      if (!found.number.isValid()) continue;
      numbers.push(found.number.number);
      rest += part.slice(end, found.startsAt);
      end = found.endsAt;
    }
    rest += `${part.slice(end)} `;
  }
  const isUnread = numbers.length === 0 || rest.replaceAll(/\D/g, "").length > extensionLength;
  return { numbers, unread: isUnread ? [numbers.length === 0 ? text : rest.trim()] : [] };
}

const extensionLength = 4;

function phoneNumber(text: string, region: () => CountryCode | undefined): string | undefined {
  const hasCode = text.startsWith("+");
  const parsed = parsePhoneNumber(text, hasCode ? undefined : region());
  return parsed?.isValid() ? parsed.number : undefined;
}

function emailsOf(text: string) {
  const emails: string[] = [];
  const unread: string[] = [];
  const parts = text.replace(/^mailto:/i, "").split(/[\s,;]+/);
  for (const part of parts.filter(Boolean)) {
    const plain = part.replace(/^<|>$/g, "").replace(/\?.*$/, "").toLowerCase();
    const [, local = "", host = ""] =
      /^([^\s@/"<>()]{1,64})@([^\s@/"<>()]{1,190})$/u.exec(plain) ?? [];
    const ascii = host === "" ? undefined : asciiHost(host);
    const isEmail = ascii !== undefined && domainOf(ascii) !== undefined;
    if (isEmail) emails.push(`${local}@${ascii}`);
    else unread.push(part);
  }
  return { emails, unread: emails.length === 0 ? [text] : unread };
}

const unique = (fields: readonly CompanyField[]): readonly CompanyField[] => [
  ...new Map(fields.map((one) => [one.field, one])).values(),
];
