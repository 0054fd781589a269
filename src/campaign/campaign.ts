import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { CampaignBudget } from "./budget/budget-schema.ts";
import type { PlaceFilters } from "./filters.ts";
import type { Point, TagOverrides } from "../sources/index.ts";

/** What is looked for, where, and how politely: `campaigns/<name>/config.toml`, checked. */
export interface Campaign {
  readonly name: string;
  /** As they are stored: see `toPhrase`. Each once, in the order of the file. */
  readonly phrases: readonly string[];
  readonly locations: readonly Location[];
  readonly politeness: CampaignPoliteness;
  readonly exclusions: Exclusions;
  /** Which places are worth a visit; absent: all. */
  readonly filters?: PlaceFilters | undefined;
  /** What it may spend; absent: as much as it takes. */
  readonly budget?: CampaignBudget | undefined;
  /** Of the phrases, beside English; none: all are tried. */
  readonly languages: readonly string[];
  /** What a person chose for phrases, instead of what the matcher says. */
  readonly tags: TagOverrides;
  /** Absent: nothing can be discovered yet. Relative to the campaign's folder, or absolute. */
  readonly sourceFile: string | undefined;
  readonly fileOptions: FileOptions;
  /** Names of `forager places import`. */
  readonly imported: readonly string[];
  /** A server that is asked for OpenStreetMap's places. */
  readonly overpass?: OverpassSettings | undefined;
  readonly freshness: Freshness;
}

/** How the file of places is to be read, where that cannot be found out. */
export interface FileOptions {
  /** Field → header. */
  readonly columns: Readonly<Record<string, string>>;
  readonly delimiter: string | undefined;
  readonly encoding: string | undefined;
}

export interface OverpassSettings {
  /** Of its interpreter. There is no default: whoever asks a server has read its rules. */
  readonly url: string;
  /** From the start of one request to the start of the next. */
  readonly delayMs: number;
  /** How long the answer for a tile is used. */
  readonly snapshotDays: number;
  readonly maxDataAgeDays: number;
  /** On one day (UTC), of all nodes together. */
  readonly dailyRequests: number;
  readonly dailyBytes: number;
}

/** Where a campaign asks: `file`, `overpass`, or the name of what was imported. Part of witnesses and tasks. */
export const fileSourceKey = "file";
export const overpassSourceKey = "overpass";

/** Of names that only Forager gives: the file of a campaign has one that begins with `file.`. */
export const isFileKey = (key: string): boolean => key === fileSourceKey || key.startsWith("file.");

/**
 * Names the file of a campaign in keys of snapshots and witnesses: two campaigns may both have a
 * places.jsonl. Undefined: the campaign has no file.
 */
export function placeFileKey({
  name,
  sourceFile,
}: Pick<Campaign, "name" | "sourceFile">): string | undefined {
  if (sourceFile === undefined) return undefined;
  const short = name.slice(0, 40).replace(/-$/, "");
  const named = short === name ? basename(sourceFile) : `${name}/${basename(sourceFile)}`;
  const hash = createHash("sha256").update(named).digest("hex").slice(0, 8);
  return `file.${short}.${hash}`;
}

type Sources = Pick<Campaign, "sourceFile" | "imported" | "overpass">;

export const hasSource = ({ sourceFile, imported, overpass }: Sources): boolean =>
  sourceFile !== undefined || imported.length > 0 || overpass !== undefined;

export const sourceKeysOf = (campaign: Sources): readonly string[] => [
  ...(campaign.sourceFile !== undefined || !hasSource(campaign) ? [fileSourceKey] : []),
  ...campaign.imported,
  ...(campaign.overpass ? [overpassSourceKey] : []),
];

export interface Location extends Point {
  readonly name: string;
  readonly proximityKm: number;
}

export interface CampaignPoliteness {
  /** From the start of one request to a host to the start of the next; undefined: crawl.delayMs. */
  readonly delayMs: number | undefined;
  /** Requests to one host at once. */
  readonly concurrency: number;
  /** An address or URL for those whose sites are visited; it is part of the User-Agent. */
  readonly contact: string | undefined;
}

/** What is left alone, whatever a source says. */
export interface Exclusions {
  readonly domains: readonly string[];
  readonly names: readonly string[];
  readonly places: readonly string[];
}

export interface Freshness {
  /** How long a tile that had places counts as done. */
  readonly foundDays: number;
  /** How long one that had none does: shorter, since that is more often a mistake. */
  readonly emptyDays: number;
}

/** One rule for all names: they are folders, jobs and parts of URLs. */
export const campaignNameRule = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const campaignNameWords =
  "1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit";
