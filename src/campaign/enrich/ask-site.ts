/**
 * Sends one request to a site, and updates the plan of the visit with the result. Exactly one
 * request is sent, except for the parts of a page that a browser renders. A redirect is not
 * followed here: its target becomes a task of its own, behind that host's gate and after its
 * robots.txt.
 */
import type { Clock } from "../../base/clock.ts";
import {
  isTemporary,
  originOf,
  looksParked,
  pageTypes,
  readSitemap,
  robotsBytesMax,
  robotsNoteOf,
  robotsToken,
  recordPage,
  recordRobots,
  recordSitemap,
  textOf,
  type FetchFailed,
  type Fetcher,
  type FetchOutcome,
  type RequestHooks,
  type RobotsCache,
  type Validators,
  type Visit,
} from "../../crawl/index.ts";
import { extractPage, type Deobfuscate, type PageFacts } from "../../extract/index.ts";
import type { SitemapSaid } from "./page-changes.ts";
import { partHooks } from "./part-hooks.ts";
import type { StepRequest } from "./visit-task.ts";

export interface AskSiteOptions {
  readonly fetcher: Fetcher;
  readonly robots: RobotsCache;
  readonly clock: Clock;
  /** The delay between the parts of a page that a browser renders, per host. */
  readonly delayMs: number;
  /** True if no other task sends requests to this host meanwhile. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal;
  readonly markStart: () => void;
  /** The stored validators of a page that was read before. */
  readonly known: (url: string) => Validators | undefined;
  readonly country: string | undefined;
  readonly deobfuscate: Deobfuscate;
}

export interface Asked {
  readonly visit: Visit;
  readonly outcome: FetchOutcome;
  /** Set if a page was found and belongs to the company. */
  readonly page?: FoundPage;
  /** Set if a sitemap was read. */
  readonly sitemap?: SitemapSaid;
  /** Set if robots.txt redirects: the request to send next. */
  readonly follow?: StepRequest;
}

export interface FoundPage {
  readonly facts: PageFacts;
  readonly validators: Validators;
  readonly body: Uint8Array;
  readonly isHome: boolean;
}

export function askSite(
  visit: Visit,
  request: StepRequest,
  options: AskSiteOptions,
): Promise<Asked> {
  const { signal, markStart } = options;
  const hooks: RequestHooks = {
    signal,
    beforeRequest: ({ number }) => (number === 0 ? "go" : "stop"),
    onSent: markStart,
    onAnswered: markStart,
  };
  switch (request.kind) {
    case "robots":
      return askRobots(visit, request, hooks, options);
    case "page": {
      const { url } = request;
      return askPage(visit, request, partHooks({ ...options, visit, url }), options);
    }
    case "sitemap":
      return askSitemap(visit, request, hooks, options);
  }
}

/** RFC 9309 requires at least five. */
const robotsHopsMax = 5;
const rulesKeptMs = 30 * 86_400_000;

async function askRobots(
  visit: Visit,
  request: StepRequest,
  hooks: RequestHooks,
  { fetcher, robots, clock }: AskSiteOptions,
): Promise<Asked> {
  const { url, origin = originOf(url), hops = 0 } = request;
  const chunks: Uint8Array[] = [];
  let taken = 0;
  const outcome = await fetcher.fetch({
    ...hooks,
    url,
    accept: "text/plain,*/*;q=0.1",
    limits: { bytesMax: 2 * robotsBytesMax },
    onBody(chunk) {
      chunks.push(chunk);
      taken += chunk.length;
      return taken < robotsBytesMax ? "more" : "enough";
    },
  });
  if (outcome.kind === "stopped" && hops < robotsHopsMax) {
    const follow: StepRequest = { ...request, url: outcome.url, origin, hops: hops + 1 };
    return { visit, outcome, follow };
  }
  const ended: FetchOutcome =
    outcome.kind === "stopped" ? tooManyHops(outcome.url, outcome.hops) : outcome;
  const now = robotsNoteOf(ended, Buffer.concat(chunks), {
    token: robotsToken,
    atMs: clock.nowMs(),
  });
  const before = await robots.get(origin);
  const isLost = now.state === "unreachable" && before?.state === "read";
  // Known rules stay valid while a server fails for a short time; that failure is not stored.
  const note = isLost && clock.nowMs() - before.atMs < rulesKeptMs ? before : now;
  if (now.state !== "unreachable") await robots.put(origin, note);
  const updated = recordRobots(visit, origin, note);
  if (originOf(url) === origin || new URL(url).pathname !== "/robots.txt") {
    return { visit: updated, outcome: ended };
  }
  // Also stored for the redirecting origin, so that it is not requested again when the home page
  // leads there.
  if (now.state !== "unreachable") await robots.put(originOf(url), note);
  return { visit: recordRobots(updated, originOf(url), note), outcome: ended };
}

const tooManyHops = (url: string, hops: readonly string[]): FetchFailed => ({
  kind: "failed",
  reason: "too_many_redirects",
  message: `${url}: more than ${robotsHopsMax} redirects`,
  url,
  hops,
});

async function askPage(
  visit: Visit,
  { url }: StepRequest,
  hooks: RequestHooks,
  options: AskSiteOptions,
): Promise<Asked> {
  const known = options.known(url);
  const outcome = await options.fetcher.fetch({
    ...hooks,
    url,
    types: pageTypes,
    ...(known && { known }),
  });
  const isHome = url === visit.home;
  if (outcome.kind !== "found") return { visit: recordAnswer(visit, url, outcome), outcome };

  const { text } = textOf(outcome);
  const { country, deobfuscate } = options;
  const facts = extractPage({
    html: text,
    url: outcome.url,
    deobfuscate,
    ...(country !== undefined && { country }),
  });
  if (facts.blocked !== undefined) {
    const wall: FetchFailed = {
      kind: "failed",
      reason: "blocked",
      message: `${url}: ${facts.blocked}`,
      url,
      hops: outcome.hops,
      status: outcome.status,
    };
    return { visit: recordAnswer(visit, url, wall), outcome: wall };
  }
  const isParked = facts.parked !== undefined || looksParked({ url: outcome.url, text: "" });
  const { body, isRendered } = outcome;
  const needsScripts = facts.needsScripts && isRendered !== true;
  const updated = recordPage(visit, {
    url,
    outcome,
    links: linksOf(facts),
    isParked,
    needsScripts,
  });
  if (isParked) return { visit: updated, outcome };
  // The HTML of a rendered page may stay the same while the data that its scripts load changes.
  const { etag, lastModified }: Validators = isRendered ? {} : outcome;
  const validators = {
    ...(etag !== undefined && { etag: etag.slice(0, 200) }),
    ...(lastModified !== undefined && { lastModified: lastModified.slice(0, 60) }),
  };
  return { visit: updated, outcome, page: { facts, validators, body, isHome } };
}

/** If a page moved to an origin whose robots.txt is known already, its sitemaps are added now. */
function recordAnswer(visit: Visit, url: string, outcome: FetchOutcome): Visit {
  const updated = recordPage(visit, { url, outcome });
  if (updated.home === visit.home) return updated;
  const origin = originOf(updated.home);
  const note = updated.robotsByOrigin[origin];
  return note === undefined || note === "asked" ? updated : recordRobots(updated, origin, note);
}

function linksOf({ links, refreshUrl, robots }: PageFacts) {
  const refresh = refreshUrl === undefined ? [] : [{ url: refreshUrl, where: "header" as const }];
  if (robots.includes("nofollow") || robots.includes("none")) return refresh;
  return [...refresh, ...links.map(({ href, where, text }) => ({ url: href, where, text }))];
}

/** The plan does not use more. */
const sitemapUrlsMax = 500;
const sitemapBytesMax = 10 * 1024 * 1024;

async function askSitemap(
  visit: Visit,
  { url }: StepRequest,
  hooks: RequestHooks,
  { fetcher }: AskSiteOptions,
): Promise<Asked> {
  const urls: string[] = [];
  const file = await readSitemap({
    fetcher,
    url,
    limits: { bytesMax: sitemapBytesMax, urlsMax: sitemapUrlsMax },
    request: hooks,
    onUrl(found) {
      urls.push(found);
      return urls.length < sitemapUrlsMax ? "more" : "enough";
    },
  });
  const { outcome, children } = file;
  const wireBytes = outcome.kind === "found" ? outcome.bytes.wire : 0;
  const updated = recordSitemap(visit, { url, urls, children, wireBytes });
  return { visit: updated, outcome, sitemap: { url, urls } };
}

/** Whether repeating the request later may help, and whether the host asked to slow down. */
export function troubleOf(outcome: FetchOutcome) {
  if (outcome.kind !== "failed" || !isTemporary(outcome)) return undefined;
  const { status, retryAfterMs, message, reason } = outcome;
  const isHostBusy = status === 429 || status === 503 || reason === "timeout";
  const slowDown = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { message, ...(isHostBusy && { slowDown }) };
}
