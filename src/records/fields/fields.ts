/**
 * Which fields of the ledger a record is made of. A scalar is one field; a collection is one field
 * for each element (`email/<address>`), so that what two add at once is never lost.
 */

/** Text, as it stands in the ledger and in a file. */
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
/** Networks whose pages imports and files know by their bare name. */
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
/** A key of a file that we have no meaning for. */
export const extraPrefix = "x/";
/** What people call it in Obsidian besides its name. */
export const aliasesField = `${extraPrefix}aliases`;
/** A folder that a record once had: it leads on to the one of now. */
export const aliasPrefix = "alias/";

export const entryKinds = ["note", "meeting", "call"] as const;
export type EntryKind = (typeof entryKinds)[number];
