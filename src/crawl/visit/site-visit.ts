/**
 * Plans the visit of one site: which URL to request next, and when the visit ends. Pure functions
 * on plain data, so that each request can be a separate task behind its host's gate, on any node.
 * Invariants:
 * - no page of an origin is requested before its robots.txt was read and allows it;
 * - the home page comes first, then pages that most likely have contact data; a sitemap only if
 *   links leave room;
 * - no URL is requested twice, and never more requests, bytes or time than the budget allows;
 * - the visit ends whatever answers come, in any order and also twice: every answer removes a
 *   request from the list, and the list is bounded.
 */
import { isAllowedByRobots } from "../robots/match-robots.ts";
import type { RobotsNote } from "../robots/read-robots.ts";
import { canonicalUrl } from "../url/canonical-url.ts";
import { homePriority, sitemapPriority, taskPriority } from "../url/link-priority.ts";
import type { PageWorth } from "../url/page-worth.ts";
import { originOf } from "../url/site.ts";

export interface VisitBudget {
  /** Requested pages, including the home page. */
  readonly pages: number;
  /** Bytes of all answers on the wire. */
  readonly bytes: number;
  readonly ms: number;
  readonly sitemaps: number;
  /** How deep indexes of sitemaps may be nested. */
  readonly sitemapDepth: number;
}

export const visitBudget: VisitBudget = {
  pages: 8,
  bytes: 20 * 1024 * 1024,
  ms: 10 * 60_000,
  sitemaps: 3,
  sitemapDepth: 2,
};

export type VisitOutcome =
  | "done"
  | "unreachable"
  | "robots"
  | "blocked"
  | "parked"
  | "not_modified";

export interface VisitRequest {
  readonly kind: "robots" | "page" | "sitemap";
  readonly url: string;
  /** The priority in the queue's thousandths. */
  readonly priority: number;
}

/** "alias": another URL of a page that was found, or a URL that redirected to the current home. */
export type PageState = "waiting" | "asked" | "found" | "failed" | "forbidden" | "alias";
/** Pages in these states used no request. */
const freeStates: ReadonlySet<PageState> = new Set(["waiting", "forbidden", "alias"]);

export interface VisitPage {
  readonly url: string;
  readonly priority: number;
  readonly worth?: PageWorth;
  readonly state: PageState;
}

interface VisitSitemap {
  readonly url: string;
  readonly depth: number;
  readonly state: "waiting" | "asked" | "read";
}

export interface Visit {
  /** The home page, also after a redirect. */
  readonly home: string;
  readonly startedAtMs: number;
  readonly budget: VisitBudget;
  readonly robotsByOrigin: Readonly<Record<string, RobotsNote | "asked">>;
  readonly pages: readonly VisitPage[];
  readonly sitemaps: readonly VisitSitemap[];
  readonly bytes: number;
  readonly moves: number;
  readonly outcome?: VisitOutcome;
  /** Why the site was not read, as one word: `dns`, `private_address`, `http_403`, `robots` … */
  readonly reason?: string;
  /** The home page is empty without its scripts, and they were not run. */
  readonly needsScripts?: boolean;
}

const originsMax = 5;

export function startVisit(options: {
  readonly url: string;
  readonly nowMs: number;
  readonly budget?: Partial<VisitBudget>;
}): Visit {
  const home = canonicalUrl(options.url);
  const visit: Visit = {
    home: home ?? options.url,
    startedAtMs: options.nowMs,
    budget: { ...visitBudget, ...options.budget },
    robotsByOrigin: {},
    pages: home ? [{ url: home, priority: homePriority, state: "waiting" }] : [],
    sitemaps: [],
    bytes: 0,
    moves: 0,
  };
  return home ? visit : { ...visit, outcome: "unreachable", reason: "bad_url" };
}

/** The next requests, at most `limit`. They count as requested from now on. */
export function nextRequests(
  visit: Visit,
  { nowMs, limit = 1 }: { readonly nowMs: number; readonly limit?: number },
): { readonly visit: Visit; readonly requests: readonly VisitRequest[] } {
  const requests: VisitRequest[] = [];
  let now = visit;
  while (requests.length < limit && now.outcome === undefined) {
    const step = nextStep(now, nowMs);
    if (!step) break;
    now = step.visit;
    if (step.request) requests.push(step.request);
  }
  return { visit: concluded(now, nowMs), requests };
}

interface Step {
  readonly visit: Visit;
  /** Absent: a decision that needed no request. */
  readonly request?: VisitRequest;
}

function nextStep(visit: Visit, nowMs: number): Step | undefined {
  const page = hasRoom(visit, nowMs) ? bestWaiting(visit) : undefined;
  if (!page) return nextSitemap(visit, nowMs);
  const origin = originOf(page.url);
  const note = visit.robotsByOrigin[origin];
  const priority = taskPriority(page.priority, page.worth);
  if (note === "asked") return undefined;
  if (!note) {
    if (Object.keys(visit.robotsByOrigin).length >= originsMax) {
      return { visit: withPage(visit, page.url, "forbidden") };
    }
    const robotsByOrigin = { ...visit.robotsByOrigin, [origin]: "asked" as const };
    const request = { kind: "robots", url: `${origin}/robots.txt`, priority: 1_000 } as const;
    return { visit: { ...visit, robotsByOrigin }, request };
  }
  if (!isAllowedByRobots(note.robots, page.url)) {
    const forbidden = withPage(visit, page.url, "forbidden");
    if (page.url !== visit.home) return { visit: forbidden };
    if (note.state !== "unreachable") {
      return { visit: { ...forbidden, outcome: "robots", reason: "robots" } };
    }
    const reason = note.failure ?? "robots_unreachable";
    return { visit: { ...forbidden, outcome: "unreachable", reason } };
  }
  return {
    visit: withPage(visit, page.url, "asked"),
    request: { kind: "page", url: page.url, priority },
  };
}

/** Only the home page until it was found. */
function bestWaiting({ pages, home }: Visit): VisitPage | undefined {
  const first = pages.find(({ url }) => url === home);
  if (first && first.state !== "found") return first.state === "waiting" ? first : undefined;
  const rank = (page: VisitPage) => taskPriority(page.priority, page.worth);
  return pages
    .filter(({ state }) => state === "waiting")
    .reduce<VisitPage | undefined>(
      (best, one) => (best && rank(best) >= rank(one) ? best : one),
      undefined,
    );
}

function nextSitemap(visit: Visit, nowMs: number): Step | undefined {
  const isHomeFound = visit.pages.some(({ url, state }) => url === visit.home && state === "found");
  const read = visit.sitemaps.filter(({ state }) => state !== "waiting").length;
  if (!isHomeFound || !hasRoom(visit, nowMs) || read >= visit.budget.sitemaps) return undefined;
  if (visit.pages.some(({ state }) => state === "asked" || state === "waiting")) return undefined;
  const next = visit.sitemaps.find(({ state }) => state === "waiting");
  if (!next) return undefined;
  const note = visit.robotsByOrigin[originOf(next.url)];
  const mayAsk = note !== undefined && note !== "asked" && isAllowedByRobots(note.robots, next.url);
  const sitemaps = visit.sitemaps.map((one) =>
    one === next ? { ...one, state: mayAsk ? ("asked" as const) : ("read" as const) } : one,
  );
  const request = {
    kind: "sitemap",
    url: next.url,
    priority: taskPriority(sitemapPriority, undefined),
  } as const;
  return mayAsk ? { visit: { ...visit, sitemaps }, request } : { visit: { ...visit, sitemaps } };
}

const hasRoom = ({ pages, bytes, budget, startedAtMs }: Visit, nowMs: number): boolean =>
  pages.filter(({ state }) => !freeStates.has(state)).length < budget.pages &&
  bytes < budget.bytes &&
  nowMs - startedAtMs < budget.ms;

/** Ends the visit if nothing is in flight and nothing can be requested. */
function concluded(visit: Visit, nowMs: number): Visit {
  if (visit.outcome !== undefined) return visit;
  const isAsked =
    visit.pages.some(({ state }) => state === "asked") ||
    visit.sitemaps.some(({ state }) => state === "asked") ||
    Object.values(visit.robotsByOrigin).includes("asked");
  if (isAsked || nextStep(visit, nowMs)) return visit;
  const isHomeFound = visit.pages.some(({ url, state }) => url === visit.home && state === "found");
  if (isHomeFound) return { ...visit, outcome: "done" };
  return { ...visit, outcome: "unreachable", reason: "out_of_budget" };
}

export const withPage = (visit: Visit, url: string, state: PageState): Visit => ({
  ...visit,
  pages: visit.pages.map((page) => (page.url === url ? { ...page, state } : page)),
});
