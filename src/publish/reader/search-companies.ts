import { factTerm, flagTerm } from "../../records/search/fact-terms.ts";
import { queryWords, typedWords } from "../../records/search/name-keys.ts";
import {
  decodeNumbers,
  summaryMax,
  termPartOf,
  wordPartOf,
  type SiteBody,
  type SiteCompany,
} from "../site-format.ts";

/** Reads a part by its name. Parts are cached. */
export type ReadPart = (part: string) => Promise<string>;

export interface CompanySearch {
  readonly words: string;
  /** Terms that a company must have. */
  readonly facts: readonly string[];
}

export interface FoundCompanies {
  /** Ascending. Undefined means all companies. */
  readonly numbers: readonly number[] | undefined;
  /**
   * Prefixes that were not looked up in the index: the companies themselves must be checked for
   * them.
   */
  readonly unchecked: readonly string[];
  /** If false, there may be more companies. */
  readonly isComplete: boolean;
}

const wordsMax = 16;
/** If a rarer word has already narrowed the result to this many, a common word is not looked up. */
const fewEnough = 200;
/** At most this many parts of the index are read before the first companies are shown. */
const partsBeforeResult = 2;

/**
 * Finds the companies that have all words and facts. For the first result, at most two parts of the
 * index are read, those of the rarest words; the other words are checked in the companies
 * themselves. `isExact` reads all parts.
 */
export async function findCompanies(
  body: Pick<SiteBody, "words" | "common">,
  read: ReadPart,
  { words, facts }: CompanySearch,
  { isExact = false }: { readonly isExact?: boolean } = {},
): Promise<FoundCompanies> {
  const none = { numbers: [], unchecked: [], isComplete: true };
  const begins = mostTellingFirst(body, [...new Set(queryWords(words))].slice(0, wordsMax));
  if (words.trim() !== "" && begins.length === 0) return none;
  let numbers: readonly number[] | undefined;
  for (const term of facts) {
    const part = termPartOf(body.words, term);
    if (part === undefined) return none;
    numbers = intersect(
      numbers,
      numbersOf(await read(part), (word) => word === term),
    );
  }
  const unchecked: string[] = [];
  let [isComplete, parts] = [true, 0];
  for (const begin of begins) {
    const found = wordPartOf(body.words, begin);
    if (!found) return none;
    const isEnough = parts >= partsBeforeResult && (numbers?.length ?? Infinity) <= fewEnough;
    if (found.kind === "summary" ? numbers !== undefined : isEnough && !isExact) {
      unchecked.push(begin);
      continue;
    }
    parts += 1;
    const text = await read(found.part);
    const own = numbersOf(text, (word) => found.kind === "summary" || word.startsWith(begin));
    if (found.kind === "summary" && own.length >= summaryMax) isComplete = false;
    numbers = intersect(numbers, own);
  }
  return { numbers, unchecked, isComplete };
}

/**
 * Orders words from rare to frequent; prefixes whose companies are listed only in part come last.
 * Leaves out redundant ones: `flo` beside `flooring`.
 */
function mostTellingFirst(
  { common, words }: Pick<SiteBody, "common" | "words">,
  begins: readonly string[],
): readonly string[] {
  const frequent = Object.entries(common);
  const countOf = (begin: string) =>
    wordPartOf(words, begin)?.kind === "summary"
      ? Infinity
      : frequent.reduce((most, [word, count]) => (word.startsWith(begin) ? Math.max(most, count) : most), 0); // prettier-ignore
  const isCovered = (begin: string) =>
    begins.some((other) => other !== begin && other.startsWith(begin));
  return begins
    .filter((begin) => !isCovered(begin))
    .map((begin) => ({ begin, count: countOf(begin) }))
    .sort((a, b) => (a.count === b.count ? b.begin.length - a.begin.length : a.count - b.count))
    .map(({ begin }) => begin);
}

/** Lines `word<TAB>numbers`. */
function numbersOf(text: string, isWanted: (word: string) => boolean): readonly number[] {
  const lists: number[][] = [];
  for (const line of text.split("\n")) {
    const tab = line.indexOf("\t");
    if (tab !== -1 && isWanted(line.slice(0, tab))) lists.push(decodeNumbers(line.slice(tab + 1)));
  }
  if (lists.length === 1) return lists[0]!;
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}

function intersect(
  known: readonly number[] | undefined,
  more: readonly number[],
): readonly number[] {
  if (!known) return more;
  const [few, many] = known.length <= more.length ? [known, more] : [more, known];
  const has = new Set(many);
  return few.filter((one) => has.has(one));
}

/** Whether a company has, for each prefix, a word that begins with it. */
export function hasWords(company: SiteCompany, begins: readonly string[]): boolean {
  if (begins.length === 0) return true;
  const words = textsOf(company).flatMap((text) => typedWords(text));
  return begins.every((begin) => words.some((word) => word.startsWith(begin)));
}

const textsOf = (company: SiteCompany): readonly string[] => [
  company.name,
  company.slug,
  ...Object.values(company.texts),
  ...(company.emails ?? []).map(({ value }) => value),
  ...(company.phones ?? []).map(({ value }) => value),
  ...(company.tags ?? []),
  ...(company.categories ?? []),
  ...(company.services ?? []),
  ...(company.products ?? []),
  ...(company.tech ?? []),
  ...(company.keywords ?? []),
  ...Object.values(company.socials ?? {}),
  ...(company.entries ?? []).flatMap(({ text, title }) => [text, title ?? ""]),
  company.description ?? "",
];

export interface PageReader {
  readonly body: Pick<SiteBody, "pages" | "companies">;
  readonly read: ReadPart;
}

export async function readPage(
  { body, read }: PageReader,
  page: number,
): Promise<readonly SiteCompany[]> {
  const entry = body.pages[page];
  return entry ? (JSON.parse(await read(entry[1])) as readonly SiteCompany[]) : [];
}

/** The filters of a query as terms. Undefined if a published site does not support one of them. */
export function factsOf(query: URLSearchParams): readonly string[] | undefined {
  const facts: string[] = [];
  const flags: Readonly<Record<string, string>> = { hasEmail: "email", hasPhone: "phone", hasDomain: "domainknown" }; // prettier-ignore
  const named = new Set(["city", "state", "country", "type", "domain", "tech", "tag", "category"]);
  const others = new Set(["words", "sort", "after", "limit", "isExcluded"]);
  for (const [name, value] of query) {
    if (named.has(name)) facts.push(factTerm(name, value));
    else if (flags[name] !== undefined) facts.push(flagTerm(flags[name], value === "true"));
    else if (!others.has(name)) return undefined;
  }
  // A site has no excluded companies.
  if (query.get("isExcluded") === "true") facts.push(flagTerm("excluded", true));
  return facts;
}
