/** How an answer changes the plan of a visit. See site-visit.ts for the invariants. */
import { failureCode, type FetchOutcome } from "../fetcher.ts";
import type { RobotsNote } from "../robots/read-robots.ts";
import { canonicalUrl, isAsset, looksEndless } from "../url/canonical-url.ts";
import { priorityOf, sitemapPriority, type Link } from "../url/link-priority.ts";
import { worthOf } from "../url/page-worth.ts";
import { isSameSite, originOf } from "../url/site.ts";
import { withPage, type Visit, type VisitPage } from "./site-visit.ts";

/** The limit of known URLs; further ones are ignored. */
const pagesMax = 1_000;
const movesMax = 5;

export function recordRobots(visit: Visit, origin: string, note: RobotsNote): Visit {
  const updated = { ...visit, robotsByOrigin: { ...visit.robotsByOrigin, [origin]: note } };
  if (origin !== originOf(visit.home)) return updated;
  const named = note.robots.sitemaps.length > 0 ? note.robots.sitemaps : ["/sitemap.xml"];
  return addSitemaps(updated, named, { base: `${origin}/`, depth: 0 });
}

export interface PageAnswer {
  /** The URL as requested. */
  readonly url: string;
  readonly outcome: FetchOutcome;
  /** The visible links of a page that was found. */
  readonly links?: readonly Link[];
  readonly isParked?: boolean;
  /** It is empty without its scripts, and they were not run. */
  readonly needsScripts?: boolean;
}

export function recordPage(
  visit: Visit,
  { url, outcome, links = [], isParked, needsScripts }: PageAnswer,
): Visit {
  const page = visit.pages.find((one) => one.url === url);
  if (!page || page.state !== "asked") return visit;
  const isHome = url === visit.home;
  switch (outcome.kind) {
    case "found": {
      const bytes = visit.bytes + outcome.bytes.wire;
      const found = addPages({ ...withPage(visit, url, "found"), bytes }, [
        { url: outcome.url, priority: page.priority, isVisited: true },
      ]);
      if (isHome && isParked) return { ...found, outcome: "parked", reason: "parked" };
      return addPages(
        isHome && needsScripts ? { ...found, needsScripts } : found,
        links.map((link) => ({
          url: link.url,
          base: outcome.url,
          priority: priorityOf(link, page.priority),
          ...(link.text !== undefined && { text: link.text }),
        })),
      );
    }
    case "not_modified": {
      const updated = withPage(visit, url, "found");
      return isHome ? { ...updated, outcome: "not_modified" } : updated;
    }
    case "stopped":
      return moved(visit, page, outcome.url);
    case "failed": {
      const updated = withPage(visit, url, "failed");
      if (!isHome) return updated;
      const isBlocked = outcome.reason === "blocked";
      const reason = failureCode(outcome);
      return { ...updated, outcome: isBlocked ? "blocked" : "unreachable", reason };
    }
  }
}

/** The page redirected to another origin, whose robots.txt has to be read first. */
function moved(visit: Visit, page: VisitPage, target: string): Visit {
  const updated = withPage(visit, page.url, "failed");
  const to = canonicalUrl(target);
  const isHome = page.url === visit.home;
  const isKnown = to === undefined || updated.pages.some(({ url }) => url === to);
  if (isHome && (isKnown || visit.moves >= movesMax)) {
    return {
      ...updated,
      outcome: "unreachable",
      reason: isKnown ? "redirect_loop" : "too_many_redirects",
    };
  }
  if (isKnown || (!isHome && !isSameSite(to, visit.home))) return updated;
  const next: VisitPage = { ...page, url: to, state: "waiting" };
  // It costs the budget one page, not two.
  const pages = [
    ...updated.pages.filter(({ url }) => url !== page.url),
    { ...page, state: "alias" as const },
    next,
  ];
  return { ...updated, pages, moves: visit.moves + 1, ...(isHome && { home: to }) };
}

export interface SitemapAnswer {
  readonly url: string;
  readonly urls: readonly string[];
  readonly children: readonly string[];
  readonly wireBytes: number;
}

export function recordSitemap(visit: Visit, answer: SitemapAnswer): Visit {
  const sitemap = visit.sitemaps.find(({ url }) => url === answer.url);
  if (sitemap?.state !== "asked") return visit;
  const sitemaps = visit.sitemaps.map((one) =>
    one === sitemap ? { ...one, state: "read" as const } : one,
  );
  const pages = answer.urls.map((url) => ({ url, base: answer.url, priority: sitemapPriority }));
  const read = addPages({ ...visit, sitemaps, bytes: visit.bytes + answer.wireBytes }, pages);
  return addSitemaps(read, answer.children, { base: answer.url, depth: sitemap.depth + 1 });
}

interface NewPage {
  readonly url: string;
  readonly base?: string;
  readonly priority: number;
  readonly text?: string;
  /** Already fetched under another URL. */
  readonly isVisited?: boolean;
}

/** The priority of a known page can only increase. */
function addPages(visit: Visit, found: readonly NewPage[]): Visit {
  const byUrl = new Map(visit.pages.map((page) => [page.url, page]));
  for (const { url: raw, base, priority, text, isVisited } of found) {
    const url = canonicalUrl(raw, base);
    if (!url) continue;
    const known = byUrl.get(url);
    const worth = known?.worth ?? worthOf({ url, ...(text !== undefined && { text }) });
    const named = worth === undefined ? {} : { worth };
    if (known) {
      if (isVisited && known.state === "waiting") byUrl.set(url, { ...known, state: "alias" });
      else if (priority > known.priority || worth !== known.worth) {
        byUrl.set(url, { ...known, ...named, priority: Math.max(priority, known.priority) });
      }
      continue;
    }
    if (isVisited) byUrl.set(url, { url, priority, state: "alias" });
    else if (byUrl.size < pagesMax && isWanted(url, visit)) {
      byUrl.set(url, { url, priority, ...named, state: "waiting" });
    }
  }
  return { ...visit, pages: [...byUrl.values()] };
}

const isWanted = (url: string, { home, sitemaps }: Visit): boolean =>
  isSameSite(url, home) &&
  !isAsset(url) &&
  !looksEndless(url) &&
  !sitemaps.some((sitemap) => sitemap.url === url);

function addSitemaps(
  visit: Visit,
  urls: readonly string[],
  { base, depth }: { readonly base: string; readonly depth: number },
): Visit {
  if (depth > visit.budget.sitemapDepth) return visit;
  const known = new Set([...visit.sitemaps, ...visit.pages].map(({ url }) => url));
  const sitemaps = [...visit.sitemaps];
  for (const raw of urls) {
    const url = canonicalUrl(raw, base);
    // A sitemap of another origin would need that origin's robots.txt, for pages of another site.
    if (!url || known.has(url) || originOf(url) !== originOf(visit.home)) continue;
    if (sitemaps.length >= visit.budget.sitemaps * 10) break;
    known.add(url);
    sitemaps.push({ url, depth, state: "waiting" });
  }
  return { ...visit, sitemaps };
}
