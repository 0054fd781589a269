import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Metrics } from "../base/metrics.ts";
import {
  createDetailsHandler,
  createDiscoverHandler,
  createEnrichHandler,
  type CampaignServices,
  type EnrichServices,
} from "../campaign/index.ts";
import type { Paths, Settings } from "../config/index.ts";
import type { Queue } from "../queue/index.ts";
import type { Handler } from "../worker/index.ts";
import { createCampaignServices } from "./campaign-services.ts";
import { createEnrichServices, type EnrichServicesOptions } from "./enrich-services.ts";
import { openRecordsIn } from "./open-records.ts";
import { createRecordCompanies } from "./record-companies.ts";

export type BuiltInServices = CampaignServices & EnrichServices;

export interface BuiltInWorkOptions extends Pick<EnrichServicesOptions, "version" | "resolve"> {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Logger;
  readonly queue: Queue;
  readonly crawl: Settings["crawl"];
  readonly metrics: Metrics;
  /** Who edits files here. */
  readonly user: string;
}

/** The kinds that every worker can do, and what they work with in a data folder. */
export interface BuiltInWork extends AsyncDisposable {
  readonly handlers: readonly Handler<BuiltInServices>[];
  readonly services: BuiltInServices;
}

/**
 * `discover`, `details` and `enrich`. Ledger and records are opened by the first task that needs
 * them, so that a worker with other kinds alone pays nothing for these.
 */
export function createBuiltInWork(options: BuiltInWorkOptions): BuiltInWork {
  const { paths, clock, log, queue, user } = options;
  let opening: ReturnType<typeof openRecordsIn> | undefined;
  const opened = () =>
    (opening ??= openRecordsIn({ paths, log, user }).catch((error: unknown) => {
      opening = undefined; // the next task tries again
      throw error;
    }));
  const ledger: CampaignServices["ledger"] = {
    read: async (target) => (await opened()).ledger.read(target),
    // Witnesses and the like: no record shows them.
    write: async (commit) => (await opened()).ledger.write(commit),
    isForgotten: async (key) => (await opened()).ledger.isForgotten(key),
  };
  const records: Parameters<typeof createRecordCompanies>[0]["records"] = {
    create: async (request) => (await opened()).records.create(request),
    write: async (commit) => (await opened()).records.write(commit),
  };
  const enrich = createEnrichServices({ ...options, ledger, records });
  const companies = createRecordCompanies({ records, ledger });
  const campaign = createCampaignServices({
    paths,
    clock,
    ledger,
    queue,
    companies,
    enrichTask: enrich.enrichTask,
  });
  return {
    handlers: [createDiscoverHandler(), createDetailsHandler(), createEnrichHandler()],
    services: { ...enrich, ...campaign },
    async [Symbol.asyncDispose]() {
      await enrich[Symbol.asyncDispose]();
      const open = await opening?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
    },
  };
}
