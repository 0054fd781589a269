import {
  companiesPerPage,
  pageOfSlug,
  type SiteBody,
  type SiteCompany,
  type SiteLicence,
} from "../site-format.ts";
import {
  factsOf,
  findCompanies,
  hasWords,
  readPage,
  type FoundCompanies,
  type ReadPart,
} from "./search-companies.ts";

export interface SiteParts {
  readonly body: SiteBody;
  readonly read: ReadPart;
}

/** The site does not have the data to answer this query. */
export class Unanswerable extends Error {
  override readonly name = "Unanswerable";
  readonly status: 400 | 404;

  constructor(status: 400 | 404, message: string) {
    super(message);
    this.status = status;
  }
}

const pageLimit = 100;
/** How many pages of companies are read at once, for rows after the first ones. */
const pagesAtOnce = 8;

/**
 * Rows of a list. The first result has the matches of the first page with a match, so that it
 * appears soon.
 */
export async function listCompanies(site: SiteParts, query: URLSearchParams) {
  const limit = Number(query.get("limit") ?? pageLimit);
  const sort = query.get("sort") ?? "name";
  const newest = site.body.parts["newest"];
  const isPlain = [...query.keys()].every((key) => key === "sort" || key === "limit");
  if (sort === "changed" && isPlain && newest !== undefined && limit <= 50) {
    const rows = JSON.parse(await site.read(newest)) as readonly SiteCompany[];
    return { rows: rows.slice(0, limit).map(rowOf), next: null };
  }
  const search = searchOf(query);
  const after = query.get("after");
  let found = await findCompanies(site.body, site.read, search, { isExact: after !== null });
  let numbers = await inOrder(site, found, sort);
  const rows: ReturnType<typeof rowOf>[] = [];
  let last = after;
  let at = after === null ? 0 : placeOf(numbers, Number(after)) + 1;
  const count = () => numbers?.length ?? site.body.companies;
  while (at < count()) {
    const pagesMax = after === null ? 1 : pagesAtOnce;
    const step = await readSome(site, numbers, { at, pagesMax, limit });
    for (const [number, company] of step.companies) {
      if (!hasWords(company, found.unchecked)) continue;
      rows.push(rowOf(company));
      last = String(number);
    }
    at = step.at;
    if (rows.length > 0) break;
    if (found.unchecked.length === 0 || after !== null) continue;
    // The rarest words did not narrow the search enough: reading the rest of the index is cheaper
    // than reading page after page.
    const exact = await findCompanies(site.body, site.read, search, { isExact: true });
    if (exact.unchecked.length === found.unchecked.length) continue;
    found = exact;
    numbers = await inOrder(site, found, sort);
    at = 0;
  }
  return { rows, next: at < count() && rows.length > 0 ? last : null };
}

/** A page of a list continues after the last company of the previous page. */
const placeOf = (numbers: readonly number[] | undefined, number: number): number =>
  numbers ? numbers.indexOf(number) : number;

/** Reads the next few pages at once and returns their companies. */
async function readSome(
  site: SiteParts,
  numbers: readonly number[] | undefined,
  {
    at,
    pagesMax,
    limit,
  }: { readonly at: number; readonly pagesMax: number; readonly limit: number },
) {
  const count = numbers?.length ?? site.body.companies;
  const pages = new Map<number, Promise<readonly SiteCompany[]>>();
  const chosen: number[] = [];
  for (let next = at; next < count && chosen.length < limit; next += 1) {
    const number = numbers?.[next] ?? next;
    const page = Math.floor(number / companiesPerPage);
    if (!pages.has(page) && pages.size === pagesMax) break;
    if (!pages.has(page)) pages.set(page, readPage(site, page));
    chosen.push(number);
  }
  const read = new Map(
    await Promise.all([...pages].map(async ([page, rows]) => [page, await rows] as const)),
  );
  const companies = chosen.flatMap((number) => {
    const company = read.get(Math.floor(number / companiesPerPage))?.[number % companiesPerPage];
    return company ? [[number, company] as const] : [];
  });
  return { companies, at: at + chosen.length };
}

export async function countCompanies(site: SiteParts, query: URLSearchParams) {
  const found = await findCompanies(site.body, site.read, searchOf(query), { isExact: true });
  const count = found.numbers?.length ?? site.body.companies;
  return { count, isComplete: found.isComplete && found.unchecked.length === 0 };
}

function searchOf(query: URLSearchParams) {
  const facts = factsOf(query);
  if (!facts) throw new Unanswerable(400, "a published site does not have this filter");
  return { words: query.get("words") ?? "", facts };
}

/** The companies in the requested order; undefined means all companies, by name. */
async function inOrder(
  { body, read }: SiteParts,
  { numbers }: FoundCompanies,
  sort: string,
): Promise<readonly number[] | undefined> {
  if (sort === "name") return numbers;
  const part = body.parts[`column/${sort}`];
  if (part === undefined) throw new Unanswerable(400, `a published site is not sorted by ${sort}`);
  const values = (await read(part))
    .split(" ")
    .map((text) => (text === "" ? -1 : parseInt(text, 36)));
  const all = numbers ?? values.map((_, number) => number);
  return all.toSorted((a, b) => (values[b] ?? -1) - (values[a] ?? -1) || a - b);
}

export async function showCompany(site: SiteParts, slug: string) {
  const page = await readPage(site, pageOfSlug(site.body.pages, slug));
  const company = page.find((one) => one.slug === slug);
  if (!company) throw new Unanswerable(404, `there is no company '${slug}' in this site`);
  const { visit, ...row } = rowOf(company);
  return {
    ...row,
    file: null,
    problems: [],
    provenance: company.facts.map(([field, value, source, stamp, licence]) => ({
      field,
      value,
      source,
      stamp,
      node: "",
      dot: "",
      ...(licence !== undefined && { licence }),
    })),
    duplicates: [],
    merged: [],
    licences: licencesOf(site.body, company),
    visit: visit ? { ...visit, seen: [] } : null,
  };
}

const licencesOf = ({ licences }: SiteBody, { facts }: SiteCompany): readonly SiteLicence[] => {
  const used = new Set(facts.flatMap(([, , , , licence]) => licence ?? []));
  return licences.filter(({ licence }) => used.has(licence));
};

interface SiteFacets {
  readonly facets: readonly unknown[];
  readonly counted: number;
}

/** Counts are those of the whole site; with a filter they are not shown. */
export async function readFacets({ body, read }: SiteParts, query: URLSearchParams) {
  const part = body.parts["facets"];
  const { facets, counted }: SiteFacets =
    part === undefined ? { facets: [], counted: 0 } : (JSON.parse(await read(part)) as SiteFacets);
  const isFiltered = [...query.keys()].length > 0;
  return { facets, counted: isFiltered ? 0 : counted, licences: body.licences, isComplete: true };
}

export async function readPoints({ body, read }: SiteParts) {
  const names: string[] = [];
  for (let part; (part = body.parts[`points/${names.length}`]) !== undefined;) names.push(part);
  const parts = await Promise.all(
    names.map(async (name) => JSON.parse(await read(name)) as readonly unknown[]),
  );
  const isComplete = body.parts["points/more"] === undefined;
  return { rows: parts.flat(), isComplete, licences: body.licences };
}

/** In the format of the API. */
function rowOf(company: SiteCompany) {
  const { facts: _facts, sources: _sources, visit, ...given } = company;
  return {
    target: `company/${company.slug}`,
    slugWanted: company.slug,
    aliases: [],
    emails: [],
    phones: [],
    socials: {},
    tags: [],
    entries: [],
    extra: {},
    categories: [],
    services: [],
    products: [],
    tech: [],
    keywords: [],
    people: [],
    ...given,
    ...(visit && { visit: { version: 0, ...visit } }),
  };
}
