import { nameMark, termsOf, type Company } from "../../records/index.ts";
import {
  companiesPerPage,
  pointsMax,
  pointsPerPart,
  type SiteBody,
  type SiteCompany,
} from "../site-format.ts";
import { factMark, wordParts } from "./word-parts.ts";

/** Stores a part and returns its name. Parts with equal identities are considered equal. */
export type AddPart = (text: string, identity?: string) => Promise<string>;

const facetFields = ["city", "state", "country", "category", "tag", "tech"] as const;
const facetValuesMax = 12;
const newestMax = 50;
const nameLengthMax = 120;
/** A word that at least this many companies have counts as frequent. */
const commonMin = 100;
const commonMax = 500;
/** A limit on the words of a company; more do not improve the results. */
const termsMax = 2_000;

interface Entry {
  readonly slug: string;
  readonly json: string;
  readonly terms: Uint32Array;
  readonly point: readonly [latitude: number, longitude: number] | undefined;
  readonly name: string;
  readonly hasEmail: boolean;
  readonly changedMinutes: number;
  readonly rating: number | undefined;
  readonly reviews: number | undefined;
}

/** Collects companies, then writes pages, index, points, facets and orders. */
export function createCompanyParts() {
  const entries: Entry[] = [];
  const termIds = new Map<string, number>();
  const facets = new Map(facetFields.map((field) => [field, new Map<string, number>()]));
  const idOf = (term: string): number => {
    let id = termIds.get(term);
    if (id === undefined) termIds.set(term, (id = termIds.size));
    return id;
  };
  return {
    /** `company` must already be redacted for the site. */
    add(company: Company, shown: SiteCompany): void {
      const terms = [...termsOf({ kind: "company", company })]
        .filter((term) => !term.startsWith(nameMark))
        .slice(0, termsMax);
      for (const [field, counts] of facets) {
        for (const value of facetValuesOf(company, field)) {
          counts.set(value, (counts.get(value) ?? 0) + 1);
        }
      }
      const { latitude, longitude, rating, reviews } = company.numbers;
      const changedMs = Date.parse(company.changedAt.slice(0, 24));
      entries.push({
        slug: company.slug,
        json: JSON.stringify(shown),
        terms: Uint32Array.from(terms, idOf),
        point:
          latitude === undefined || longitude === undefined ? undefined : [latitude, longitude],
        name: company.name.slice(0, nameLengthMax),
        hasEmail: company.emails.length > 0,
        changedMinutes: Number.isNaN(changedMs) ? 0 : Math.max(0, Math.floor(changedMs / 60_000)),
        rating,
        reviews,
      });
    },
    get count() {
      return entries.length;
    },
    slugs: (): ReadonlySet<string> => new Set(entries.map(({ slug }) => slug)),
    points: (): Iterable<readonly [number, number]> =>
      entries.flatMap(({ point }) => (point ? [point] : [])),
    async write(
      add: AddPart,
    ): Promise<Pick<SiteBody, "companies" | "pages" | "words" | "common" | "parts">> {
      entries.sort((a, b) => (a.slug < b.slug ? -1 : 1));
      const parts: Record<string, string> = {
        ...(await writePoints(entries, add)),
        ...(await writeOrders(entries, add)),
        facets: await add(JSON.stringify({ facets: topFacets(facets), counted: entries.length })),
      };
      return {
        companies: entries.length,
        pages: await writePages(entries, add),
        ...(await writeWords(entries, termIds, add)),
        parts,
      };
    },
  };
}

async function writePages(entries: readonly Entry[], add: AddPart): Promise<SiteBody["pages"]> {
  const pages: [string, string][] = [];
  for (let from = 0; from < entries.length; from += companiesPerPage) {
    const some = entries.slice(from, from + companiesPerPage);
    const begin = from === 0 ? "" : separator(entries[from - 1]!.slug, some[0]!.slug);
    pages.push([begin, await add(`[${some.map(({ json }) => json).join(",")}]`)]);
  }
  return pages;
}

/** The shortest prefix of `next` that sorts after `last`. */
function separator(last: string, next: string): string {
  let length = 1;
  while (length < next.length && next.slice(0, length) <= last) length += 1;
  return next.slice(0, length);
}

async function writeWords(
  entries: readonly Entry[],
  termIds: ReadonlyMap<string, number>,
  add: AddPart,
): Promise<Pick<SiteBody, "words" | "common">> {
  const numbers: number[][] = Array.from({ length: termIds.size }, () => []);
  for (const [number, { terms }] of entries.entries()) for (const id of terms) numbers[id]!.push(number); // prettier-ignore
  const words: Record<string, string> = {};
  const postings = [...termIds].map(([term, id]) => [term, numbers[id]!] as const);
  for (const [key, text] of wordParts(postings)) words[key] = await add(text);
  const common = postings
    .filter(([term, { length }]) => length >= commonMin && !term.startsWith(factMark))
    .sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1))
    .slice(0, commonMax)
    .map(([term, { length }]) => [term, length] as const);
  return { words, common: Object.fromEntries(common) };
}

async function writePoints(entries: readonly Entry[], add: AddPart) {
  const all = entries.filter(({ point }) => point !== undefined);
  const shown = all.slice(0, pointsMax);
  const parts: Record<string, string> = {};
  for (let from = 0; from < shown.length; from += pointsPerPart) {
    const rows = shown.slice(from, from + pointsPerPart).map(({ slug, name, point, hasEmail }) => [slug, name, ...point!, hasEmail]); // prettier-ignore
    parts[`points/${from / pointsPerPart}`] = await add(JSON.stringify(rows));
  }
  if (all.length > shown.length) parts["points/more"] = "";
  return parts;
}

/** One value per company, in the order of the companies. */
async function writeOrders(entries: readonly Entry[], add: AddPart) {
  const column = (value: (entry: Entry) => number | undefined) =>
    add(entries.map((entry) => value(entry)?.toString(36) ?? "").join(" "));
  const newest = entries.toSorted((a, b) => b.changedMinutes - a.changedMinutes || (a.slug < b.slug ? -1 : 1)); // prettier-ignore
  const scaled = (value: number | undefined, scale: number) =>
    value === undefined || !(value >= 0) ? undefined : Math.round(value * scale);
  return {
    "column/changed": await column(({ changedMinutes }) => changedMinutes),
    "column/rating": await column(({ rating }) => scaled(rating, 100)),
    "column/reviews": await column(({ reviews }) => scaled(reviews, 1)),
    newest: await add(
      `[${newest
        .slice(0, newestMax)
        .map(({ json }) => json)
        .join(",")}]`,
    ),
  };
}

const topFacets = (facets: ReadonlyMap<string, ReadonlyMap<string, number>>) =>
  [...facets].map(([field, counts]) => ({
    field,
    values: [...counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, facetValuesMax),
  }));

function facetValuesOf(company: Company, field: (typeof facetFields)[number]): readonly string[] {
  switch (field) {
    case "category":
      return company.categories;
    case "tag":
      return company.tags;
    case "tech":
      return company.tech;
    case "city":
    case "state":
    case "country":
      return company.texts[field] === undefined ? [] : [company.texts[field]];
  }
}
