import { AppError } from "../../base/app-error.ts";
import { nearestHint } from "../../base/text/nearest.ts";
import type { Company, Contact } from "../fields/company.ts";
import { socialNetworks } from "../fields/fields.ts";
import { missingEmailOf, missingEmailText } from "../fields/missing-email.ts";
import { csvLine, type CsvValue } from "./csv-text.ts";
import { vcard, type CardLine } from "./vcard.ts";

/**
 * The columns of exports. Programs and spreadsheets rely on them: names and order never change, and
 * a new column goes to the end. An import understands all of them.
 */
const companyColumns = {
  name: ({ name }: Company) => name,
  slug: ({ slug }: Company) => slug,
  domain: ({ texts }: Company) => texts.domain,
  website: ({ texts }: Company) => texts.website,
  type: ({ texts }: Company) => texts.type,
  emails: ({ emails }: Company) => joined(emails),
  phones: ({ phones }: Company) => joined(phones),
  street: ({ texts }: Company) => texts.street,
  city: ({ texts }: Company) => texts.city,
  zip: ({ texts }: Company) => texts.zip,
  state: ({ texts }: Company) => texts.state,
  country: ({ texts }: Company) => texts.country,
  address: ({ texts }: Company) => texts.address,
  latitude: ({ numbers }: Company) => numbers.latitude,
  longitude: ({ numbers }: Company) => numbers.longitude,
  rating: ({ numbers }: Company) => numbers.rating,
  reviews: ({ numbers }: Company) => numbers.reviews,
  categories: ({ categories }: Company) => joinedItems(categories),
  services: ({ services }: Company) => joinedItems(services),
  products: ({ products }: Company) => joinedItems(products),
  tags: ({ tags }: Company) => joinedTags(tags),
  tech: ({ tech }: Company) => joinedItems(tech),
  keywords: ({ keywords }: Company) => joinedItems(keywords),
  facebook: ({ socials }: Company) => socials["facebook"],
  instagram: ({ socials }: Company) => socials["instagram"],
  linkedin: ({ socials }: Company) => socials["linkedin"],
  twitter: ({ socials }: Company) => socials["twitter"],
  youtube: ({ socials }: Company) => socials["youtube"],
  place: ({ texts }: Company) => texts.place,
  status: ({ texts }: Company) => texts.status,
  hours: ({ texts }: Company) => texts.hours,
  timezone: ({ texts }: Company) => texts.timezone,
  callback: ({ callback }: Company) => callback,
  excluded: ({ excluded }: Company) => excluded,
  description: ({ description }: Company) => description,
  changed: ({ changedAt }: Company) => changedAt.slice(0, isoLength),
  id: ({ target }: Company) => target,
} satisfies Record<string, (company: Company) => CsvValue>;

const isoLength = "2026-11-15T19:02:03.004Z".length;
/** Separators inside an element are escaped with a backslash for the import. */
const joinedItems = (items: readonly string[]) =>
  items.length === 0
    ? undefined
    : items
        .map((item) => (parting.test(item) ? item.replaceAll(/[\\;|]/g, "\\$&") : item))
        .join("; ");
const parting = /[\\;|]/;
/** The import splits a tag at a comma unless there is a semicolon, so one is added. */
const joinedTags = (tags: readonly string[]) =>
  tags.length === 1 && tags[0]!.includes(",") ? `${joinedItems(tags)};` : joinedItems(tags);

const joined = (contacts: readonly Contact[]) =>
  contacts.length > 1 ? contacts.map(({ value }) => value).join("; ") : contacts[0]?.value;

/** Columns that are included only on request. */
const chosenColumns = {
  email: ({ emails }: Company) => emails[0]?.value,
  emailStatus: ({ emails }: Company) => emails[0]?.status?.status,
  emailKind: ({ emails }: Company) => emails[0]?.status?.kind,
  emailChecked: ({ emails }: Company) => emails[0]?.status?.at,
  phone: ({ phones }: Company) => phones[0]?.value,
  phrases: ({ foundBy = [] }: Company) => unique(foundBy.map(({ phrase }) => phrase)),
  tiles: ({ foundBy = [] }: Company) => unique(foundBy.map(({ tile }) => tile)),
  campaigns: ({ foundBy = [] }: Company) =>
    unique(foundBy.flatMap(({ campaign }) => campaign ?? [])),
  sources: ({ foundBy = [] }: Company) => unique(foundBy.flatMap(({ source }) => source ?? [])),
  foundAt: ({ texts }: Company) => texts.foundAt,
  visited: ({ visit }: Company) => visit?.at,
  enrichedAt: ({ texts }: Company) => texts.enrichedAt,
  missingEmail: (company: Company) => {
    const missing = missingEmailOf(company);
    return missing && missingEmailText(missing);
  },
} satisfies Record<string, (company: Company) => CsvValue>;

const unique = (values: readonly string[]) => [...new Set(values)].join("; ");

export const companyColumnNames: readonly string[] = Object.keys(companyColumns);
/** Every column that can be requested. */
export const exportColumnNames: readonly string[] = [
  ...companyColumnNames,
  ...Object.keys(chosenColumns),
];

/** The spellings of a field in files, ledger and JSON, and column names of earlier versions. */
const otherSpellings: ReadonlyMap<string, string> = new Map([
  ["found", "foundAt"],
  ["read", "enrichedAt"],
  ...socialNetworks.flatMap((network) =>
    ["social_", "social/", "socials."].map((prefix) => [prefix + network, network] as const),
  ),
]);

type ColumnValue = (company: Company) => CsvValue;
const allColumns: Readonly<Record<string, ColumnValue>> = { ...companyColumns, ...chosenColumns };

/** The values of the given columns, in their order. Throws `export_columns` for an unknown one. */
export function columnValues(
  names: readonly string[] = companyColumnNames,
): (company: Company) => readonly CsvValue[] {
  const values = names.map(companyValue);
  return (company) => values.map((value) => value(company));
}

/** Throws `export_columns` for an unknown column. */
export function companyValue(name: string): ColumnValue {
  const column = otherSpellings.get(name) ?? name;
  const value = Object.hasOwn(allColumns, column) ? allColumns[column] : undefined;
  if (value) return value;
  const hint = nearestHint(name, exportColumnNames, (close) => `: the nearest is ${close}`);
  const words = `there is no column '${name}'${hint}`;
  throw new AppError("invalid", "export_columns", words);
}

export const companyCsvHeader = (): string => csvLine(companyColumnNames);

export const companyCsvLine = (company: Company): string => csvLine(allValues(company));
const allValues = columnValues();

/** All known fields, with names that an import understands. */
export function companyObject(company: Company): Readonly<Record<string, unknown>> {
  const { target, slug, name, texts, numbers, socials, extra, description, changedAt } = company;
  const lists = Object.fromEntries(
    (
      [
        "emails",
        "phones",
        "tags",
        "categories",
        "services",
        "products",
        "tech",
        "keywords",
      ] as const
    )
      .map((list) => [list, company[list]] as const)
      .filter(([, values]) => values.length > 0),
  );
  return {
    target,
    slug,
    name,
    ...texts,
    ...numbers,
    ...lists,
    ...Object.fromEntries(
      Object.entries(socials).map(([network, url]) => [socialName(network), url]),
    ),
    ...(company.domains && { domains: company.domains }),
    ...(company.places && { places: company.places }),
    ...(description !== undefined && { description }),
    ...(company.people.length > 0 && { people: company.people }),
    ...(company.entries.length > 0 && { entries: company.entries }),
    ...(Object.keys(extra).length > 0 && { extra }),
    changed: changedAt.slice(0, isoLength),
  };
}

const socialName = (network: string) =>
  socialNetworks.some((one) => one === network) ? network : `social_${network}`;

export function companyCard(company: Company): string {
  const { target, name, texts, numbers, emails, phones, socials, categories, tags } = company;
  const { latitude, longitude } = numbers;
  const street = texts.street ?? texts.address;
  const hasPoint = latitude !== undefined && longitude !== undefined;
  const lines: readonly CardLine[] = [
    { name: "UID", value: target },
    { name: "KIND", value: "org" },
    { name: "FN", value: name },
    { name: "ORG", value: name },
    ...emails.map(({ value }) => ({ name: "EMAIL", parameters: { TYPE: "work" }, value })),
    ...phones.map(({ value }) => ({
      name: "TEL",
      parameters: { VALUE: "uri", TYPE: "work" },
      value: { uri: `tel:${value}` },
    })),
    {
      name: "ADR",
      value: {
        parts: ["", "", street, texts.city, texts.state, texts.zip, texts.country],
      },
    },
    ...uri("URL", texts.website ?? (texts.domain && `https://${texts.domain}/`)),
    ...Object.entries(socials).flatMap(
      ([network, url]) =>
      uri("URL", url).map((line) => ({ ...line, ...(isToken(network) && { parameters: { TYPE: network } }) })), // prettier-ignore
    ),
    ...uri("GEO", hasPoint ? `geo:${latitude},${longitude}` : undefined),
    { name: "CATEGORIES", value: { list: [...categories, ...tags] } },
    { name: "NOTE", value: company.description ?? "" },
    { name: "REV", value: company.changedAt.slice(0, isoLength).replaceAll(/[-:]|\.\d+/g, "") },
  ];
  return vcard(lines);
}

const uri = (name: string, text: string | undefined) =>
  text === undefined ? [] : [{ name, value: { uri: text } }];
/** TYPE accepts only tokens (RFC 6350 §5.6), so a label with other characters cannot be a type. */
const isToken = (text: string): boolean => /^[a-z\d-]+$/i.test(text);

/** One address of one company. */
export interface EmailRow {
  readonly contact: Contact;
  readonly company: Company;
}

const emailColumns = {
  email: ({ contact }: EmailRow) => contact.value,
  label: ({ contact }: EmailRow) => contact.label,
  company: ({ company }: EmailRow) => company.name,
  slug: ({ company }: EmailRow) => company.slug,
  domain: ({ company }: EmailRow) => company.texts.domain,
  phone: ({ company }: EmailRow) => company.phones[0]?.value,
  city: ({ company }: EmailRow) => company.texts.city,
  state: ({ company }: EmailRow) => company.texts.state,
  country: ({ company }: EmailRow) => company.texts.country,
  categories: ({ company }: EmailRow) => company.categories.join("; "),
  tags: ({ company }: EmailRow) => joinedTags(company.tags),
  source: ({ contact }: EmailRow) => contact.url,
  status: ({ contact }: EmailRow) => contact.status?.status,
  kind: ({ contact }: EmailRow) => contact.status?.kind,
  checked: ({ contact }: EmailRow) => contact.status?.at,
} satisfies Record<string, (row: EmailRow) => CsvValue>;

/** Address columns that a preset can use: those of an export, and those of the company. */
export const emailExportColumnNames: readonly string[] = [
  ...new Set([...Object.keys(emailColumns), ...exportColumnNames]),
];

/** A column of the address, or otherwise of its company. */
export function emailValue(name: string): (row: EmailRow) => CsvValue {
  if (Object.hasOwn(emailColumns, name)) return emailColumns[name as keyof typeof emailColumns];
  const value = companyValue(name);
  return ({ company }) => value(company);
}

export const emailCsvHeader = (): string => csvLine(Object.keys(emailColumns));

export const emailCsvLine = (row: EmailRow): string =>
  csvLine(Object.values(emailColumns).map((value) => value(row)));

export const emailObject = (row: EmailRow): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(emailColumns).flatMap(([name, value]) => {
      const found = value(row);
      return found === undefined || found === "" ? [] : [[name, found]];
    }),
  );

export const emailCard = ({ contact, company }: EmailRow): string =>
  vcard([
    { name: "UID", value: `${company.target}/${contact.value}` },
    { name: "KIND", value: "org" },
    { name: "FN", value: contact.label ? `${company.name} (${contact.label})` : company.name },
    { name: "ORG", value: company.name },
    { name: "EMAIL", parameters: { TYPE: "work" }, value: contact.value },
  ]);
