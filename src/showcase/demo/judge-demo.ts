import type { CampaignStatus } from "../../campaign/index.ts";
import type { Company } from "../../records/index.ts";
import type { RegionRequest } from "../fake-web/region-server.ts";
import { scoreOf, expectedOf, type Score } from "../fake-web/expected-data.ts";
import type { Site } from "../fake-web/site.ts";

/**
 * The results of a demo, to be checked against the expected data of the region and the web server's
 * own log.
 */
export interface Evidence {
  readonly sites: readonly Site[];
  readonly requests: readonly RegionRequest[];
  readonly companies: readonly Company[];
  readonly status: CampaignStatus;
  /** Tasks that failed. */
  readonly failed: number;
  readonly delayMs: number;
  /** Digests of the data on each node's disk. */
  readonly digests: readonly string[];
  /** Leases of a dead node that no other node took over. */
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
  /** URLs that were fetched although robots.txt forbids it: host and path. */
  readonly forbidden: readonly string[];
  readonly failed: number;
  /** Whether all nodes have the same data. */
  readonly isEqual: boolean;
  readonly abandoned: number;
}

export interface PolitenessResult {
  readonly hosts: number;
  /** The shortest time between two requests to a host without a crawl delay. */
  readonly gapMsMin: number | undefined;
  readonly delayMs: number;
  /** The same for hosts whose robots.txt asks for a longer delay. */
  readonly slowGapMsMin: number | undefined;
  readonly slowDelayMs: number;
  /** Pairs of requests that were too close. */
  readonly early: readonly string[];
}

/** The tolerance for timers and clocks of two processes. */
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
    // A host's own delay is known after its robots.txt, so it applies to the first gap after that.
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
