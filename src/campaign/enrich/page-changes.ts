import { createHash } from "node:crypto";
import type { Validators } from "../../crawl/index.ts";
import type { OrganizationFact, PageFacts } from "../../extract/index.ts";
import type { Change, TargetView } from "../../ledger/index.ts";

export interface PageSaid {
  readonly facts: PageFacts;
  readonly validators: Validators;
  readonly isHome: boolean;
}

/** The name of a page as a source. A URL that is too long for a source is cut. */
export const sourceOf = (url: string): string => `site:${encodeURI(decoded(url)).slice(0, 480)}`;

const perListMax = 50;

/**
 * The changes that a page makes to what is known of a company. A value from elsewhere, such as
 * another page of the site, is kept; a value that came from this page follows the page. Nothing is
 * ever removed, because a page may be cut, translated or broken.
 */
export function pageChanges(
  view: TargetView,
  { facts, validators, isHome }: PageSaid,
  source: string,
): readonly Change[] {
  const known = new Map(view.fields.map((one) => [one.field, one]));
  const changes = new Map<string, Change>();
  const isOpen = (field: string) => (known.get(field)?.source ?? source) === source;
  const add = (field: string, value: unknown) => {
    if (value === undefined || value === "" || changes.has(field) || !isOpen(field)) return;
    changes.set(field, { target: view.target, field, value });
  };

  for (const { value, label, url, method } of facts.emails.slice(0, perListMax)) {
    add(`email/${value}`, { ...(label !== undefined && { label }), url, method });
  }
  for (const { value, label, url, method } of facts.phones.slice(0, perListMax)) {
    add(`phone/${value}`, { ...(label !== undefined && { label }), url, method });
  }
  for (const { network, url } of facts.socials) add(`social/${network}`, url);
  for (const [prefix, list] of [
    ["service", facts.services],
    ["product", facts.products],
    ["tech", facts.tech],
    ["keyword", facts.keywords],
  ] as const) {
    for (const one of list.slice(0, perListMax)) {
      const name = elementName(one);
      if (name !== undefined) add(`${prefix}/${name}`, true);
    }
  }
  if (isHome) addHome(add, facts);
  const menu = navigationOf(facts);
  if (isHome && menu.length > 0) add(navigationField, menu);
  const places = ["address", "street", "city", "zip"];
  if (places.every(isOpen)) addAddress(add, facts.organizations);
  if (isOpen("latitude") && isOpen("longitude")) addPoint(add, facts.organizations);
  add("name", facts.name);
  add(pageField(facts.url), {
    url: facts.url,
    ...(facts.title !== undefined && { title: facts.title }),
    ...(facts.language !== undefined && { language: facts.language }),
    ...validators,
  });
  return [...changes.values()];
}

/** Stored beside the record: the Markdown file does not show it. */
export const navigationField = "site/navigation";
const navigationMax = 60;

/** The targets of the menus of a site's home page, in their order. */
const navigationOf = ({ links }: PageFacts) =>
  links
    .filter(({ where, text }) => where === "header" && text !== "")
    .slice(0, navigationMax)
    .map(({ text, href: url }) => ({ text, url }));

const sitemapUrlsMax = 100;

export interface SitemapSaid {
  readonly url: string;
  readonly urls: readonly string[];
}

/**
 * The first URLs of a sitemap, also stored beside the record; undefined if the sitemap names no
 * page.
 */
export function sitemapChange(target: string, { url, urls }: SitemapSaid): Change | undefined {
  if (urls.length === 0) return undefined;
  const value = { url, count: urls.length, urls: urls.slice(0, sitemapUrlsMax) };
  return { target, field: sitemapField(url), value };
}

type AddField = (field: string, value: unknown) => void;

function addHome(add: AddField, { language, description, organizations }: PageFacts): void {
  add("language", language);
  add("description", organizations.find((one) => one.description)?.description ?? description);
}

function addAddress(add: AddField, organizations: readonly OrganizationFact[]): void {
  const address = organizations.find((one) => one.address?.city ?? one.address?.street)?.address;
  if (!address) return;
  const { whole, street, city, zip, state, country } = address;
  for (const [field, value] of Object.entries({ street, city, zip, state, country })) {
    add(field, value);
  }
  add("address", whole);
}

function addPoint(add: AddField, organizations: readonly OrganizationFact[]): void {
  const placed = organizations.find((one) => one.latitude !== undefined);
  if (placed?.longitude === undefined) return;
  add("latitude", placed.latitude);
  add("longitude", placed.longitude);
}

/** The contacts on a page, as field names. */
export const contactsIn = ({ emails, phones, socials }: PageFacts): readonly string[] => [
  ...emails.slice(0, perListMax).map(({ value }) => `email/${value}`),
  ...phones.slice(0, perListMax).map(({ value }) => `phone/${value}`),
  ...socials.map(({ network }) => `social/${network}`),
];

const fieldBytesMax = 280;

/** The field with title, language and validators of a page. */
export const pageField = (url: string): string => urlField("page", url);
const sitemapField = (url: string): string => urlField("sitemap", url);

function urlField(prefix: string, url: string): string {
  const field = `${prefix}/${encodeURIComponent(decoded(url))}`;
  if (field.length <= fieldBytesMax) return field;
  return `${prefix}/h-${createHash("sha256").update(url).digest("hex").slice(0, 32)}`;
}

/** The text as the last part of a field name; undefined if nothing is left of it. */
function elementName(text: string): string | undefined {
  const name = text
    .replaceAll(/[/\s]+/g, " ")
    .trim()
    .slice(0, 80)
    .trim();
  return name === "" || name === "." || name === ".." ? undefined : name;
}

function decoded(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

/** The validators of the last response, if this page is known. */
export function validatorsOf(view: Pick<TargetView, "fields">, url: string): Validators {
  const value = view.fields.find(({ field }) => field === pageField(url))?.value;
  if (typeof value !== "object" || value === null) return {};
  const { etag, lastModified } = value as Validators;
  return {
    ...(typeof etag === "string" && { etag }),
    ...(typeof lastModified === "string" && { lastModified }),
  };
}
