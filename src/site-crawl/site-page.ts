import {
  hostDelay,
  isAllowedByRobots,
  isTemporary,
  needsScripts,
  originOf,
  pageTypes,
  readRobots,
  robotsToken,
  textOf,
  type FetchFailed,
  type FetchOutcome,
  type FetchFound,
} from "../crawl/index.ts";
import { extractPage } from "../extract/index.ts";
import type { LeaseRef } from "../queue/index.ts";
import {
  defineHandler,
  done,
  fail,
  retry,
  skip,
  type Handler,
  type HandlerContext,
  type HandlerOutcome,
} from "../worker/index.ts";
import { forbiddenMessage, type OpenCrawl, type SiteCrawlServices } from "./crawl-services.ts";
import {
  sitePageKind,
  sitePageSchema,
  type PageToVisit,
  type SitePagePayload,
} from "./page-tasks.ts";
import type { PageRow } from "./page-row.ts";
import { plainHttpStart } from "./crawl-plan.ts";
import { tasksOf } from "./next-tasks.ts";
import { readSitemaps } from "./read-sitemaps.ts";
import { createTaskPace, type TaskPace } from "./task-pace.ts";

const redirectsMax = 10;
/** The limit for one page: a hundred times the usual number. */
const linksMax = 5_000;
/** Waiting several times for a slow host's gate must not count as a failure of the page. */
const timeoutMs = 900_000;

type Context = HandlerContext<SitePagePayload, SiteCrawlServices>;
type Row = Omit<PageRow, "at" | "atWorkMs" | "kind">;
/** The result of a fetch: the row of the page, and the pages that it links to. */
interface Visited {
  readonly row: Row;
  readonly next: readonly PageToVisit[];
}

/**
 * Fetches one page of a site crawl. The order matters: the row is written, then the task ends
 * together with adding the pages it found. So every finished page has a row, whenever a worker
 * dies; a page that is fetched twice has two rows, and the last one counts. A redirect is followed
 * as a page of its own, so that no page is fetched under two names.
 */
export function createSitePageHandler(): Handler<SiteCrawlServices> {
  return defineHandler<SitePagePayload, SiteCrawlServices>(
    sitePageKind,
    sitePageSchema,
    visitPage,
    { timeoutMs, retry: { delayMs: 1_000, delayMsMax: 60_000 } },
  );
}

async function visitPage(context: Context): Promise<HandlerOutcome> {
  const { task, services, signal, markStart, progress } = context;
  const crawl = await services.open(task.payload.crawl);
  crawl.pages.visiting(task.payload.url);
  const spent = crawl.spent();
  if (spent) return skip(`the crawl has used up its ${spent}`);
  progress(task.payload.url);
  const delayMs = task.pace?.delayMs ?? 0;
  const pace = createTaskPace({ clock: services.clock, signal, delayMs, markStart });

  const { payload, closed } = await reach(context, crawl, pace);
  if (closed) {
    const { message, reason } = closed;
    // If TLS fails, a retry does not help.
    if (closed.isTemporary && reason !== "tls" && hasMoreAttempts(task)) return retry(message);
    const state = closed.isTemporary ? "failed" : "robots";
    await crawl.record({ ...blankRow(payload), state, message, ...(reason && { reason }) });
    return closed.isTemporary ? fail(message) : done();
  }
  await pace.wait();
  const beganMs = services.clock.monotonicMs();
  const outcome = await services.fetcher.fetch({
    url: payload.url,
    ...pace.hooks,
    types: pageTypes,
    // The gate's delay has passed; a redirect becomes a task of its own.
    beforeRequest: ({ number }) => (number === 0 ? "go" : "stop"),
  });
  const ms = Math.round(services.clock.monotonicMs() - beganMs);
  if (outcome.kind === "failed" && isTemporary(outcome) && hasMoreAttempts(task)) {
    return retry(outcome.message, slowDownOf(outcome));
  }
  const { row, next } = judge(crawl, payload, outcome, ms);
  const add = await tasksOf(services, crawl, next);
  if (payload.isStart && row.state === "found" && crawl.plan.withSitemaps) {
    const by: LeaseRef = { id: task.id, token: task.token };
    await readSitemaps({ services, crawl, pace, url: payload.url, by });
  }
  await crawl.record({ ...row, kind: "page" });
  if (outcome.kind === "failed" && isTemporary(outcome)) {
    return fail(outcome.message, slowDownOf(outcome));
  }
  return done(undefined, { add, onStored: () => crawl.pages.stored(add) });
}

const hasMoreAttempts = ({ used, attemptsMax }: Context["task"]) => used < attemptsMax;

const blankRow = ({ url, depth, from }: SitePagePayload) => ({
  url,
  kind: "page" as const,
  depth,
  ms: 0,
  bytes: 0,
  ...(from !== undefined && { from }),
});

/** Only if the host asked to slow down. */
function slowDownOf({ status, retryAfterMs }: FetchFailed) {
  if (status !== 429 && status !== 503) return {};
  return { slowDown: retryAfterMs === undefined ? {} : { retryAfterMs } };
}

/**
 * The page, and why it must not be fetched. If https was our own guess for the start and no
 * connection is possible, the same page is used over http, in the same task, so that a crawl has
 * only one job.
 */
async function reach(context: Context, crawl: OpenCrawl, pace: TaskPace) {
  const { payload } = context.task;
  const closed = await closedByRobots(context, crawl, pace, payload.url);
  const isStart = payload.isStart && payload.url === crawl.plan.start;
  const url = closed && isStart ? plainHttpStart(crawl.plan, closed.reason) : undefined;
  if (url === undefined) return { payload, closed };
  context.services.onPlainHttp?.({ from: payload.url, to: url, reason: closed?.reason ?? "" });
  crawl.pages.visiting(url);
  return { payload: { ...payload, url }, closed: await closedByRobots(context, crawl, pace, url) };
}

interface Closed {
  readonly message: string;
  readonly reason?: string | undefined;
  readonly isTemporary: boolean;
}

/**
 * Why the page must not be fetched; undefined if it may. Slows the gate down as robots.txt asks.
 */
async function closedByRobots(
  { task, services }: Context,
  { plan }: OpenCrawl,
  pace: TaskPace,
  url: string,
): Promise<Closed | undefined> {
  const { fetcher, clock, robots: cache } = services;
  const nowMs = () => clock.nowMs();
  const token = robotsToken;
  const request = pace.hooks;
  const note = await readRobots({ fetcher, origin: originOf(url), token, nowMs, cache, request });
  if (note.state === "unreachable") {
    const { reason = "", failure } = note;
    const message =
      failure === "tls"
        ? `no TLS connection to ${originOf(url)}: its certificate is not valid, or it speaks plain http`
        : `its robots.txt cannot be read: ${reason}`;
    return { message, reason: failure, isTemporary: true };
  }
  const { crawlDelayMs } = note.robots;
  const wanted = hostDelay({ configuredMs: plan.delayMs, crawlDelayMs });
  if (wanted.isTooSlow) {
    const seconds = Math.round((crawlDelayMs ?? 0) / 1_000);
    const message = `robots.txt asks for ${seconds} s between requests: the site is skipped`;
    return { message, isTemporary: false };
  }
  if (wanted.isSlowed && wanted.delayMs > (task.pace?.delayMs ?? 0)) {
    await services.slowGate(task.gate, wanted.delayMs);
    pace.lengthen(wanted.delayMs);
  }
  if (isAllowedByRobots(note.robots, url)) return undefined;
  return { message: forbiddenMessage, isTemporary: false };
}

function judge(
  crawl: OpenCrawl,
  payload: SitePagePayload,
  outcome: FetchOutcome,
  ms: number,
): Visited {
  const row = { ...blankRow(payload), ms };
  switch (outcome.kind) {
    case "found":
      return readFound(crawl, payload, outcome, row);
    case "stopped":
      return { row: { ...row, ...moved(outcome) }, next: redirected(crawl, payload, outcome.url) };
    case "not_modified":
      return { row: { ...row, state: "other", status: 304 }, next: [] };
    case "failed": {
      const { status, reason, message } = outcome;
      const isAnswer = status !== undefined && status >= 400 && status < 500 && status !== 429;
      const state = reason === "other_type" ? "other" : isAnswer ? "gone" : "failed";
      const why = { message, reason, ...(status !== undefined && { status }) };
      return { row: { ...row, state, ...why }, next: [] };
    }
  }
}

const moved = ({ url, status }: Extract<FetchOutcome, { kind: "stopped" }>) => ({
  state: "redirect" as const,
  to: url,
  ...(status !== undefined && { status }),
});

/** The depth stays the same, because a redirect is not a click. */
function redirected({ scope }: OpenCrawl, payload: SitePagePayload, to: string): PageToVisit[] {
  const url = scope.own(to, payload.url);
  const { depth, isStart } = payload;
  const isWanted = url !== undefined && (isStart || scope.wants(url, depth));
  if (!isWanted || payload.hops >= redirectsMax) return [];
  return [{ url, depth, isStart, hops: payload.hops + 1, from: payload.url }];
}

function readFound(
  { scope }: OpenCrawl,
  payload: SitePagePayload,
  found: FetchFound,
  row: ReturnType<typeof blankRow>,
): Visited {
  const html = textOf(found).text;
  const facts = extractPage({ html, url: found.url, deobfuscate: "off" });
  const links = new Set<string>();
  const away = new Set<string>();
  for (const { href } of facts.links) {
    const own = scope.own(href, found.url);
    if (own === undefined) away.add(href);
    else if (links.size < linksMax) links.add(own);
  }
  const depth = payload.depth + 1;
  const follows = facts.robots.includes("nofollow")
    ? []
    : [...links].filter((url) => scope.wants(url, depth));
  const type = found.contentType?.split(";", 1)[0]?.trim().slice(0, 100);
  return {
    row: {
      ...row,
      state: "found",
      status: found.status,
      bytes: found.bytes.wire,
      ...(needsScripts(html) && { needsScripts: true }),
      ...(facts.title !== undefined && { title: facts.title }),
      ...(type && { type }),
      links: [...links],
      linksAway: away.size,
    },
    next: follows.map((url) => ({ url, depth, hops: 0, isStart: false, from: payload.url })),
  };
}
