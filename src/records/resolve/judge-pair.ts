import { nameSimilarity, shareTellingWord, type ComparedName } from "./name-similarity.ts";

/** The features by which two companies are compared. */
export interface ComparedCompany {
  readonly target: string;
  readonly name: ComparedName;
  /**
   * The name occurs at least three times nearby: a chain, whose branches are different companies.
   */
  readonly isChain: boolean;
  readonly point: { readonly latitude: number; readonly longitude: number } | undefined;
  readonly houseNumber: string | undefined;
  readonly street: string | undefined;
  readonly phones: readonly string[];
  /** Also undefined if it belongs to a portal or a site builder, or is shared by many names. */
  readonly domain: string | undefined;
  /** The kinds of sources of its places: `osm`, `overture`. */
  readonly sources: readonly string[];
}

/** The reasons why two companies may be the same, for users. */
export interface PairEvidence {
  /** 0 to 1. */
  readonly name: number;
  readonly distanceM: number | undefined;
  readonly phone: string | undefined;
  readonly domain: string | undefined;
  readonly sameAddress: boolean;
}

/** "same": certain enough to merge without asking. "review": a user decides. */
export type PairVerdict = "same" | "review" | "different";

const earthRadiusM = 6_371_008.8;
/** With different house numbers, only direct neighbours may still be the same. */
const otherNumber = 0.4;

export function judgePair(
  a: ComparedCompany,
  b: ComparedCompany,
): { readonly verdict: PairVerdict; readonly evidence: PairEvidence } {
  const evidence = evidenceOf(a, b);
  const found = verdictOf(a, b, evidence);
  return { verdict: found === "same" && !maySettle(a, b, evidence) ? "review" : found, evidence };
}

function verdictOf(a: ComparedCompany, b: ComparedCompany, evidence: PairEvidence): PairVerdict {
  const { name, distanceM, phone, domain, sameAddress } = evidence;
  if (phone !== undefined && shareTellingWord(a.name, b.name)) {
    // Branches share a switchboard, but a company has one location.
    return distanceM !== undefined && distanceM <= 1_000 ? "same" : "review";
  }
  if (distanceM !== undefined) {
    const isOther = a.houseNumber !== undefined && b.houseNumber !== undefined && a.houseNumber !== b.houseNumber; // prettier-ignore
    const factor = isOther ? otherNumber : 1;
    const isChain = a.isChain || b.isChain;
    const [sureM, maybeM] = isChain ? [100, 150] : [150, 400];
    if (name >= 0.95 && distanceM <= sureM * factor) return "same";
    if (name >= 0.8 && distanceM <= 60 * factor) return "same";
    if (name >= 0.6 && sameAddress && distanceM <= 300) return "same";
    if (name >= 0.95 && distanceM <= maybeM * factor) return "review";
    if (name >= 0.8 && distanceM <= 100) return "review";
  } else if (name >= 0.95 && sameAddress) return "review";
  // The domain alone never makes two companies the same: chains, franchises, hospitals.
  const isNear = distanceM === undefined || distanceM <= 2_000;
  if (domain !== undefined && name >= 0.5 && isNear) return "review";
  return phone !== undefined && isNear && name >= 0.4 ? "review" : "different";
}

/**
 * The thresholds were measured on pairs from two sources. Companies with different websites need
 * stronger evidence.
 */
function maySettle(a: ComparedCompany, b: ComparedCompany, evidence: PairEvidence): boolean {
  if (a.sources.length === 0 || b.sources.length === 0) return false;
  if (a.sources.some((source) => b.sources.includes(source))) return false;
  const hasOtherSite = a.domain !== undefined && b.domain !== undefined && a.domain !== b.domain;
  const isClear = evidence.phone !== undefined || (evidence.name >= 1 && (evidence.distanceM ?? Infinity) <= 75); // prettier-ignore
  return !hasOtherSite || isClear;
}

function evidenceOf(a: ComparedCompany, b: ComparedCompany): PairEvidence {
  const hasNumber = a.houseNumber !== undefined && a.houseNumber === b.houseNumber;
  return {
    name: Math.round(nameSimilarity(a.name, b.name) * 100) / 100,
    distanceM: a.point && b.point && Math.round(distanceM(a.point, b.point)),
    phone: a.phones.find((phone) => b.phones.includes(phone)),
    domain: a.domain !== undefined && a.domain === b.domain ? a.domain : undefined,
    sameAddress: hasNumber && a.street !== undefined && a.street === b.street,
  };
}

/** Uses a flat-earth approximation, because it is only called for neighbours. */
export function distanceM(
  a: NonNullable<ComparedCompany["point"]>,
  b: NonNullable<ComparedCompany["point"]>,
): number {
  const radians = Math.PI / 180;
  const north = (b.latitude - a.latitude) * radians;
  let longitude = b.longitude - a.longitude;
  if (longitude > 180) longitude -= 360;
  if (longitude < -180) longitude += 360;
  const east = longitude * radians * Math.cos(((a.latitude + b.latitude) / 2) * radians);
  return earthRadiusM * Math.hypot(north, east);
}
