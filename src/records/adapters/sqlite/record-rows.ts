import { domainsOf, placesOf } from "../../fields/places.ts";
import type { Indexed } from "../../search/record-index.ts";
import { termsOf } from "../../search/search-words.ts";
import { nameAndAddress } from "../../fields/duplicates.ts";
import { normalDomain } from "../../fields/identity.ts";
import { sortKeyOf } from "../../search/name-keys.ts";

/** A record as stored in the tables. */
export interface RecordRow {
  readonly target: string;
  readonly kind: Indexed["kind"];
  readonly slug: string;
  readonly sort: string;
  readonly changed: string;
  /** -1 if unknown, so that it sorts after all known values. */
  readonly rating: number;
  readonly reviews: number;
  /** ISO in UTC. If there is none, `noCallback`, which sorts after every time. */
  readonly callback: string;
  readonly domain: string | null;
}

export const noCallback = "~";

export function rowOf(indexed: Indexed): RecordRow {
  const record = indexed.kind === "company" ? indexed.company : indexed.person;
  const company = indexed.kind === "company" ? indexed.company : undefined;
  return {
    target: record.target,
    kind: indexed.kind,
    slug: record.slug,
    sort: sortKeyOf(record.name),
    changed: record.changedAt,
    rating: company?.numbers.rating ?? -1,
    reviews: Math.trunc(company?.numbers.reviews ?? -1),
    callback: callbackOf(record.texts.callback),
    domain: company?.texts.domain === undefined ? null : normalDomain(company.texts.domain),
  };
}

/**
 * Normalizes the time: users write times in several forms, and only this form sorts correctly as
 * text.
 */
function callbackOf(text: string | undefined): string {
  const atMs = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(atMs) ? noCallback : new Date(atMs).toISOString();
}

export const termTextOf = (indexed: Indexed): string => [...termsOf(indexed)].join(" ");

export type IndexElementKind =
  | "email"
  | "emailDomain"
  | "phone"
  | "domain"
  | "place"
  | "person"
  | "nameAndAddress"
  | "wanted"
  | "alias";

export type IndexElement = readonly [kind: IndexElementKind, value: string];

/** The keys by which a record can be looked up. */
export function elementsOf(indexed: Indexed): readonly IndexElement[] {
  const record = indexed.kind === "company" ? indexed.company : indexed.person;
  const emails = record.emails.map(({ value }) => value.toLowerCase());
  const found: IndexElement[] = [
    ["wanted", named(indexed.kind, record.slugWanted)],
    ...record.aliases.map((alias): IndexElement => ["alias", named(indexed.kind, alias)]),
    ...emails.map((email): IndexElement => ["email", email]),
    ...emails.map((email): IndexElement => [
      "emailDomain",
      normalDomain(email.slice(email.lastIndexOf("@") + 1)),
    ]),
  ];
  if (indexed.kind === "company") {
    const { phones, people } = indexed.company;
    found.push(...domainsOf(indexed.company).map((one): IndexElement => ["domain", one]));
    found.push(...phones.map(({ value }): IndexElement => ["phone", value]));
    found.push(...placesOf(indexed.company).map((place): IndexElement => ["place", place]));
    found.push(...people.map(({ id }): IndexElement => ["person", id]));
    const key = nameAndAddress(indexed.company);
    if (key) found.push(["nameAndAddress", joined(key)]);
  }
  const once = new Map(found.map((element) => [element.join("\n"), element]));
  return [...once.values()];
}

/** Companies and people have separate folders, so both can have the same name. */
export const named = (kind: Indexed["kind"], slug: string): string => `${kind}/${slug}`;

export const joined = (key: { readonly name: string; readonly address: string }): string =>
  `${key.name}/${key.address}`;
