import type { Clock } from "../../base/clock.ts";
import type { Fetcher, RobotsCache } from "../../crawl/index.ts";
import type { Deobfuscate } from "../../extract/index.ts";
import type { Commit, Ledger } from "../../ledger/index.ts";
import type { GateSettings } from "../../queue/index.ts";
import type { Campaign } from "../campaign.ts";
import type { EnrichCounts } from "./enrich-counts.ts";
import type { EndedVisit } from "./first-visits.ts";

/** What visits of websites need of the program that runs them. */
export interface EnrichServices {
  readonly clock: Clock;
  /** A request to a website goes out: the job counts it. Absent: nobody counts. */
  readonly countRequest?: (() => void) | undefined;
  readonly ledger: Pick<Ledger, "read" | "suppressed">;
  /** Facts, and then whatever shows them. Safe to repeat: what changes nothing is not written. */
  readonly write: (commit: Commit) => Promise<void>;
  readonly sites: SiteSettings;
  readonly campaign: (name: string) => Promise<Campaign>;
  /** Asks in the name of a contact; undefined where nobody said whom sites may write to. */
  readonly fetcher: (contact: string | undefined) => Promise<Fetcher | undefined>;
  readonly robots: RobotsCache;
  readonly crawl: CrawlSettings;
  readonly counts: EnrichCounts;
  /** A visit of this job has ended: a job whose first visits all fail alike is paused. */
  readonly visitEnded: (job: string, visit: EndedVisit) => Promise<void>;
  /** Keeps a page as it came. Absent: pages are not kept. */
  readonly keepPage?: (page: KeptPage) => Promise<void>;
}

/** How hosts are paced, as the queue has it. Answers may be some seconds old. */
export interface SiteSettings {
  get(gate: string): Promise<GateSettings | undefined>;
  set(gate: string, settings: Partial<GateSettings>): Promise<void>;
  /** What is remembered of this gate is wrong: the next `get` asks the queue. */
  forget(gate: string): void;
}

export interface CrawlSettings {
  /** From one request to a host to the next, where no campaign says otherwise. */
  readonly delayMs: number;
  readonly contact: string | undefined;
  readonly pages: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly deobfuscate: Deobfuscate;
  /** How long a visit counts, where the company has no `ttlDays` of its own. */
  readonly ttlDays: number;
}

export interface KeptPage {
  readonly target: string;
  readonly url: string;
  readonly body: Uint8Array;
}
