import type { FieldView } from "../../ledger/index.ts";
import { mentionsOf, placesOf, withoutListed, type Company } from "../../records/index.ts";
import { licenceOf } from "../../sources/index.ts";
import type { SiteCompany } from "../site-format.ts";

/** Values of companies that a public site leaves out unless the operator names them. */
export const personalValues = ["emails", "phones", "people", "notes"] as const;
export type PersonalValue = (typeof personalValues)[number];

/** Fields about the work itself, which only this fleet needs. */
const internalTexts = ["excluded", "callback", "enrichedAt", "foundAt"] as const;

/**
 * Removes everything from a company that the site leaves out. The whole site is built from the
 * result, so nothing else can get into it.
 */
export function redactCompany(given: Company, kept: ReadonlySet<PersonalValue>): Company {
  const company = withoutMentioned(given, kept);
  const texts: Record<string, string> = { ...company.texts };
  for (const name of internalTexts) delete texts[name];
  const { description, callback: _callback, excluded: _excluded, ...rest } = company;
  return {
    ...rest,
    aliases: [],
    texts,
    emails: kept.has("emails") ? company.emails : [],
    phones: kept.has("phones") ? company.phones : [],
    people: kept.has("people") ? company.people : [],
    entries: kept.has("notes") ? company.entries : [],
    extra: {},
    // A description may have been written by a person.
    ...(description !== undefined && kept.has("notes") && { description }),
  };
}

/** Removes texts that mention e-mail addresses or phone numbers that are left out. */
function withoutMentioned(company: Company, kept: ReadonlySet<PersonalValue>): Company {
  if (kept.has("emails") && kept.has("phones")) return company;
  const hidden = mentionsOf(company).filter((key) => !kept.has(key.startsWith("email:") ? "emails" : "phones")); // prettier-ignore
  return withoutListed(company, new Set(hidden)).company ?? company;
}

/**
 * `company` is redacted. `fields` are its values with their sources; those that the company no
 * longer has are left out.
 */
export function siteCompanyOf(company: Company, fields: readonly FieldView[]): SiteCompany {
  const { slug, name, numbers, socials, visit, description, changedAt } = company;
  const contacts = (all: Company["emails"]) =>
    all.map(({ value, url }) => ({ value, ...(url !== undefined && { url }) }));
  const lists = {
    emails: contacts(company.emails),
    phones: contacts(company.phones),
    tags: company.tags,
    categories: company.categories,
    services: company.services,
    products: company.products,
    tech: company.tech,
    keywords: company.keywords,
    entries: company.entries.map(({ kind, id, at, text, title, by, outcome }) => ({ kind, id, at, text, title, by, outcome })), // prettier-ignore
    sources: [...new Set(placesOf(company).map((place) => place.split("/", 1)[0]!))],
  };
  return {
    slug,
    name,
    texts: company.texts as Readonly<Record<string, string>>,
    numbers: numbers as Readonly<Record<string, number>>,
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(Object.keys(socials).length > 0 && { socials }),
    ...(description !== undefined && { description }),
    ...(visit && {
      visit: {
        at: visit.at,
        outcome: visit.outcome,
        ...(visit.reason !== undefined && { reason: visit.reason }),
      },
    }),
    changedAt,
    facts: fields.filter(shownBy(company)).map((one) => {
      const licence = licenceOf(one.source);
      const fact = [one.field, valueOf(one, company), sourceOf(one.source), one.stamp] as const;
      return licence === undefined ? fact : ([...fact, licence] as const);
    }),
  };
}

const listFields: Readonly<Record<string, (company: Company) => readonly string[]>> = {
  email: ({ emails }) => emails.map(({ value }) => value),
  phone: ({ phones }) => phones.map(({ value }) => value),
  tag: ({ tags }) => tags,
  category: ({ categories }) => categories,
  service: ({ services }) => services,
  product: ({ products }) => products,
  tech: ({ tech }) => tech,
  keyword: ({ keywords }) => keywords,
  social: ({ socials }) => Object.keys(socials),
};

/** True for a field whose value the redacted company still has. */
function shownBy(company: Company): (field: FieldView) => boolean {
  const texts = new Set([...Object.keys(company.texts), ...Object.keys(company.numbers), "name"]);
  return ({ field }) => {
    const [kind = "", ...rest] = field.split("/");
    if (rest.length === 0) return texts.has(field);
    return listFields[kind]?.(company).includes(rest.join("/")) ?? kind === "found";
  };
}

/**
 * The value as the redacted company has it, which may be less than in the ledger. Of a contact,
 * whose field is its name, only the page.
 */
function valueOf({ field, value }: FieldView, company: Company): unknown {
  const [kind = "", name] = field.split("/");
  if (name === undefined) return field === "name" ? company.name : { ...company.texts, ...company.numbers }[field as "city"]; // prettier-ignore
  if (kind === "social") return company.socials[name];
  if (kind !== "email" && kind !== "phone") return kind === "found" ? foundIn(value) : true;
  const url = typeof value === "object" && value !== null && "url" in value ? value.url : undefined;
  return typeof url === "string" ? { url } : true;
}

const foundIn = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "source" in value
    ? { source: value.source }
    : true;

/** Hides which user entered a value by hand. */
const sourceOf = (source: string): string => (source.startsWith("hand:") ? "by hand" : source);
