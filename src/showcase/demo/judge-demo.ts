import type { CampaignStatus } from "../../campaign/index.ts";
import type { Company } from "../../records/index.ts";
import type { RegionRequest } from "../fake-web/region-server.ts";
import { scoreOf, expectedOf, type Score } from "../fake-web/expected-data.ts";
import type { Site } from "../fake-web/site.ts";

/** What is left of a demo: checked against the expected data of the region and the server's own log. */
export interface Evidence {
  readonly sites: readonly Site[];
  readonly requests: readonly RegionRequest[];
  readonly companies: readonly Company[];
  readonly status: CampaignStatus;
  /** Tasks that did not end well. */
  readonly failed: number;
  readonly delayMs: number;
  /** Of what each node has on its disk. */
  readonly digests: readonly string[];
  /** Leases of a dead node that nobody took over. */
  readonly abandoned: number;
}

export interface Verdict {
  readonly isGood: boolean;
  readonly targets: { readonly all: number; readonly witnessed: number };
  readonly places: { readonly all: number; readonly found: number };
  readonly emails: Score;
  readonly phones: Score;
  readonly socials: Score;
  readonly politeness: PolitenessResult;
  /** What was fetched although robots.txt forbids it: host and path. */
  readonly forbidden: readonly string[];
  readonly failed: number;
  /** Whether all nodes know the same. */
  readonly isEqual: boolean;
  readonly abandoned: number;
}

export interface PolitenessResult {
  readonly hosts: number;
  /** Of all hosts without a wish of their own: the shortest time between two requests. */
  readonly gapMsMin: number | undefined;
  readonly delayMs: number;
  /** Of those whose robots.txt asks for more. */
  readonly slowGapMsMin: number | undefined;
  readonly slowDelayMs: number;
  /** Pairs of requests that were too close. */
  readonly early: readonly string[];
}

/** Timers and clocks of two processes: what nobody can keep exactly. */
const toleranceMs = 2;
const slowDelayMs = 1_000;
const least = { emailRecall: 0.95, emailPrecision: 0.98, others: 0.95 };

export function judgeDemo(evidence: Evidence): Verdict {
  const { sites, companies, status, requests, failed, delayMs, abandoned } = evidence;
  const byDomain = new Map(companies.map((company) => [company.texts.domain, company]));
  const score = (key: "emails" | "phones" | "socials") =>
    scoreOf(
      sites.map((site) => ({
        expected: expectedOf(site, "simple")[key],
        found: contactsOf(byDomain.get(site.business.domain), key),
      })),
    );
  const [emails, phones, socials] = [score("emails"), score("phones"), score("socials")];
  const places = sites.filter(({ business }) => byDomain.has(business.domain)).length;
  const politeness = judgePoliteness(sites, requests, delayMs);
  const forbidden = forbiddenRequests(sites, requests);
  const witnessed = status.fresh + status.empty;
  const isEqual = new Set(evidence.digests).size === 1;
  const isGood =
    isEqual &&
    abandoned === 0 &&
    witnessed === status.targets &&
    places === sites.length &&
    companies.length === sites.length &&
    emails.recall >= least.emailRecall &&
    emails.precision >= least.emailPrecision &&
    [phones, socials].every(
      ({ recall, precision }) => recall >= least.others && precision >= least.others,
    ) &&
    politeness.early.length === 0 &&
    forbidden.length === 0 &&
    failed === 0;
  return {
    isGood,
    targets: { all: status.targets, witnessed },
    places: { all: sites.length, found: places },
    emails,
    phones,
    socials,
    politeness,
    forbidden,
    failed,
    isEqual,
    abandoned,
  };
}

function contactsOf(company: Company | undefined, key: "emails" | "phones" | "socials") {
  if (!company) return [];
  if (key === "socials") return Object.values(company.socials);
  return company[key].map(({ value }) => value);
}

function judgePoliteness(
  sites: readonly Site[],
  requests: readonly RegionRequest[],
  delayMs: number,
): PolitenessResult {
  const slow = new Set(
    sites.filter(({ business }) => business.trait === "robots_delay").flatMap(({ hosts }) => hosts),
  );
  const lastByHost = new Map<string, RegionRequest>();
  const early: string[] = [];
  let [gapMsMin, slowGapMsMin] = [Infinity, Infinity];
  for (const request of requests) {
    const { host, path, atMs } = request;
    const last = lastByHost.get(host);
    lastByHost.set(host, request);
    if (!last) continue;
    const gapMs = atMs - last.atMs;
    // What a host wishes is known from its robots.txt on: the gap after that is its own already.
    const isSlow = slow.has(host);
    if (isSlow) slowGapMsMin = Math.min(slowGapMsMin, gapMs);
    else gapMsMin = Math.min(gapMsMin, gapMs);
    const leastMs = (isSlow ? Math.max(delayMs, slowDelayMs) : delayMs) - toleranceMs;
    if (gapMs < leastMs) early.push(`${host}${path} ${gapMs.toFixed(1)} ms after ${last.path}`);
  }
  return {
    hosts: lastByHost.size,
    gapMsMin: finite(gapMsMin),
    delayMs,
    slowGapMsMin: finite(slowGapMsMin),
    slowDelayMs,
    early,
  };
}

const finite = (ms: number) => (ms === Infinity ? undefined : ms);

function forbiddenRequests(sites: readonly Site[], requests: readonly RegionRequest[]) {
  const byHost = new Map(sites.flatMap((site) => site.hosts.map((host) => [host, site] as const)));
  return requests
    .filter(({ host, path }) => {
      const site = byHost.get(host);
      if (path === "/robots.txt") return false;
      return site?.outcome === "robots" || (site?.forbiddenEmail && path.startsWith("/intern/"));
    })
    .map(({ host, path }) => `${host}${path}`);
}
