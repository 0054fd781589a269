import type { Clock } from "../base/clock.ts";
import type { Ledger } from "../ledger/index.ts";
import type { LeaseRef, TaskInput } from "../queue/index.ts";
import type { CompiledPhrases, PlaceSource, SnapshotRelease } from "../sources/index.ts";
import type { CompanyLimit } from "./budget/company-limit.ts";
import type { Campaign } from "./campaign.ts";
import type { ClosingServices } from "./closed-places.ts";
import type { CompanyWriter } from "./company-writer.ts";

/** One whose places are known beforehand says its release; a file that has changed is cut first. */
export interface CampaignSource extends PlaceSource {
  readonly release?: (signal?: AbortSignal) => Promise<SnapshotRelease>;
}

/** What the handlers of campaigns need of the program that runs them. */
export interface CampaignServices {
  readonly clock: Clock;
  /** A request to a website or a place server goes out: the job counts it. Absent: nobody counts. */
  readonly countRequest?: (() => void) | undefined;
  readonly ledger: Pick<Ledger, "read" | "write" | "suppressed">;
  readonly companies: CompanyWriter;
  /** Every company that a campaign finds is written through it. Absent: no limit. */
  readonly companyLimit?: CompanyLimit;
  /** Absent: companies whose place is gone stay as they are. */
  readonly closing?: ClosingServices | undefined;
  /** As its file is now, so that a change of exclusions counts at once. */
  readonly campaign: (name: string) => Promise<Campaign>;
  /** `source` is `file`, or the name of what was imported. */
  readonly places: (campaign: Campaign, source: string) => Promise<CampaignSource>;
  /** What its phrases stand for. */
  readonly phrases: (campaign: Campaign) => CompiledPhrases;
  /** Stores tasks under the lease of the one that asks. Safe to repeat. */
  readonly addTasks: (tasks: readonly TaskInput[], by: LeaseRef) => Promise<void>;
  /** The task that looks at a website; undefined: none is wanted. */
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
