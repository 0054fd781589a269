/**
 * Answers the requests of the dashboard from the files of a published site, as the HTTP API would.
 * It runs in a browser; tests run it in Node.
 */
import {
  manifestFile,
  siteFormat,
  type SealedManifest,
  type SiteBody,
  type SiteManifest,
} from "../site-format.ts";
import {
  countCompanies,
  listCompanies,
  readFacets,
  readPoints,
  showCompany,
  Unanswerable,
} from "./answer-companies.ts";
import {
  bytesOfBase64,
  createSealOpener,
  plainOpener,
  WrongKey,
  type PartOpener,
} from "./open-part.ts";

export interface SiteReaderOptions {
  /**
   * Fetches a file of the site by its path; rejects if it does not exist. `isFresh`: bypasses the
   * cache.
   */
  readonly fetchFile: (path: string, options: { readonly isFresh: boolean }) => Promise<Uint8Array<ArrayBuffer>>; // prettier-ignore
  /** The key in the link; "" if there is none. */
  readonly key: string;
  /** Since 1970. */
  readonly nowMs: () => number;
  /** Resolves when the last answer is on the screen. */
  readonly shown?: () => Promise<void>;
}

export interface SiteReader {
  readonly manifest: SiteManifest;
  answer(path: string, query: URLSearchParams): Promise<StaticAnswer>;
  /** The text of a part, such as one of a download. */
  readPart(part: string): Promise<string>;
}

export interface StaticAnswer {
  readonly status: number;
  readonly text: string;
}

/** Why a site cannot be shown. */
export class SiteFault extends Error {
  override readonly name = "SiteFault";
  readonly reason: "no-key" | "wrong-key" | "insecure" | "newer" | "unreadable";

  constructor(reason: SiteFault["reason"], cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

/** Parts are requested repeatedly while a user types. */
const cachedMax = 400;

export async function openSite(options: SiteReaderOptions): Promise<SiteReader> {
  const { fetchFile, nowMs, shown = async () => {} } = options;
  const { manifest, opener } = await openManifest(options);
  const { body } = manifest;
  const cache = new Map<string, Promise<string>>();
  const read = (part: string): Promise<string> => {
    const known = cache.get(part);
    if (known) return known;
    const first = cache.keys().next().value;
    if (cache.size >= cachedMax && first !== undefined) cache.delete(first);
    const reading = fetchFile(`data/${part}`, { isFresh: false }).then((bytes) =>
      opener.open(bytes),
    );
    cache.set(part, reading);
    reading.catch(() => cache.delete(part)); // the next request tries again
    return reading;
  };
  const site = { body, read };
  /** The first rows of the last list that was requested. */
  let firstRows: Promise<unknown> = Promise.resolve();
  /**
   * The count and later rows need more parts than the first rows do, so they wait until the first
   * rows are on the screen.
   */
  const afterFirstRows = async () => {
    await shown(); // a list that is requested at the same time also comes first
    await firstRows.catch(() => {}); // its own caller handles it
    await shown();
  };
  const named = async (key: string, what: string): Promise<unknown> => {
    const part = body.parts[key];
    if (part === undefined) throw new Unanswerable(404, `${what} is not in this site`);
    return JSON.parse(await read(part)) as unknown;
  };
  const answers: readonly (readonly [RegExp, Answer])[] = [
    [/^\/api\/session$/, async () => sessionOf(body, nowMs())],
    [/^\/api\/campaigns$/, async () => ({ rows: body.campaigns.map(campaignRow) })],
    [/^\/api\/campaigns\/([^/]+)\/report$/, ([name]) => named(`report/${name}`, `the report of ${name}`)],
    [/^\/api\/campaigns\/([^/]+)\/status$/, ([name]) => named(`status/${name}`, `the state of ${name}`)],
    [/^\/api\/campaigns\/([^/]+)\/coverage$/, ([name], query) => {
      const phrase = query.get("phrase");
      return named(`coverage/${name}${phrase === null ? "" : `/${phrase.toLowerCase()}`}`, `the map of ${name}`); // prettier-ignore
    }],
    [/^\/api\/phrases$/, async () => ({ rows: [] })],
    [/^\/api\/companies$/, async (_, query) => {
      if (!query.has("after")) return await (firstRows = listCompanies(site, query));
      await afterFirstRows();
      return listCompanies(site, query);
    }],
    [/^\/api\/companies\/count$/, async (_, query) => {
      await afterFirstRows();
      return countCompanies(site, query);
    }],
    [/^\/api\/companies\/facets$/, (_, query) => readFacets(site, query)],
    [/^\/api\/companies\/points$/, () => readPoints(site)],
    [/^\/api\/companies\/([^/]+)$/, ([slug = ""]) => showCompany(site, slug)],
    [/^\/basemap\/([\w-]+)\.json$/, ([cell]) => named(`basemap/${cell}`, "this part of the map")],
  ]; // prettier-ignore
  return {
    manifest,
    readPart: read,
    async answer(path, query) {
      for (const [pattern, find] of answers) {
        const match = pattern.exec(path);
        if (!match) continue;
        try {
          const value = await find(match.slice(1).map(decodeURIComponent), query);
          return { status: 200, text: JSON.stringify(value) };
        } catch (error) {
          if (error instanceof Unanswerable) return problem(error.status, error.message);
          throw error;
        }
      }
      return problem(404, "a published site does not have this");
    },
  };
}

type Answer = (params: readonly string[], query: URLSearchParams) => Promise<unknown>;

async function openManifest({
  fetchFile,
  key,
}: SiteReaderOptions): Promise<{ readonly manifest: SiteManifest; readonly opener: PartOpener }> {
  let found: SiteManifest | SealedManifest;
  try {
    const bytes = await fetchFile(manifestFile, { isFresh: true });
    found = JSON.parse(new TextDecoder().decode(bytes)) as SiteManifest | SealedManifest;
  } catch (cause) {
    throw new SiteFault("unreadable", cause);
  }
  if (found.readableBy > siteFormat) throw new SiteFault("newer");
  if (!("sealed" in found)) return { manifest: found, opener: plainOpener };
  if (key === "") throw new SiteFault("no-key");
  // Browsers offer Web Crypto only to pages from https or from this machine.
  if ((crypto as { readonly subtle?: unknown }).subtle === undefined)
    throw new SiteFault("insecure");
  try {
    const opener = await createSealOpener(key);
    const text = await opener.open(bytesOfBase64(found.sealed));
    return { manifest: JSON.parse(text) as SiteManifest, opener };
  } catch (error) {
    throw error instanceof WrongKey ? new SiteFault("wrong-key", error) : error;
  }
}

const campaignRow = ({ campaign, phrases, locations }: SiteBody["campaigns"][number]) => ({
  campaign,
  phrases,
  locations,
  fault: null,
});

/** A read-only session. */
const sessionOf = ({ version }: SiteBody, nowMs: number) => ({
  by: "session",
  user: "",
  role: null,
  isFresh: false,
  scopes: ["companies:read", "campaigns:read", "exports:read"],
  version,
  environment: "",
  nowMs,
});

const problem = (status: number, detail: string): StaticAnswer => ({
  status,
  text: JSON.stringify({
    type: "about:blank",
    title: status === 404 ? "Not in this site" : "Not available here",
    status,
    detail,
    code: status === 404 ? "not_found" : "not_published",
    requestId: "",
  }),
});
