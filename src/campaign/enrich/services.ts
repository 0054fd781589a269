import type { Clock } from "../../base/clock.ts";
import type { Fetcher, RobotsCache } from "../../crawl/index.ts";
import type { Deobfuscate } from "../../extract/index.ts";
import type { Commit, Ledger } from "../../ledger/index.ts";
import type { GateSettings } from "../../queue/index.ts";
import type { Campaign } from "../campaign.ts";
import type { EnrichCounts } from "./enrich-counts.ts";
import type { EndedVisit } from "./first-visits.ts";

/** What the program provides for visits of websites. */
export interface EnrichServices {
  readonly clock: Clock;
  /** Counts a request to a website for the job. If absent, requests are not counted. */
  readonly countRequest?: (() => void) | undefined;
  readonly ledger: Pick<Ledger, "read" | "suppressed">;
  /**
   * Writes facts, then updates everything derived from them. Safe to repeat: values that do not
   * change are not written.
   */
  readonly write: (commit: Commit) => Promise<void>;
  readonly sites: SiteSettings;
  readonly campaign: (name: string) => Promise<Campaign>;
  /** A fetcher that sends this contact to sites; undefined if no contact is configured. */
  readonly fetcher: (contact: string | undefined) => Promise<Fetcher | undefined>;
  readonly robots: RobotsCache;
  readonly crawl: CrawlSettings;
  readonly counts: EnrichCounts;
  /**
   * Called when a visit of a job has ended, to pause a job whose first visits all fail for the same
   * reason.
   */
  readonly visitEnded: (job: string, visit: EndedVisit) => Promise<void>;
  /** Keeps a page as it was received. If absent, pages are not kept. */
  readonly keepPage?: (page: KeptPage) => Promise<void>;
}

/** The delay and limit of each host, as the queue has them. Values may be some seconds old. */
export interface SiteSettings {
  get(gate: string): Promise<GateSettings | undefined>;
  set(gate: string, settings: Partial<GateSettings>): Promise<void>;
  /** Drops the cached value of this gate: the next `get` asks the queue. */
  forget(gate: string): void;
}

export interface CrawlSettings {
  /** The delay between requests to one host, if the campaign sets none. */
  readonly delayMs: number;
  readonly contact: string | undefined;
  readonly pages: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly deobfuscate: Deobfuscate;
  /** How long a visit is valid, if the company has no `ttlDays` of its own. */
  readonly ttlDays: number;
}

export interface KeptPage {
  readonly target: string;
  readonly url: string;
  readonly body: Uint8Array;
}
