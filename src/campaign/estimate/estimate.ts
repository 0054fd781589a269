/**
 * Estimates a whole campaign, including what is already done. Places are counted in the tile
 * snapshots. A tile without a snapshot gets the average of the others, or a default. Requests,
 * bytes and cost per visit come from earlier visits of this data folder, or from defaults.
 */
import { createHash } from "node:crypto";
import { countOf, formatCount } from "../../base/text/count-words.ts";
import { sourceKeysOf, type Campaign } from "../campaign.ts";
import type { EstimateBasis, EstimateFigure, CampaignEstimate } from "./estimate-schema.ts";
import type { PlaceCounts } from "./place-counts.ts";

export interface EstimateInput {
  readonly campaign: Campaign;
  readonly nowMs: number;
  readonly tiles: number;
  /** Places in the snapshots that each phrase finds. */
  readonly phrases: readonly { readonly phrase: string; readonly found: number }[];
  readonly counts: PlaceCounts;
  /** Fraction of the places in the snapshots that were read; below 1 only in large campaigns. */
  readonly lookedShare: number;
  /** Tiles that have a snapshot, summed over the sources. */
  readonly knownTiles: number;
  /** Tiles for which a server has to be asked. */
  readonly tilesToAsk: number;
  /** Delay between requests to one host if the campaign sets none. */
  readonly delayMs: number;
  /** Tasks that this machine runs concurrently. */
  readonly slots: number;
  readonly past: PastVisits;
  /** Whether requests to the queue and to the fleet's bucket cost money. */
  readonly isCharged: { readonly queue: boolean; readonly bucket: boolean };
}

/** Totals of the visits of this data folder so far. */
export interface PastVisits {
  readonly visits: number;
  readonly requests: number;
  /** Sum over the visits that recorded their size. */
  readonly bytes: number;
  readonly visitsWithBytes: number;
  /** Bucket cost of this node since the first of these visits; undefined if unknown. */
  readonly bucketDollars: number | undefined;
}

/** With fewer past visits, defaults are used. */
const pastVisitsMin = 20;

/** Used if nothing was measured; docs/campaigns.md lists them. */
export const estimateDefaults = {
  /** In a tile of 0.1° without a snapshot. */
  placesPerPhraseAndTile: 5,
  websiteShare: 0.6,
  /** robots.txt, the start page, and pages such as contact, about and imprint. */
  requestsPerVisit: 5,
  bytesPerRequest: 30_000,
  /** Used until a website has answered. */
  secondsPerRequest: 1,
  /** A commit of a busy bucket queue carries several tasks. */
  bucketRequestsPerTask: 0.5,
  dollarsPerBucketRequest: 5e-6,
  /** For the segments and heartbeats of a working node. */
  bucketRequestsPerHour: 420,
};

export function estimateCampaign(input: EstimateInput): CampaignEstimate {
  const { campaign, tilesToAsk } = input;
  const places = placesOf(input);
  const { companies, websites, filtered, suppressed } = companiesOf(input, places.unknown);
  const perVisit = perVisitOf(input.past);
  const websiteRequests = figure(
    websites.value * perVisit.requests.value,
    worse(websites.basis, perVisit.requests.basis),
    `${formatCount(Math.round(websites.value))} websites × ${perVisit.requests.because}`,
  );
  const hours = hoursOf(input, { websiteRequests, perVisit: perVisit.requests.value });
  return {
    format: "forager-campaign-estimate/1",
    campaign: campaign.name,
    at: new Date(input.nowMs).toISOString(),
    plan: planHash(campaign),
    phrases: places.phrases,
    filtered: Math.round(filtered),
    suppressed: Math.round(suppressed),
    tiles: figure(input.tiles, "counted", "tiles of the plan"),
    places: places.all,
    companies,
    websites,
    sourceRequests: figure(
      tilesToAsk,
      "counted",
      tilesToAsk === 0
        ? "every tile has a snapshot"
        : `at least one for each of the ${countOf(tilesToAsk, "tile")} without a snapshot`,
    ),
    websiteRequests,
    hours,
    bytes: figure(
      websites.value * perVisit.bytes.value,
      worse(websites.basis, perVisit.bytes.basis),
      `${formatCount(Math.round(websites.value))} websites × ${perVisit.bytes.because}`,
    ),
    bucketDollars: dollarsOf(input, { websites, websiteRequests, hours }),
  };
}

/** Changes if the campaign is edited so that its estimate is outdated. */
export function planHash(campaign: Campaign): string {
  const { phrases, locations, filters, exclusions } = campaign;
  const tags = [...campaign.tags];
  const plan = [phrases, locations, filters ?? null, exclusions, sourceKeysOf(campaign), tags];
  return createHash("sha256").update(JSON.stringify(plan)).digest("hex").slice(0, 16);
}

function placesOf({ campaign, phrases, lookedShare, knownTiles, tilesToAsk }: EstimateInput) {
  const counted = phrases.map(({ found }) => found / lookedShare);
  const sum = counted.reduce((all, one) => all + one, 0);
  const { placesPerPhraseAndTile } = estimateDefaults;
  const perTile = (at: number) =>
    knownTiles > 0 ? counted[at]! / knownTiles : placesPerPhraseAndTile;
  const isGuess = tilesToAsk > 0;
  const basis: EstimateBasis = isGuess || lookedShare < 1 ? "guess" : "counted";
  const rows = phrases.map(({ phrase }, at) => ({
    phrase,
    places: Math.round(counted[at]! + perTile(at) * tilesToAsk),
    basis,
  }));
  const all = rows.reduce((total, { places }) => total + places, 0);
  const parts = [
    `${formatCount(Math.round(sum))} in ${countOf(knownTiles, "tile snapshot")}`,
    ...(lookedShare < 1 ? [`scaled up from a sample of ${Math.round(lookedShare * 100)} %`] : []),
    ...(isGuess
      ? [
          knownTiles > 0
            ? `${countOf(tilesToAsk, "tile")} without a snapshot, estimated by the average`
            : `a guess of ${placesPerPhraseAndTile} for each phrase in each of ${countOf(tilesToAsk, "tile")} without a snapshot`,
        ]
      : []),
    ...(campaign.phrases.length === 0 ? ["there are no phrases"] : []),
  ];
  return { phrases: rows, all: figure(all, basis, parts.join("; ")), unknown: all - sum };
}

function companiesOf({ counts, lookedShare, phrases }: EstimateInput, unknownPlaces: number) {
  const found = phrases.reduce((sum, one) => sum + one.found, 0);
  const known = counts.companies / lookedShare;
  const share = found > 0 ? counts.companies / found : 1;
  const websiteShare =
    counts.companies > 0 ? counts.websites / counts.companies : estimateDefaults.websiteShare;
  const more = unknownPlaces > 0 ? unknownPlaces * share : 0;
  const basis: EstimateBasis = more > 0 || lookedShare < 1 ? "guess" : "counted";
  const companies = figure(
    known + more,
    basis,
    `places that a phrase finds, each once${leftWords(counts)}`,
  );
  const websites = figure(
    counts.websites / lookedShare + more * websiteShare,
    basis,
    more > 0
      ? `${Math.round(websiteShare * 100)} % of the companies have a website`
      : "companies for which the source gives a website",
  );
  const { filtered, suppressed } = counts;
  const scaled = { filtered: filtered / lookedShare, suppressed: suppressed / lookedShare };
  return { companies, websites, ...scaled };
}

/** Such as `, without 1 excluded, 2 suppressed`. */
function leftWords({ excluded, filtered, suppressed }: PlaceCounts): string {
  const parts = Object.entries({ excluded, filtered, suppressed })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${formatCount(count)} ${what}`);
  return parts.length > 0 ? `, without ${parts.join(", ")}` : "";
}

function perVisitOf({ visits, requests, bytes, visitsWithBytes }: PastVisits) {
  const { requestsPerVisit, bytesPerRequest } = estimateDefaults;
  const isMeasured = visits >= pastVisitsMin;
  const perVisit = isMeasured ? requests / visits : requestsPerVisit;
  const hasBytes = visitsWithBytes >= pastVisitsMin;
  const bytesPerVisit = hasBytes ? bytes / visitsWithBytes : perVisit * bytesPerRequest;
  return {
    requests: figure(
      perVisit,
      isMeasured ? "measured" : "guess",
      isMeasured
        ? `${perVisit.toFixed(1)} requests (${formatCount(visits)} visits so far)`
        : `${requestsPerVisit} requests (a guess: fewer than ${pastVisitsMin} visits so far)`,
    ),
    bytes: figure(
      bytesPerVisit,
      hasBytes ? "measured" : "guess",
      hasBytes
        ? `${formatCount(Math.round(bytesPerVisit))} bytes (${formatCount(visitsWithBytes)} visits so far)`
        : `${formatCount(Math.round(bytesPerVisit))} bytes (a guess)`,
    ),
  };
}

/**
 * Requests to one host are sent one after the other; requests to different hosts run concurrently,
 * up to `slots`.
 */
function hoursOf(
  { campaign, counts, tilesToAsk, delayMs, slots }: EstimateInput,
  {
    websiteRequests,
    perVisit,
  }: { readonly websiteRequests: EstimateFigure; readonly perVisit: number },
): EstimateFigure {
  const { secondsPerRequest } = estimateDefaults;
  const paceMs = campaign.politeness.delayMs ?? delayMs;
  const ofOneHost = websiteRequests.value > 0 ? Math.max(1, counts.websitesOfOneHost) : 0;
  const chainMs =
    (ofOneHost * perVisit * Math.max(paceMs, secondsPerRequest * 1_000)) /
    campaign.politeness.concurrency;
  const workMs = (websiteRequests.value * secondsPerRequest * 1_000) / slots;
  const askMs = campaign.overpass ? tilesToAsk * campaign.overpass.delayMs : 0;
  const pace =
    chainMs > workMs
      ? `${paceMs / 1_000} s between requests to one host; the busiest has ${countOf(ofOneHost, "website")}`
      : `${slots} requests at once on this machine, ${secondsPerRequest} s each (a guess)`;
  const asked =
    askMs > 0
      ? `${countOf(tilesToAsk, "tile")} to request, one every ${campaign.overpass!.delayMs / 1_000} s; `
      : "";
  const value = (askMs + Math.max(chainMs, workMs)) / 3_600_000;
  return figure(value, value === 0 ? "counted" : "guess", `${asked}${pace}`);
}

function dollarsOf(
  { past, isCharged, tiles }: EstimateInput,
  figures: Readonly<Record<"websites" | "websiteRequests" | "hours", EstimateFigure>>,
): EstimateFigure {
  if (!isCharged.queue && !isCharged.bucket) {
    return figure(0, "counted", "no bucket that charges for requests is used");
  }
  const { websites, websiteRequests, hours } = figures;
  if (past.bucketDollars !== undefined && past.visits >= pastVisitsMin) {
    const each = past.bucketDollars / past.visits;
    return figure(
      websites.value * each,
      "measured",
      `$${each.toPrecision(2)} for each website (${formatCount(past.visits)} visits so far, this node)`,
    );
  }
  const { bucketRequestsPerTask, bucketRequestsPerHour, dollarsPerBucketRequest } =
    estimateDefaults;
  const ofQueue = isCharged.queue ? (websiteRequests.value + tiles) * bucketRequestsPerTask : 0;
  const ofLedger = isCharged.bucket ? hours.value * bucketRequestsPerHour : 0;
  return figure(
    (ofQueue + ofLedger) * dollarsPerBucketRequest,
    "guess",
    `${bucketRequestsPerTask} bucket requests for each task and ${bucketRequestsPerHour} an hour, at $5 for a million`,
  );
}

const figure = (value: number, basis: EstimateBasis, because: string): EstimateFigure => ({
  value: value >= 100 ? Math.round(value) : Number(value.toPrecision(4)),
  basis,
  because,
});

const bases: readonly EstimateBasis[] = ["counted", "measured", "guess"];
/** Returns the less reliable of two bases. */
const worse = (a: EstimateBasis, b: EstimateBasis): EstimateBasis =>
  bases.indexOf(a) > bases.indexOf(b) ? a : b;
