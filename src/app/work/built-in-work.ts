import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import {
  createBudgetGuard,
  createCompanyLimit,
  createDetailsHandler,
  createDiscoverHandler,
  createEnrichHandler,
  createResolveHandler,
  createTopUpHandler,
  discoverKind,
  openCampaignFolder,
  withinBudget,
  type BudgetServices,
  type CampaignServices,
  type EnrichServices,
  type ResolveServices,
  type TopUpServices,
} from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import type { EventPublisher } from "../../notify/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { Handler } from "../../worker/index.ts";
import { createBudgetSources } from "../campaign/budget-sources.ts";
import { createCampaignLookup } from "../campaign/campaign-lookup.ts";
import { createCampaignServices } from "../campaign/campaign-services.ts";
import { createEnrichServices, type EnrichServicesOptions } from "../enrich/enrich-services.ts";
import { createTopUpServices } from "../campaign/top-up-services.ts";
import { openPlaces, type Places } from "../places/open-places.ts";
import { createRecordCompanies } from "../places/record-companies.ts";
import { createTileCompanies } from "../places/tile-companies.ts";

export type BuiltInServices = CampaignServices &
  EnrichServices &
  ResolveServices &
  TopUpServices &
  BudgetServices;

export interface BuiltInWorkOptions extends Pick<EnrichServicesOptions, "version" | "resolve"> {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Logger;
  readonly queue: Queue;
  /** The address of the queue; absent: its commits cost nothing. */
  readonly queueUrl?: string;
  readonly crawl: Settings["crawl"];
  readonly metrics: Metrics;
  readonly node: Pick<NodeApi, "ledger" | "records">;
  /** Where snapshots of places are stored; absent: in the data folder. */
  readonly bucket?: Settings["bucket"];
  /** Gets an event when the budget of a campaign is reached. Absent: no events. */
  readonly publisher?: EventPublisher;
}

/** The handlers that every worker has, and their services for a data folder. */
export interface BuiltInWork extends AsyncDisposable {
  readonly handlers: readonly Handler<BuiltInServices>[];
  readonly services: BuiltInServices;
}

/**
 * `discover`, `details`, `enrich`, `resolve` and `dispatch`. Facts are sent to the owner of the
 * data folder.
 */
export function createBuiltInWork(options: BuiltInWorkOptions): BuiltInWork {
  const { paths, clock, log, queue } = options;
  const { ledger, records } = options.node;
  const folder = openCampaignFolder(paths);
  const campaignOf = createCampaignLookup({ ...options, folder });
  const enrich = createEnrichServices({ ...options, ledger, records, campaign: campaignOf });
  const companies = createRecordCompanies({ records });
  let places: Promise<Places> | undefined;
  const placesHere = () =>
    (places ??= openPlaces({ paths, bucket: options.bucket, contact: options.crawl.contact, log }));
  const campaign = createCampaignServices({
    paths,
    clock,
    ledger,
    queue,
    companies,
    closing: createTileCompanies({ records, clock }),
    campaign: campaignOf,
    places: placesHere,
    enrichTask: enrich.enrichTask,
  });
  const queueUrl = options.queueUrl ?? "";
  const sources = createBudgetSources({ queue, queueUrl, paths, clock, ledger, records });
  const budget = createBudgetGuard({
    sources,
    queue,
    clock,
    async onStop(name, text, { reached, limits }) {
      options.log.error(`campaign ${name}: ${text}`, { campaign: name });
      const limit = limits.find((one) => one.limit === reached);
      const key = `${name} ${reached} ${limit?.max}`;
      const data = { campaign: name, limit: reached, max: limit?.max, spent: limit?.spent };
      await options.publisher
        ?.publish({ type: "budget.reached", key, atMs: clock.nowMs(), data })
        .catch((error: unknown) => options.log.warn("a webhook event could not be added", { error })); // prettier-ignore
    },
  });
  return {
    handlers: [
      withinBudget<BuiltInServices>(createDiscoverHandler()),
      withinBudget<BuiltInServices>(createDetailsHandler()),
      withinBudget<BuiltInServices>(createEnrichHandler()),
      createResolveHandler(),
      createTopUpHandler(),
    ],
    services: {
      ...enrich,
      ...campaign,
      ...createTopUpServices({ folder, campaign: campaignOf, queue, ledger, clock, placesHere }),
      budget,
      companyLimit: createCompanyLimit(sources),
      duplicates: records,
      async isDiscovering(job) {
        const states = ["pending", "running"] as const;
        return (await queue.browse({ states, kind: discoverKind, job, limit: 1 })).length > 0;
      },
    },
    async [Symbol.asyncDispose]() {
      await budget[Symbol.asyncDispose]();
      await enrich[Symbol.asyncDispose]();
      await (await places)?.close();
    },
  };
}
