/**
 * The ledger fields that make up a record. A scalar is one field; a collection has one field per
 * element (`email/<address>`), so that concurrent additions are never lost.
 */

/** Text fields, with their names in the ledger and in files. */
export const textFields = [
  "domain",
  "website",
  "type",
  "address",
  "street",
  "city",
  "zip",
  "state",
  "country",
  "timezone",
  "place",
  "status",
  "hours",
  "excluded",
  "callback",
  "enrichedAt",
  "foundAt",
] as const;
export type TextField = (typeof textFields)[number];

export const numberFields = ["latitude", "longitude", "rating", "reviews", "ttlDays"] as const;
export type NumberField = (typeof numberFields)[number];

/** The name of a list in a company and in its file, and the prefix of its elements. */
export const listPrefixes = {
  emails: "email/",
  phones: "phone/",
  tags: "tag/",
  categories: "category/",
  services: "service/",
  products: "product/",
  tech: "tech/",
  keywords: "keyword/",
} as const;
export type ListName = keyof typeof listPrefixes;
export const listNames = Object.keys(listPrefixes) as readonly ListName[];

export const socialPrefix = "social/";
/** Networks whose bare names are known in imports and files. */
export const socialNetworks = [
  "facebook",
  "linkedin",
  "instagram",
  "twitter",
  "youtube",
  "tiktok",
  "xing",
  "pinterest",
] as const;
export const personPrefix = "person/";
export const companyPrefix = "company/";
/** The prefix for keys of a file that have no meaning to Forager. */
export const extraPrefix = "x/";
/** Further names of the record in Obsidian. */
export const aliasesField = `${extraPrefix}aliases`;
/** A former folder of a record: it redirects to the current one. */
export const aliasPrefix = "alias/";

export const entryKinds = ["note", "meeting", "call"] as const;
export type EntryKind = (typeof entryKinds)[number];
