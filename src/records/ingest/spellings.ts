import { listPrefixes, socialNetworks } from "../fields/fields.ts";

/**
 * Spellings are compared without case, spaces and punctuation: `E-Mail` and `e_mail` are `email`.
 */
export const plainName = (name: string): string =>
  name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

const words = (text: string) => text.split(" ");

/**
 * Unambiguous other spellings of fields: singular and plural, and the names used by the command
 * line, exports and earlier systems. Files, commands and imports understand all of them. A list is
 * keyed by the name of an element (`email`), as in the ledger.
 */
export const spellings: Readonly<Record<string, readonly string[]>> = {
  name: ["companyname"],
  domain: ["companydomain", "domainname", "companydomainname"],
  website: words("websiteurl url homepage webseite web www internetseite"),
  type: ["companytype"],
  description: ["metadescription"],
  address: ["fulladdress"],
  street: words("streetaddress address1 addressline1 straße strasse"),
  city: words("town ort stadt ville ciudad"),
  zip: words("zipcode postcode postalcode plz postleitzahl codepostal"),
  place: words("placeid googleplaceid osmid"),
  status: ["businessstatus"],
  hours: ["openinghours"],
  callback: ["callbackat"],
  excluded: ["exclude"],
  latitude: ["lat"],
  longitude: ["lon", "lng"],
  rating: words("averagerating stars"),
  reviews: words("reviewscount reviewcount numberofreviews"),
  ttlDays: ["enrichmentttldays"],
  email: words(
    "emails emailaddress emailaddresses allemails mail mails contactemail emailadresse mailadresse",
  ),
  phone: words(
    "phones phonenumber phonenumbers allphones telephone tel phonefromwebsite telefon telefonnummer " +
      "mobile mobiles mobilephone mobilenumber cell cellphone handy workphone officephone contactphone",
  ),
  tag: words("tags label labels"),
  category: words("categories industry branche kategorie"),
  service: ["services"],
  product: ["products"],
  tech: ["techstack"],
  keyword: ["keywords", "metakeywords"],
  ...Object.fromEntries(
    socialNetworks.map((network) => [
      network,
      [`${network}url`, `social${network}`, `socials${network}`],
    ]),
  ),
};

/** Spellings of the parts of a record other than fields. */
const ofLinks: Readonly<Record<string, readonly string[]>> = {
  people: ["person", "contacts"],
  companies: ["company"],
  aliases: ["alias"],
};

/** Spellings for notes, meetings and calls. */
const ofEntries: Readonly<Record<string, readonly string[]>> = {
  at: words("timestamp date datetime when created createdat"),
  title: ["subject"],
  by: ["author"],
  callback: ["callbackat"],
};

/** Plain spelling → the key of a file. */
export type KeySpellings = ReadonlyMap<string, string>;

/** The spellings of these keys of a file; case and punctuation do not matter. */
export function keySpellings(keys: readonly string[], socialKeyPrefix: string): KeySpellings {
  const found = new Map<string, string>();
  for (const key of keys) {
    const element = (listPrefixes as Readonly<Record<string, string>>)[key]?.slice(0, -1);
    const all = element === undefined ? spellings[key] : [element, ...spellings[element]!];
    for (const one of [key, ...(all ?? []), ...(ofLinks[key] ?? [])]) {
      found.set(plainName(one), key);
    }
  }
  for (const network of socialNetworks) {
    for (const one of [network, ...spellings[network]!]) found.set(one, socialKeyPrefix + network);
  }
  return found;
}

export const entryKeySpellings: KeySpellings = new Map(
  Object.entries(ofEntries).flatMap(([key, all]) =>
    [key, ...all].map((one) => [one, key] as const),
  ),
);

/** `phone_1`, `email2`. */
const numbered = /^(email|phone)\d$/;

/** The key that a user means by another spelling; undefined if it is a custom key. */
export function keyMeant(known: KeySpellings, written: string): string | undefined {
  const plain = plainName(written);
  return known.get(plain) ?? known.get(numbered.exec(plain)?.[1] ?? "");
}

/** Keys that a file must not have, with the reason. */
export const refusedKeys: ReadonlyMap<string, string> = new Map([
  ["slug", "slug is the name of its folder: rename the folder, and take the key out"],
]);

/** True if a custom field may have this name: it must not be another spelling of a known field. */
export const isOwnName = (known: KeySpellings, name: string): boolean =>
  keyMeant(known, name) === undefined && !refusedKeys.has(plainName(name));
