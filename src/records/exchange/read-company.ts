import { createHash } from "node:crypto";
import { idOf } from "../fields/company.ts";
import { entryKinds } from "../fields/fields.ts";
import { isSafeId } from "../fields/identity.ts";
import type { ImportColumn } from "./import-columns.ts";
import { domainField, placeField } from "../fields/places.ts";
import { isSlug } from "../files/slug.ts";
import { unguarded } from "./csv-text.ts";
import {
  readDomain,
  readEmail,
  readMoment,
  readNumber,
  readPhone,
  readUrl,
} from "./read-values.ts";

/**
 * The content of a line of an import: fields as the ledger stores them, and what could not be read.
 */
export interface CompanyRead {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

export interface ReadCompanyOptions {
  /**
   * Two letters, for phone numbers without a country code. The line's own country takes precedence.
   */
  readonly country?: string | undefined;
  /** The time of notes without a date: importing the same file again gives the same note. */
  readonly at: string;
  /** Derive the domain from the website, unless it is a shared host. Default: true. */
  readonly derivesDomain?: boolean;
}

interface Reading extends ReadCompanyOptions {
  readonly fields: Record<string, unknown>;
  readonly problems: string[];
}

/** A cell or a JSON value with its column. */
export type ImportCell = readonly [column: ImportColumn, value: unknown];

/** Hosts where many companies have a page: such a host is not the domain of any of them. */
const sharedHosts =
  /(?:^|\.)(?:facebook|instagram|linkedin|twitter|x|youtube|tiktok|google|yelp|linktr|etsy|business)\.(?:com|ee|site)$/;

/**
 * Reads a line. A value that cannot be read is reported and left out; the rest of the line is used.
 * An empty value means nothing: it never removes a known value.
 */
export function readCompany(
  cells: readonly ImportCell[],
  options: ReadCompanyOptions,
): CompanyRead {
  const country = cells.find(([{ field }, value]) => field === "country" && isCode(value))?.[1];
  const reading: Reading = {
    ...options,
    country: (country as string | undefined) ?? options.country,
    fields: {},
    problems: [],
  };
  for (const [column, value] of cells) {
    if (value === undefined || value === null || value === "") continue;
    readers[column.kind](reading, column, value);
  }
  const { website } = reading.fields;
  if (options.derivesDomain === false)
    return { fields: reading.fields, problems: reading.problems };
  if (reading.fields["domain"] === undefined && typeof website === "string") {
    const domain = readDomain(website);
    if (domain !== undefined && !sharedHosts.test(domain)) reading.fields["domain"] = domain;
  }
  return { fields: reading.fields, problems: reading.problems };
}

/** The company that a line of our own export names; ids of other programs are ignored. */
export function companyKeyOf(cells: readonly ImportCell[]): { target?: string; slug?: string } {
  const textIn = (field: string) => {
    const value = cells.find(([column]) => column.kind === "key" && column.field === field)?.[1];
    return typeof value === "string" ? value.trim() : "";
  };
  const [target, slug] = [textIn("id"), textIn("slug")];
  if (!/^company\/[a-z0-9.-]+$/.test(target) || !isSafeId(idOf(target))) return {};
  return { target, ...(isSlug(slug) && { slug }) };
}

const isCode = (value: unknown) => typeof value === "string" && /^[a-z]{2}$/i.test(value.trim());

type Reader = (reading: Reading, column: ImportColumn, value: unknown) => void;

const readers: Readonly<Record<ImportColumn["kind"], Reader>> = {
  text(reading, column, value) {
    const text = textOf(value);
    if (text === undefined) return reportProblem(reading, column, value);
    const { field } = column;
    if (text === "") return;
    const read = textReaders[field];
    const good = read ? read(text) : text;
    if (good === undefined) reportProblem(reading, column, text);
    else reading.fields[field] = good;
  },
  number(reading, column, value) {
    const number = typeof value === "number" ? value : readNumber(textOf(value) ?? "");
    if (number === undefined || !Number.isFinite(number)) reportProblem(reading, column, value);
    else reading.fields[column.field] = number;
  },
  list(reading, column, value) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : split(textOf(value), column)) {
      readItem(reading, column, item);
    }
  },
  social(reading, column, value) {
    const url = readUrl(textOf(value) ?? "");
    if (url === undefined) reportProblem(reading, column, value);
    else reading.fields[`social/${column.field.replace(/^social_/, "")}`] = url;
  },
  note(reading, column, value) {
    const text = textOf(value);
    if (text === undefined) return reportProblem(reading, column, value);
    if (text === "") return;
    // The same text is the same note, however often it is imported.
    const id = createHash("sha256").update(text).digest("hex").slice(0, 26);
    reading.fields[`note/${id}`] = { at: reading.at, text };
  },
  extras(reading, column, value) {
    if (typeof value !== "object" || Array.isArray(value))
      return reportProblem(reading, column, value);
    for (const [name, one] of Object.entries(value as object)) reading.fields[`x/${name}`] = one;
  },
  entries(reading, column, value) {
    for (const entry of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const { kind, id, ...rest } = (entry ?? {}) as Readonly<Record<string, unknown>>;
      const isEntry = entryKinds.some((one) => one === kind) && typeof id === "string";
      if (isEntry && typeof rest["text"] === "string")
        reading.fields[`${String(kind)}/${id}`] = rest;
      else reportProblem(reading, column, entry);
    }
  },
  elements(reading, column, value) {
    const fieldOf = column.field === "domains" ? domainField : placeField;
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const field = fieldOf(item);
      if (field === undefined) reportProblem(reading, column, item);
      else reading.fields[field] = true;
    }
  },
  /** Read by `companyKeyOf`: it identifies the company. */
  key() {},
  extra(reading, column, value) {
    reading.fields[column.field] = typeof value === "string" ? unguarded(value).trim() : value;
  },
};

const textReaders: Readonly<Record<string, (text: string) => string | undefined>> = {
  domain: readDomain,
  website: readUrl,
  callback: readMoment,
};

/**
 * True if the given value adds nothing to a known one: it is equal, or equal after normalization,
 * or it is a list element of which more is known already.
 */
export function isSameValue(field: string, known: unknown, given: unknown): boolean {
  if (known === undefined) return false;
  if (given === true || JSON.stringify(known) === JSON.stringify(given)) return true;
  if (typeof known !== "string" || typeof given !== "string") return false;
  const read = textReaders[field.startsWith("social/") ? "website" : field];
  return (read ? read(known) : known.trim()) === given;
}

/**
 * An element is text, or an object whose `value` is the element and whose other fields describe it.
 */
function readItem(reading: Reading, column: ImportColumn, item: unknown): void {
  const isObject = typeof item === "object" && item !== null && "value" in item;
  // The status of an address is a separate field.
  const {
    value,
    status: _status,
    ...about
  } = isObject ? (item as Record<string, unknown>) : { value: item };
  const text = textOf(value);
  if (text === "") return;
  const element = text === undefined ? undefined : elementOf(reading, column, text);
  if (element === undefined) return reportProblem(reading, column, value);
  reading.fields[`${column.field}/${element}`] = Object.keys(about).length > 0 ? about : true;
}

function elementOf(reading: Reading, { field }: ImportColumn, text: string): string | undefined {
  if (field === "email") return readEmail(text);
  if (field === "phone") return readPhone(text, reading.country);
  return text.replace(/\s+/g, " ");
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return unguarded(value).trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
};

/**
 * Commas separate addresses and numbers, but `Plumbing, heating` is one category. They separate
 * tags only if there is no semicolon: our own export adds a semicolon to a tag with a comma.
 */
function split(text = "", { field }: ImportColumn): readonly string[] {
  const areParted = field === "email" || field === "phone";
  const areTags = field === "tag" && !/[;|\n]/.test(text);
  const parts = areParted || areTags ? /[;,|\n]/ : /[;|\n]/;
  return splitUnescaped(text, parts).map((part) => part.trim());
}

/** `\;` and `\|` are characters of an element, `\\` is a backslash; any other backslash is kept. */
function splitUnescaped(text: string, separator: RegExp): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (const [piece] of text.matchAll(/\\[\\;|]|[^]/gu)) {
    if (piece.length === 1 && separator.test(piece)) {
      parts.push(part);
      part = "";
    } else part += piece.startsWith("\\") ? piece.slice(-1) : piece;
  }
  return [...parts, part];
}

function reportProblem(
  { problems }: Reading,
  { header, field }: ImportColumn,
  value: unknown,
): void {
  const shown = typeof value === "string" ? value.slice(0, 80) : (JSON.stringify(value) ?? "");
  problems.push(`${header}: '${shown.slice(0, 80)}' ${wrongWords[field] ?? "cannot be read"}`);
}

const wrongWords: Readonly<Record<string, string>> = {
  email: "is not an e-mail address",
  phone: "is not a phone number, or has no country code: --country says which",
  domain: "is not a domain",
  website: "is not a web address",
  callback: "is not a time such as 2026-11-20T09:00:00Z",
  latitude: "is not a number",
  longitude: "is not a number",
  rating: "is not a number",
  reviews: "is not a number",
  ttlDays: "is not a number",
};
