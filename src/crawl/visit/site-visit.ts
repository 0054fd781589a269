/**
 * Plans the visit of one site: which URL next, and when it is over. Pure, and plain data, so that
 * each request can be a task of its own behind its host's gate, on any node. Always:
 * - no page of an origin is asked for before its robots.txt was read and allows it;
 * - the home page first; then what most likely holds contacts; a sitemap only when links leave room;
 * - no URL twice, and never more requests, bytes or time than the budget has;
 * - whatever is told, in any order and also twice, an end comes: every answer takes a request off
 *   the list and the list is bounded.
 */
import { isAllowedByRobots } from "../robots/match-robots.ts";
import type { RobotsNote } from "../robots/read-robots.ts";
import { canonicalUrl } from "../url/canonical-url.ts";
import { homePriority, sitemapPriority, taskPriority } from "../url/link-priority.ts";
import type { PageWorth } from "../url/page-worth.ts";
import { originOf } from "../url/site.ts";

export interface VisitBudget {
  /** Pages asked for, the home page among them. */
  readonly pages: number;
  /** Of all answers, as they came over the wire. */
  readonly bytes: number;
  readonly ms: number;
  readonly sitemaps: number;
  /** How deep indexes of sitemaps may name each other. */
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
  /** The queue's thousandths. */
  readonly priority: number;
}

/** "alias": another name of a page that was found, or one that led to where the plan now looks. */
export type PageState = "waiting" | "asked" | "found" | "failed" | "forbidden" | "alias";
/** These cost no request of their own. */
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
  /** The home page, after it moved. */
  readonly home: string;
  readonly startedAtMs: number;
  readonly budget: VisitBudget;
  readonly robotsByOrigin: Readonly<Record<string, RobotsNote | "asked">>;
  readonly pages: readonly VisitPage[];
  readonly sitemaps: readonly VisitSitemap[];
  readonly bytes: number;
  readonly moves: number;
  readonly outcome?: VisitOutcome;
  /** Why the site was not read, in one word: `dns`, `private_address`, `http_403`, `robots` … */
  readonly reason?: string;
  /** The home page is empty without its scripts, which nobody ran. */
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

/** What to ask for now, at most `limit`; they count as asked from here on. */
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
  /** Absent: something was decided without one. */
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

/** The home page alone until it was found. */
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

/** Over when nothing is under way and nothing can be asked for. */
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
