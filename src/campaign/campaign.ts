import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { CampaignBudget } from "./budget/budget-schema.ts";
import type { PlaceFilters } from "./places/filters.ts";
import type { Point, TagOverrides } from "../sources/index.ts";

/** A validated `campaigns/<name>/config.toml`: what to search for, where, and with which delays. */
export interface Campaign {
  readonly name: string;
  /** In stored form, see `toPhrase`. Without duplicates, in the order of the file. */
  readonly phrases: readonly string[];
  readonly locations: readonly Location[];
  readonly politeness: CampaignPoliteness;
  readonly exclusions: Exclusions;
  /** Which places are visited; absent: all. */
  readonly filters?: PlaceFilters | undefined;
  /** What it may spend; absent: no limit. */
  readonly budget?: CampaignBudget | undefined;
  /** Languages of the phrases, in addition to English; if empty, all languages are tried. */
  readonly languages: readonly string[];
  /** Tags that a person chose for a phrase; they replace those that the matcher finds. */
  readonly tags: TagOverrides;
  /** Relative to the campaign's folder, or absolute. If absent, discovery has no places file. */
  readonly sourceFile: string | undefined;
  readonly fileOptions: FileOptions;
  /** Names given to `forager places import`. */
  readonly imported: readonly string[];
  /** A server to query for places in OpenStreetMap. */
  readonly overpass?: OverpassSettings | undefined;
  readonly freshness: Freshness;
}

/** How to read the places file, if this cannot be detected. */
export interface FileOptions {
  /** Field → column header. */
  readonly columns: Readonly<Record<string, string>>;
  readonly delimiter: string | undefined;
  readonly encoding: string | undefined;
}

export interface OverpassSettings {
  /**
   * The URL of its interpreter. There is no default, because users must first read the rules of the
   * server.
   */
  readonly url: string;
  /** The minimum time from the start of one request to the start of the next. */
  readonly delayMs: number;
  /** How long the answer for a tile is used. */
  readonly snapshotDays: number;
  readonly maxDataAgeDays: number;
  /** The maximum number of requests per day (UTC), of all nodes together. */
  readonly dailyRequests: number;
  readonly dailyBytes: number;
}

/**
 * The source of places: `file`, `overpass`, or the name of an import. Part of witnesses and tasks.
 */
export const fileSourceKey = "file";
export const overpassSourceKey = "overpass";

/**
 * True for a key of a campaign's file, which begins with `file.`. Users cannot choose such names.
 */
export const isFileKey = (key: string): boolean => key === fileSourceKey || key.startsWith("file.");

/**
 * Identifies the campaign's file in the keys of snapshots and witnesses: two campaigns may each
 * have a places.jsonl. Undefined if the campaign has no file.
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
  /**
   * The minimum time between the starts of two requests to one host; if undefined, crawl.delayMs.
   */
  readonly delayMs: number | undefined;
  /** The maximum number of concurrent requests to one host. */
  readonly concurrency: number;
  /** An address or URL for the owners of visited sites; it is part of the User-Agent. */
  readonly contact: string | undefined;
}

/** What is never visited, whatever a source says. */
export interface Exclusions {
  readonly domains: readonly string[];
  readonly names: readonly string[];
  readonly places: readonly string[];
}

export interface Freshness {
  /** How long a tile with places counts as searched. */
  readonly foundDays: number;
  /**
   * The same for a tile without places: shorter, because an empty result is more often a mistake.
   */
  readonly emptyDays: number;
}

/** One rule for all names, because they are used as folders, job names and parts of URLs. */
export const campaignNameRule = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
export const campaignNameWords =
  "1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit";
