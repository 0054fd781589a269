import type { Clock } from "../base/clock.ts";
import type { Ledger } from "../ledger/index.ts";
import type { LeaseRef, TaskInput } from "../queue/index.ts";
import type { CompiledPhrases, PlaceSource, SnapshotRelease } from "../sources/index.ts";
import type { CompanyLimit } from "./budget/company-limit.ts";
import type { Campaign } from "./campaign.ts";
import type { ClosingServices } from "./places/closed-places.ts";
import type { CompanyWriter } from "./places/company-writer.ts";

/**
 * A source whose places are stored in advance has a release. A file that has changed is processed
 * first.
 */
export interface CampaignSource extends PlaceSource {
  readonly release?: (signal?: AbortSignal) => Promise<SnapshotRelease>;
}

/** What the program provides for the handlers of campaigns. */
export interface CampaignServices {
  readonly clock: Clock;
  /**
   * Counts a request to a website or a place server for the job. If absent, requests are not
   * counted.
   */
  readonly countRequest?: (() => void) | undefined;
  readonly ledger: Pick<Ledger, "read" | "write" | "suppressed">;
  readonly companies: CompanyWriter;
  /** All companies that a campaign finds are written through it. Absent: no limit. */
  readonly companyLimit?: CompanyLimit;
  /** If absent, companies whose place is gone are not marked as closed. */
  readonly closing?: ClosingServices | undefined;
  /** Reads the current file, so that a change of exclusions applies at once. */
  readonly campaign: (name: string) => Promise<Campaign>;
  /** `source` is `file`, or the name of an import. */
  readonly places: (campaign: Campaign, source: string) => Promise<CampaignSource>;
  /** The compiled phrases of a campaign. */
  readonly phrases: (campaign: Campaign) => CompiledPhrases;
  /** Stores tasks under the lease of the current task. Safe to repeat. */
  readonly addTasks: (tasks: readonly TaskInput[], by: LeaseRef) => Promise<void>;
  /** The task that visits a website; undefined if no visit is needed. */
  readonly enrichTask: (
    company: CompanyToEnrich,
  ) => Promise<TaskInput | undefined> | TaskInput | undefined;
}

export interface CompanyToEnrich {
  readonly campaign: Campaign;
  readonly target: string;
  readonly website: string;
  readonly domain: string | undefined;
}
