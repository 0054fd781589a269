import {
  isFresh,
  nextRequests,
  originOf,
  plainHttpOf,
  startVisit,
  recordRobots,
  type Fetcher,
} from "../../crawl/index.ts";
import type { TargetView } from "../../ledger/index.ts";
import {
  defineHandler,
  done,
  release,
  retry,
  skip,
  type Handler,
  type HandlerContext,
  type HandlerOutcome,
} from "../../worker/index.ts";
import type { Campaign } from "../campaign.ts";
import { domainOf } from "../places/company-fields.ts";
import { suppressedReason } from "../places/details.ts";
import { exclusionOf } from "../places/exclusions.ts";
import { releaseIfLacking } from "../lacking.ts";
import { enrichKind } from "../tasks.ts";
import { askSite, troubleOf, type Asked } from "./ask-site.ts";
import { createFloors, paceOf, setPace, type VisitPace } from "./pace.ts";
import { sourceOf, validatorsOf } from "./page-changes.ts";
import type { EnrichServices } from "./services.ts";
import { isVisitRead, visitRecordOf } from "../../records/index.ts";
import { extractorVersion, isVisitFresh } from "./visit-freshness.ts";
import { gateOf, nextTask, visitSchema, type StepRequest } from "./visit-task.ts";
import type { VisitPayload, VisitState } from "./visit-task.ts";
import { writeEnd, writePage, writeSitemap } from "./write-visit.ts";

type Context = HandlerContext<VisitPayload, EnrichServices>;

/** The result of one step of a visit. */
export interface StepResult {
  readonly asked: string;
  readonly answer: string;
  /** Contacts that no earlier page of this visit had. */
  readonly found: number;
  readonly outcome?: string;
  /** Why the site was not read. */
  readonly reason?: string;
}

/**
 * The node that found a company adds its visit at once, but the company may arrive here later,
 * through the bucket.
 */
const arrivalMs = (used: number) => 500 * 5 ** (used - 1);

/** Attempts for one request. After the last one the plan records the failure and continues. */
const triesMax = 3;

/**
 * Visits a website, one request per task. The order matters: the request, then the facts of its
 * page, then the end of this task together with the next task. So if a worker dies, the request is
 * repeated, and facts that are stored already do not change.
 */
export function createEnrichHandler(): Handler<EnrichServices> {
  const floors = createFloors();
  return defineHandler<VisitPayload, EnrichServices>(
    enrichKind,
    visitSchema,
    (context) =>
      releaseIfLacking(() => takeStep(context, (gate, delayMs) => floors.note(gate, delayMs))),
    {
      timeoutMs: 120_000,
      retry: { delayMs: 2_000, delayMsMax: 120_000 },
      politeness: (gate) => floors.boundsOf(gate),
      yields: (result) => (result as StepResult | undefined)?.found ?? 0,
    },
  );
}

async function takeStep(
  context: Context,
  noteFloor: (gate: string, delayMs: number) => void,
): Promise<HandlerOutcome> {
  const { task, services } = context;
  const { payload } = task;
  const campaign =
    payload.campaign === undefined ? undefined : await services.campaign(payload.campaign);
  const view = await companyView(services, payload.target);
  if (view.fields.length === 0 && !view.isForgotten && task.used < task.attemptsMax) {
    return retry(`there is no ${payload.target} yet`, { delayMs: arrivalMs(task.used) });
  }
  const needless = await whyNot(services, { payload, view, campaign });
  if (needless) return skip(needless);
  const fetcher = await services.fetcher(campaign?.politeness.contact ?? services.crawl.contact);
  if (!fetcher) return release(noContact);
  const counted = createCountedFetcher(fetcher, services.countRequest);

  const plan = await planned(services, payload.state ?? begin(services, task.key, payload));
  const { request } = plan;
  const on: Site = { view, campaign, fetcher: counted };
  if (!request) return goOn(context, on, plan, { asked: "", answer: "", found: 0 });
  const gate = gateOf(request.url);
  const pace = paceOf(services, { campaign, visit: plan.visit, url: request.url });
  noteFloor(gate, pace.delayMs);
  if (task.gate !== gate || (task.pace?.delayMs ?? 0) < pace.delayMs) {
    // No request is sent before its host's gate has the right delay. The claim has the current
    // state of the gate.
    if (task.gate === gate) services.sites.forget(gate);
    await setPace(services, gate, pace);
    if (task.gate === gate)
      return retry(`the delay of ${gate} had to be set first`, { delayMs: 0 });
    const state = { ...plan, request, step: plan.step + 1 };
    const moved = nextTask(task.job, { ...payload, state });
    return skip(`moved to the gate of ${gate}`, { add: [moved] });
  }
  return askAndGoOn(context, on, { ...plan, request }, pace);
}

interface Site {
  readonly view: TargetView;
  readonly campaign: Campaign | undefined;
  readonly fetcher: Fetcher;
}

async function askAndGoOn(
  context: Context,
  on: Site,
  plan: VisitState,
  { delayMs, limit }: VisitPace,
): Promise<HandlerOutcome> {
  const { task, services, signal, markStart, progress } = context;
  const { clock, robots, crawl } = services;
  const { view, campaign, fetcher } = on;
  const { request } = plan;
  progress(request.url);
  const startMs = clock.monotonicMs();
  const asked = await askSite(plan.visit, request, {
    fetcher,
    robots,
    clock,
    delayMs,
    isAlone: limit === 1,
    signal,
    markStart: () => markStart(),
    known: (url) => (isRead(view) ? validatorsOf(view, url) : undefined),
    country: countryOf(view),
    deobfuscate: crawl.deobfuscate,
  });
  const trouble = troubleOf(asked.outcome);
  if (trouble && task.used < triesMax) {
    const { message, slowDown } = trouble;
    return retry(message, slowDown ? { slowDown } : {});
  }
  const seen = new Set(plan.seen);
  const shown = asked.page
    ? await writePage(services, view, asked.page)
    : asked.outcome.kind === "not_modified"
      ? contactsFrom(view, asked.outcome.url)
      : [];
  if (asked.sitemap) await writeSitemap(services, view, asked.sitemap);
  for (const field of shown) if (seen.size < seenMax) seen.add(field);
  const { isTooSlow } = paceOf(services, { campaign, visit: asked.visit, url: asked.visit.home });
  const plain = httpPlan(plan, asked);
  const next = await planned(services, {
    ...plan,
    ...plain,
    visit: plain
      ? plain.visit
      : isTooSlow
        ? { ...asked.visit, outcome: "robots", reason: "crawl_delay" }
        : asked.visit,
    request: asked.follow,
    step: plan.step + 1,
    seen: [...seen],
    requests: (plan.requests ?? 0) + 1,
    spentMs: plan.spentMs + delayMs + Math.ceil(clock.monotonicMs() - startMs),
  });
  const found = seen.size - plan.seen.length;
  return goOn(context, on, next, { asked: request.url, answer: answerOf(asked), found });
}

/** Repeats the visit over http, if the website cannot be reached over https. */
function httpPlan(
  { visit, request, isHttpTried }: VisitState,
  { outcome }: Asked,
): Pick<VisitState, "visit" | "isHttpTried"> | undefined {
  if (isHttpTried === true || outcome.kind !== "failed") return undefined;
  const isFirst = !visit.pages.some(({ state }) => state === "found" || state === "failed");
  const isHome = originOf(request.url) === originOf(visit.home) && request.hops === undefined;
  const url = plainHttpOf(visit.home, outcome.reason);
  if (!isFirst || !isHome || url === undefined) return undefined;
  const { startedAtMs, budget } = visit;
  return { visit: startVisit({ url, nowMs: startedAtMs, budget }), isHttpTried: true };
}

/** Ends this task, together with either the next task or the result of the visit. */
async function goOn(
  { task, services }: Context,
  { view, campaign }: Site,
  plan: Plan,
  result: StepResult,
): Promise<HandlerOutcome> {
  const { request } = plan;
  if (!request) {
    const ended = await writeEnd(services, view, plan);
    await services.visitEnded(task.job, { host: gateOf(plan.visit.home), ...ended });
    return done({ ...result, ...ended });
  }
  const pace = paceOf(services, { campaign, visit: plan.visit, url: request.url });
  await setPace(services, gateOf(request.url), pace);
  const state = { ...plan, request };
  return done(result, { add: [nextTask(task.job, { ...task.payload, state })] });
}

/** The parts of a page that a browser renders count as requests too. */
const createCountedFetcher = (fetcher: Fetcher, onRequest: (() => void) | undefined): Fetcher => ({
  fetch: (request) =>
    fetcher.fetch({
      ...request,
      onSent(hop) {
        onRequest?.();
        request.onSent?.(hop);
      },
    }),
  [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
});

/** Enough for any honest site; the payload must hold them all. */
const seenMax = 300;

export const noContact =
  "crawl.contact is not set on this node: set it in forager.toml, or contact under [politeness] of " +
  "the campaign";

interface Plan extends Omit<VisitState, "request"> {
  /** Absent if the next request is not planned yet, or none is left. */
  readonly request?: StepRequest | undefined;
}

function begin({ clock, crawl }: EnrichServices, id: string, { website }: VisitPayload): Plan {
  const { pages, bytes, seconds } = crawl;
  const budget = { pages, bytes, ms: seconds * 1_000 };
  const visit = startVisit({ url: website, nowMs: clock.nowMs(), budget });
  return { id, step: 1, visit, seen: [], spentMs: 0 };
}

/** Adds the next request. Rules that are known from another visit are not requested again. */
async function planned({ robots, clock }: EnrichServices, plan: Plan): Promise<Plan> {
  if (plan.request) return plan;
  let { visit } = plan;
  for (;;) {
    const next = nextRequests(visit, { nowMs: visit.startedAtMs + plan.spentMs });
    visit = next.visit;
    const [request] = next.requests;
    const note = request?.kind === "robots" ? await robots.get(originOf(request.url)) : undefined;
    if (!request || !note || !isFresh(note, clock.nowMs())) return { ...plan, visit, request };
    visit = recordRobots(visit, originOf(request.url), note);
  }
}

/** If the company was merged into another one, returns that one. */
async function companyView({ ledger }: EnrichServices, target: string): Promise<TargetView> {
  const view = await ledger.read(target);
  return view.mergedInto === undefined ? view : ledger.read(view.mergedInto);
}

async function whyNot(
  { ledger, clock, crawl }: EnrichServices,
  about: { payload: VisitPayload; view: TargetView; campaign: Campaign | undefined },
): Promise<string | undefined> {
  const { payload, view, campaign } = about;
  const text = (field: string) => {
    const value = view.fields.find((one) => one.field === field)?.value;
    return typeof value === "string" ? value : undefined;
  };
  const domain = domainOf(payload.website);
  if (view.isForgotten) return "it was forgotten";
  const keys = [
    ...(domain === undefined ? [] : [`domain:${domain}`]),
    ...view.fields.flatMap(({ field }) =>
      field.startsWith("place/") ? [`place:${field.slice("place/".length)}`] : [],
    ),
  ];
  if ((await ledger.suppressed(keys)).length > 0) return suppressedReason;
  if (view.fields.length === 0) return `there is no ${payload.target}`;
  const excluded = text("excluded");
  if (excluded !== undefined) return `it is excluded: ${excluded}`;
  const known = { id: text("place") ?? "", name: text("name") ?? "", domain };
  const exclusion = campaign && exclusionOf(campaign.exclusions, known);
  if (exclusion) return exclusion;
  if (payload.state) return undefined; // the visit has begun already
  const record = visitRecordOf(view);
  const own = view.fields.find(({ field }) => field === "ttlDays")?.value;
  const ttlDays = typeof own === "number" ? own : crawl.ttlDays;
  const isFreshEnough =
    payload.after === undefined
      ? isVisitFresh(record, { ttlDays, nowMs: clock.nowMs() })
      : record !== undefined && record.at >= payload.after;
  return isFreshEnough ? `already visited ${record?.at ?? ""}` : undefined;
}

/** Unchanged pages may be skipped only if this version of the extractor has completed a visit. */
function isRead(view: TargetView): boolean {
  const record = visitRecordOf(view);
  return record !== undefined && isVisitRead(record) && record.version === extractorVersion;
}

/** The contacts that an unchanged page had before. */
function contactsFrom({ fields }: TargetView, url: string): readonly string[] {
  const source = sourceOf(url);
  return fields
    .filter((one) => one.source === source && /^(?:email|phone|social)\//.test(one.field))
    .map(({ field }) => field);
}

function countryOf({ fields }: TargetView): string | undefined {
  const value = fields.find(({ field }) => field === "country")?.value;
  return typeof value === "string" && /^[a-z]{2}$/i.test(value) ? value.toUpperCase() : undefined;
}

function answerOf({ outcome }: Asked): string {
  if (outcome.kind === "failed") return `${outcome.reason} ${outcome.status ?? ""}`.trim();
  return outcome.kind === "found" ? String(outcome.status) : outcome.kind;
}
