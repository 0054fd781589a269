import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { gzipSync } from "node:zlib";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Metrics } from "../../base/metrics.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import {
  createEnrichCounts,
  createFirstVisits,
  firstTask,
  gateOf,
  isVisitFresh,
  paceOf,
  setPace,
  type CampaignServices,
  type CrawlSettings,
  type EnrichServices,
  type KeptPage,
} from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { createFetchCounter, type Fetcher } from "../../crawl/index.ts";
import type { HttpFetcherOptions } from "../../crawl/adapters/http/http-fetcher.ts";
import type { NodeLedger, NodeRecords } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { visitRecordOf } from "../../records/index.ts";
import { createSiteSettings } from "./site-settings.ts";
import { createFolderRobotsCache } from "./folder-robots-cache.ts";
import { openFetcher } from "./open-fetcher.ts";
import { createJobPauser } from "../outcome/paused-jobs.ts";

export interface EnrichServicesOptions {
  readonly paths: Paths;
  readonly clock: Clock;
  readonly log: Logger;
  readonly ledger: Pick<NodeLedger, "read" | "suppressed">;
  readonly records: Pick<NodeRecords, "write">;
  readonly queue: Pick<Queue, "gate" | "setGate" | "pause">;
  readonly crawl: Settings["crawl"];
  readonly metrics: Metrics;
  readonly campaign: EnrichServices["campaign"];
  /** The version of this program, for the User-Agent. */
  readonly version: string;
  /** Resolves names; default: the resolver of the system. */
  readonly resolve?: HttpFetcherOptions["resolve"];
}

export interface OpenEnrichServices extends EnrichServices, AsyncDisposable {
  /**
   * The task that visits a company found by a campaign; undefined if its last visit is still valid.
   */
  readonly enrichTask: CampaignServices["enrichTask"];
}

/** The services of website visits for a data folder. */
export function createEnrichServices(options: EnrichServicesOptions): OpenEnrichServices {
  const { paths, clock, ledger, records, queue, metrics } = options;
  const crawl: CrawlSettings = { ...options.crawl, contact: options.crawl.contact };
  const fetchers = createFetchers(options);
  const services: EnrichServices = {
    clock,
    ledger,
    sites: createSiteSettings({ queue, clock, metrics }),
    crawl,
    write: async (commit) => void (await records.write(commit)),
    campaign: options.campaign,
    fetcher: async (contact) => fetchers.of(contact),
    robots: createFolderRobotsCache({ paths, clock, metrics }),
    counts: createEnrichCounts(metrics),
    visitEnded: createFirstVisits(createJobPauser(options)),
    ...(options.crawl.keepHtmlBytes > 0 && {
      keepPage: (page) => keepPage(paths, page, options.crawl.keepHtmlBytes),
    }),
  };
  return {
    ...services,
    async enrichTask({ campaign, target, website }) {
      const view = await ledger.read(target);
      const record = visitRecordOf(view);
      const own = view.fields.find(({ field }) => field === "ttlDays")?.value;
      const ttlDays = typeof own === "number" ? own : crawl.ttlDays;
      if (isVisitFresh(record, { ttlDays, nowMs: clock.nowMs() })) return undefined;
      await setPace(services, gateOf(website), paceOf(services, { campaign, url: website }));
      const round = record?.at ?? "first";
      return firstTask({ job: campaign.name, round, campaign: campaign.name, target, website });
    },
    [Symbol.asyncDispose]: () => fetchers.close(),
  };
}

/** One fetcher per contact sent to sites, so that connections are shared. */
function createFetchers({ crawl, metrics, version, clock, log, resolve }: EnrichServicesOptions) {
  const allowPrivateNetworks =
    crawl.allowPrivateNetworks === "" ? [] : crawl.allowPrivateNetworks.split(",");
  const byContact = new Map<string, Promise<Fetcher>>();
  const counted = createFetchCounter(metrics);
  const browser = { mode: crawl.browser, executable: crawl.browserPath, log };
  const common = { version, allowPrivateNetworks, clock, browser, ...(resolve && { resolve }) };
  const open = async (contact: string) => counted(await openFetcher({ ...common, contact }));
  const of = (contact: string | undefined): Promise<Fetcher> | undefined => {
    if (contact === undefined) return undefined;
    const fetcher = byContact.get(contact) ?? open(contact);
    byContact.set(contact, fetcher);
    return fetcher;
  };
  const close = async () => {
    for (const fetcher of byContact.values()) await (await fetcher)[Symbol.asyncDispose]();
  };
  return { of, close };
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

/**
 * Stores `pages/<company>/<url>.html.gz` with hashed names: text from a site never becomes a path.
 */
async function keepPage(paths: Paths, { target, url, body }: KeptPage, bytesMax: number) {
  const file = paths.resolve("pages", hash(target), `${hash(url)}.html.gz`);
  makeFolder(dirname(file), { mode: 0o700 });
  await writeFileAtomic(file, gzipSync(body.subarray(0, bytesMax)));
}
