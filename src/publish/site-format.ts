/**
 * The format of a published site, used by the code that writes one and by the page that reads it.
 * See docs/formats/site.md.
 *
 * - `manifest.json` names everything else. It is written last: replacing it switches to the next
 *   site.
 * - `data/<hash>-<generation>` is one part: compressed with gzip, and encrypted if the site is
 *   sealed. The hash is that of its content, keyed if the site is sealed. A name is never used for
 *   two contents.
 * - Companies are numbered in the order of their slugs. Page n has the companies from n ×
 *   companiesPerPage on. The index maps word prefixes, and facts to filter by, to numbers.
 */

export const siteFormat = 1;
export const manifestFile = "manifest.json";
export const partsFolder = "data/";
export const companiesPerPage = 64;
/** The list of companies that have any word with a long prefix is cut at this length. */
export const summaryMax = 5_000;
/** As in the API: more points than this are too many to draw. */
export const pointsMax = 20_000;
export const pointsPerPart = 2_000;

export const siteModes = ["private", "public", "sealed"] as const;
export type SiteMode = (typeof siteModes)[number];

export interface SiteManifest {
  readonly format: number;
  /** The lowest format version that a page must know to read the site. */
  readonly readableBy: number;
  /** Increases by one with each publish that changed something. */
  readonly generation: number;
  readonly at: string;
  readonly body: SiteBody;
  /** Files of earlier sites, with the time since when they are unused. They are removed later. */
  readonly retired: readonly (readonly [path: string, atMs: number])[];
}

/** The content of a site. Two sites with equal bodies are the same site. */
export interface SiteBody {
  readonly mode: SiteMode;
  readonly version: string;
  readonly companies: number;
  readonly leftOut: LeftOut;
  readonly campaigns: readonly SiteCampaign[];
  /** Downloads of all companies. */
  readonly downloads: readonly SiteDownload[];
  readonly licences: readonly SiteLicence[];
  /** The controller of personal data, one line of text each. */
  readonly legal: readonly string[];
  /**
   * One entry per page: a text that sorts after the last slug of the previous page and not after
   * the page's first slug.
   */
  readonly pages: readonly (readonly [from: string, part: string])[];
  /**
   * `fl`: all words with this prefix. `co*`: companies with any word with this prefix. `co=`: this
   * word alone.
   */
  readonly words: Readonly<Record<string, string>>;
  /**
   * Frequent words with the number of companies that have them: a search reads rarer words first.
   */
  readonly common: Readonly<Record<string, number>>;
  /** Other parts by name, such as `facets` or `report/austin`. */
  readonly parts: Readonly<Record<string, string>>;
  /** Files of the page itself, with the hash of their content. */
  readonly files: Readonly<Record<string, string>>;
}

/** How many companies are not in the site, and why. */
export interface LeftOut {
  readonly suppressed: number;
  readonly excluded: number;
  /** Absent in the site of one campaign, because a forgotten company no longer has a campaign. */
  readonly forgotten?: number;
  /** Changes when other companies are left out. Then no file of the previous site is kept. */
  readonly mark: string;
  /** Kinds of values that no company of the site has, such as emails. */
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
  /** Concatenated, they are the file. */
  readonly parts: readonly string[];
}

export interface SiteLicence {
  readonly text: string;
  readonly licence: string;
  readonly url: string;
}

/** The envelope of a sealed manifest. */
export interface SealedManifest {
  readonly format: number;
  readonly readableBy: number;
  /** The encrypted manifest, in base64. */
  readonly sealed: string;
}

/** A company as stored in a page. Empty lists are omitted. */
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
  /** Names of the open data sources, such as `osm`. */
  readonly sources?: readonly string[];
  /** Values with their source: field, value, source, stamp, licence. */
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

/** The part of the index that covers a prefix. */
export type WordPart =
  | { readonly kind: "words"; readonly part: string }
  /** Companies with any of these words; cut at `summaryMax`. */
  | { readonly kind: "summary"; readonly part: string };

/** Undefined if no company has such a word. */
export function wordPartOf(words: SiteBody["words"], begin: string): WordPart | undefined {
  for (let length = 1; length <= begin.length; length += 1) {
    const part = words[begin.slice(0, length)];
    if (part !== undefined) return { kind: "words", part };
  }
  const part = words[`${begin}*`];
  return part === undefined ? undefined : { kind: "summary", part };
}

/** The part that contains exactly this term. */
export function termPartOf(words: SiteBody["words"], term: string): string | undefined {
  const found = wordPartOf(words, term);
  return found?.kind === "words" ? found.part : words[`${term}=`];
}

/** Encodes ascending numbers as differences in base 36; the most frequent differences are short. */
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

/** The page that would contain a slug. */
export function pageOfSlug(pages: SiteBody["pages"], slug: string): number {
  let [low, high] = [0, pages.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pages[middle]![0] <= slug) low = middle;
    else high = middle - 1;
  }
  return low;
}
