/**
 * The files of a published site, for the code that writes them and for the page that reads them. See
 * docs/formats/site.md.
 *
 * - `manifest.json` names everything else. It is written last, so it is the switch from one site to the next.
 * - `data/<hash>-<generation>` is one part: gzip, and sealed if the site is. The hash is that of its content,
 *   keyed if the site is sealed. A name is never used for two contents.
 * - A company has a number: its place in the order of slugs. Page n has the companies from
 *   n × companiesPerPage on. The index maps beginnings of words, and facts to filter by, to numbers.
 */

export const siteFormat = 1;
export const manifestFile = "manifest.json";
export const partsFolder = "data/";
export const companiesPerPage = 64;
/** A list of companies that have any word of a long beginning is cut here. */
export const summaryMax = 5_000;
/** As the API: more points than this are too many to draw. */
export const pointsMax = 20_000;
export const pointsPerPart = 2_000;

export const siteModes = ["private", "public", "sealed"] as const;
export type SiteMode = (typeof siteModes)[number];

export interface SiteManifest {
  readonly format: number;
  /** A page that knows this format can read it. */
  readonly readableBy: number;
  /** Grows by one with each publish that changed something. */
  readonly generation: number;
  readonly at: string;
  readonly body: SiteBody;
  /** Files of earlier sites with the time since when they are not used. They are removed later. */
  readonly retired: readonly (readonly [path: string, atMs: number])[];
}

/** What a site says. Two sites with equal bodies are the same site. */
export interface SiteBody {
  readonly mode: SiteMode;
  readonly version: string;
  readonly companies: number;
  readonly leftOut: LeftOut;
  readonly campaigns: readonly SiteCampaign[];
  /** All companies as files. */
  readonly downloads: readonly SiteDownload[];
  readonly licences: readonly SiteLicence[];
  /** Who is responsible for personal data, one line each. */
  readonly legal: readonly string[];
  /** One for each page: a text that is not after its first slug and after the last one of the page before. */
  readonly pages: readonly (readonly [from: string, part: string])[];
  /** `fl`: all words that begin so. `co*`: companies with any word that begins so. `co=`: this word alone. */
  readonly words: Readonly<Record<string, string>>;
  /** Frequent words with the number of companies that have them: a search reads rarer ones first. */
  readonly common: Readonly<Record<string, number>>;
  /** Other parts by what they are, such as `facets` or `report/austin`. */
  readonly parts: Readonly<Record<string, string>>;
  /** Files of the page itself, with a hash of their content. */
  readonly files: Readonly<Record<string, string>>;
}

/** How many companies are not in the site, and why. */
export interface LeftOut {
  readonly suppressed: number;
  readonly excluded: number;
  /** Absent in the site of one campaign: nobody knows to which one they belonged. */
  readonly forgotten?: number;
  /** Changes when somebody else is left out. Then nothing of the site before is kept. */
  readonly mark: string;
  /** Kinds of values that are in no company of the site, such as emails. */
  readonly values: readonly string[];
}

export interface SiteCampaign {
  readonly campaign: string;
  readonly phrases: readonly string[];
  readonly locations: readonly {
    readonly name: string;
    readonly latitude: number;
    readonly longitude: number;
    readonly proximityKm: number;
  }[];
  readonly downloads: readonly SiteDownload[];
}

export interface SiteDownload {
  readonly format: string;
  readonly type: string;
  readonly rows: number;
  /** To be joined. */
  readonly parts: readonly string[];
}

export interface SiteLicence {
  readonly text: string;
  readonly licence: string;
  readonly url: string;
}

/** A sealed manifest: what encloses it. */
export interface SealedManifest {
  readonly format: number;
  readonly readableBy: number;
  /** The manifest, sealed, in base64. */
  readonly sealed: string;
}

/** A company as a page has it. Empty lists are left out. */
export interface SiteCompany {
  readonly slug: string;
  readonly name: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly numbers: Readonly<Record<string, number>>;
  readonly emails?: readonly { readonly value: string; readonly url?: string }[];
  readonly phones?: readonly { readonly value: string; readonly url?: string }[];
  readonly socials?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly categories?: readonly string[];
  readonly services?: readonly string[];
  readonly products?: readonly string[];
  readonly tech?: readonly string[];
  readonly keywords?: readonly string[];
  readonly entries?: readonly SiteEntry[];
  readonly description?: string;
  readonly visit?: { readonly at: string; readonly outcome: string; readonly reason?: string };
  readonly changedAt: string;
  /** Names of the open data that it comes from, such as `osm`. */
  readonly sources?: readonly string[];
  /** Values with where they come from: field, value, source, stamp, licence. */
  readonly facts: readonly (readonly [string, unknown, string, string, string?])[];
}

export interface SiteEntry {
  readonly kind: "note" | "meeting" | "call";
  readonly id: string;
  readonly at: string;
  readonly text: string;
  readonly title?: string | undefined;
  readonly by?: string | undefined;
  readonly outcome?: string | undefined;
}

/** The part of the index that has a beginning of a word. */
export type WordPart =
  | { readonly kind: "words"; readonly part: string }
  /** Companies with any of these words; cut at `summaryMax`. */
  | { readonly kind: "summary"; readonly part: string };

/** Undefined: no company has such a word. */
export function wordPartOf(words: SiteBody["words"], begin: string): WordPart | undefined {
  for (let length = 1; length <= begin.length; length += 1) {
    const part = words[begin.slice(0, length)];
    if (part !== undefined) return { kind: "words", part };
  }
  const part = words[`${begin}*`];
  return part === undefined ? undefined : { kind: "summary", part };
}

/** The part that has exactly this term. */
export function termPartOf(words: SiteBody["words"], term: string): string | undefined {
  const found = wordPartOf(words, term);
  return found?.kind === "words" ? found.part : words[`${term}=`];
}

/** Ascending numbers as differences in base 36; the most frequent ones are short. */
export function encodeNumbers(numbers: readonly number[]): string {
  let last = -1;
  const differences = numbers.map((number) => {
    const difference = number - last;
    last = number;
    return difference === 1 ? "" : difference.toString(36);
  });
  return differences.join(" ");
}

export function decodeNumbers(text: string): number[] {
  const numbers: number[] = [];
  let last = -1;
  for (const one of text.split(" ")) {
    last += one === "" ? 1 : Number.parseInt(one, 36);
    numbers.push(last);
  }
  return numbers;
}

/** The page in which a slug would be. */
export function pageOfSlug(pages: SiteBody["pages"], slug: string): number {
  let [low, high] = [0, pages.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pages[middle]![0] <= slug) low = middle;
    else high = middle - 1;
  }
  return low;
}
