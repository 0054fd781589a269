import type { FieldView, TargetView } from "../../ledger/index.ts";
import {
  emailStatusField,
  emailStatusOf,
  emailStatusPrefix,
  type EmailStatus,
} from "./email-status.ts";
import { entriesOf, isCallbackOver, type RecordEntry } from "./entry.ts";
import {
  aliasPrefix,
  companyPrefix,
  extraPrefix,
  listPrefixes,
  numberFields,
  personPrefix,
  socialPrefix,
  textFields,
  type NumberField,
  type TextField,
} from "./fields.ts";
import { foundByOf, foundPrefix, type FoundBy } from "./found-by.ts";
import { distinctPrefix, domainPrefix, placePrefix } from "./places.ts";
import { slugOf } from "../files/slug.ts";
import { textsIn } from "./texts-in.ts";
import { visitRecordOf, type VisitRecord } from "./visit-record.ts";

/** A company as people see it: the ledger's fields of a target, in the shape of a record. */
export interface Company {
  /** `company/<id>`: never changes. */
  readonly target: string;
  /** The name of its folder. */
  readonly slug: string;
  /** The preferred folder name. Differs from `slug` only if another record has that name. */
  readonly slugWanted: string;
  /** Its former folders, and those of companies that were merged into it. They redirect here. */
  readonly aliases: readonly string[];
  /** Never "": if unknown, the domain, otherwise the id. */
  readonly name: string;
  readonly texts: { readonly [field in TextField]?: string };
  readonly numbers: { readonly [field in NumberField]?: number };
  /** Sorted by value. */
  readonly emails: readonly Contact[];
  readonly phones: readonly Contact[];
  /** Network → address of the page. */
  readonly socials: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly categories: readonly string[];
  readonly services: readonly string[];
  readonly products: readonly string[];
  readonly tech: readonly string[];
  readonly keywords: readonly string[];
  /** Sorted by id. */
  readonly people: readonly Member[];
  /** Notes, meetings and calls, oldest first. */
  readonly entries: readonly RecordEntry[];
  /** Keys without a meaning to Forager that a user put into the file. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Absent if no campaign has found it. */
  readonly foundBy?: readonly FoundBy[];
  /** The result of the last visit of its website. Absent if there was none. */
  readonly visit?: CompanyVisit;
  /** The Markdown body. */
  readonly description?: string;
  /** The reason for which it is excluded from campaigns and lists. */
  readonly excluded?: string;
  /** Its domains besides `texts.domain`: those of companies that were merged into it. */
  readonly domains?: readonly string[];
  /** Its places in all sources, `osm/node/1`. */
  readonly places?: readonly string[];
  /** Ids of similar companies that a user marked as distinct. */
  readonly distinctFrom?: readonly string[];
  /** When to call again: an ISO time. Absent if it was done. */
  readonly callback?: string;
  /** The stamp of the newest value. */
  readonly changedAt: string;
}

/** The part of a visit that records keep: without the list of contacts that it found. */
export type CompanyVisit = Omit<VisitRecord, "seen">;

export interface Contact {
  /** The address, or the number in E.164. */
  readonly value: string;
  readonly label?: string;
  /** The page where it was found. */
  readonly url?: string;
  readonly method?: string;
  /** For an address that was checked: what DNS says about its domain, and when. */
  readonly status?: EmailStatus;
}

/** The role of a person in a company, seen from either side. */
export interface Member {
  readonly id: string;
  readonly role?: string;
}

/** `slug` is the assigned folder; without it, the preferred folder is used. */
export function companyOf(view: TargetView, slug?: string): Company {
  const fields = new Map(view.fields.map((one) => [one.field, one]));
  const text = (field: string) => textOf(fields.get(field));
  const id = idOf(view.target);
  const name = text("name") ?? text("domain") ?? id;
  const slugWanted = slugOf(text("slug") ?? name, id);
  const of = groupFields(view.fields);
  const list = (prefix: string) => elementsOf(of(prefix), prefix);
  const texts = Object.fromEntries(
    textFields.flatMap((field) => {
      const value = text(field);
      return value === undefined ? [] : [[field, value]];
    }),
  ) as { -readonly [field in TextField]?: string };
  const entries = entriesOf(view.fields);
  if (texts.callback !== undefined && isCallbackOver(texts.callback, entries))
    delete texts.callback;
  const [description, { excluded, callback }] = [text("description"), texts];
  const [places, domains] = [list(placePrefix), list(domainPrefix)];
  const distinctFrom = list(distinctPrefix);
  const foundBy = foundByOf(of(foundPrefix));
  const visit = visitOf(view);
  return {
    target: view.target,
    slug: slug ?? slugWanted,
    slugWanted,
    aliases: list(aliasPrefix),
    name,
    texts,
    numbers: numbersOf(fields),
    emails: emailsOf(of),
    phones: contactsOf(of(listPrefixes.phones), listPrefixes.phones),
    socials: socialsOf(of(socialPrefix)),
    tags: list(listPrefixes.tags),
    categories: list(listPrefixes.categories),
    services: list(listPrefixes.services),
    products: list(listPrefixes.products),
    tech: list(listPrefixes.tech),
    keywords: list(listPrefixes.keywords),
    people: membersOf(of(personPrefix), personPrefix),
    entries,
    extra: extraOf(of(extraPrefix)),
    ...(foundBy.length > 0 && { foundBy }),
    ...(visit && { visit }),
    ...(description !== undefined && { description }),
    ...(excluded !== undefined && { excluded }),
    ...(callback !== undefined && { callback }),
    ...(domains.length > 0 && { domains }),
    ...(places.length > 0 && { places }),
    ...(distinctFrom.length > 0 && { distinctFrom }),
    changedAt: changedAtOf(view),
  };
}

function visitOf(view: TargetView): CompanyVisit | undefined {
  const record = visitRecordOf(view);
  if (!record) return undefined;
  const { seen: _seen, ...visit } = record;
  return visit;
}

/** Computes only the preferred folder. */
export function companyWish({ target, fields }: TargetView): string {
  let [slug, name, domain] = ["", "", ""];
  for (const one of fields) {
    if (one.field === "slug") slug = textOf(one) ?? "";
    if (one.field === "name") name = textOf(one) ?? "";
    if (one.field === "domain") domain = textOf(one) ?? "";
  }
  const id = idOf(target);
  return slugOf(slug || name || domain || id, id);
}

/**
 * Groups elements of collections by their prefix: a record has a dozen collections, so this looks
 * only once.
 */
export function groupFields(
  fields: readonly FieldView[],
): (prefix: string) => readonly FieldView[] {
  const groups = new Map<string, FieldView[]>();
  for (const one of fields) {
    const slash = one.field.indexOf("/");
    if (slash < 0) continue;
    const prefix = one.field.slice(0, slash + 1);
    const group = groups.get(prefix);
    if (group) group.push(one);
    else groups.set(prefix, [one]);
  }
  return (prefix) => groups.get(prefix) ?? [];
}

export const companyTarget = (id: string): string => `${companyPrefix}${id}`;

/** The part after the first slash: `company/acme.com` is `acme.com`. */
export const idOf = (target: string): string => target.slice(target.indexOf("/") + 1);

/** Checks of addresses do not count as a change of the record. */
export const changedAtOf = ({ fields }: TargetView): string =>
  fields.reduce(
    (max, { field, stamp }) => (stamp > max && !field.startsWith(emailStatusPrefix) ? stamp : max),
    "",
  );

export function textOf(field: FieldView | undefined): string | undefined {
  return typeof field?.value === "string" && field.value !== "" ? field.value : undefined;
}

/** The fields of a view are sorted, so the result is too. */
export const elementsOf = (fields: readonly FieldView[], prefix: string): readonly string[] =>
  fields.flatMap(({ field }) => (field.startsWith(prefix) ? [field.slice(prefix.length)] : []));

export function contactsOf(fields: readonly FieldView[], prefix: string): readonly Contact[] {
  return fields.flatMap(({ field, value }) => {
    if (!field.startsWith(prefix)) return [];
    return [{ value: field.slice(prefix.length), ...textsIn(value, ["label", "url", "method"]) }];
  });
}

/** Addresses with what DNS says about them. */
export function emailsOf(of: (prefix: string) => readonly FieldView[]): readonly Contact[] {
  const emails = contactsOf(of(listPrefixes.emails), listPrefixes.emails);
  const statuses = new Map(of(emailStatusPrefix).map((one) => [one.field, one]));
  if (statuses.size === 0) return emails;
  return emails.map((contact) => {
    const status = emailStatusOf(statuses.get(emailStatusField(contact.value)));
    return status ? { ...contact, status } : contact;
  });
}

export const membersOf = (fields: readonly FieldView[], prefix: string): readonly Member[] =>
  fields.flatMap(({ field, value }) =>
    field.startsWith(prefix)
      ? [{ id: field.slice(prefix.length), ...textsIn(value, ["role"]) }]
      : [],
  );

export function socialsOf(fields: readonly FieldView[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.flatMap(({ field, value }) =>
      field.startsWith(socialPrefix) && typeof value === "string"
        ? [[field.slice(socialPrefix.length), value]]
        : [],
    ),
  );
}

export const extraOf = (fields: readonly FieldView[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fields.flatMap(({ field, value }) =>
      field.startsWith(extraPrefix) ? [[field.slice(extraPrefix.length), value]] : [],
    ),
  );

function numbersOf(fields: ReadonlyMap<string, FieldView>): Company["numbers"] {
  return Object.fromEntries(
    numberFields.flatMap((field) => {
      const value = fields.get(field)?.value;
      return typeof value === "number" ? [[field, value]] : [];
    }),
  );
}
