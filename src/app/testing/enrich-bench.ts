/**
 * A data folder with queue, ledger and records, and a worker that visits websites on loopback under
 * their own host names. Everything is real except the name resolution.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { silentLogger, type Logger } from "../../base/log/logger.ts";
import { createMetrics } from "../../base/metrics.ts";
import { createEnrichHandler, firstTask, openCampaignFolder } from "../../campaign/index.ts";
import { createPaths, type Settings } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";
import type { NodeLedger, NodeRecords } from "../../node/index.ts";
import { createWorker } from "../../worker/index.ts";
import { createEnrichServices } from "../enrich/enrich-services.ts";
import { openQueue } from "../queue/open-queue.ts";
import { openNodeIn } from "../node/open-node.ts";

export interface EnrichBench extends AsyncDisposable {
  readonly folder: string;
  readonly queue: Queue;
  readonly ledger: NodeLedger;
  readonly records: NodeRecords;
  /** Creates a company with a website, and the task that visits it. Returns the target. */
  plant(website: string, more?: PlantOptions): Promise<string>;
  visit(target: string, website: string, more?: VisitOptions): Promise<void>;
  /** Works until no tasks are left. */
  work(): Promise<void>;
  /** Warnings that workers logged. */
  readonly warnings: readonly string[];
  fieldsOf(target: string): Promise<Readonly<Record<string, unknown>>>;
}

export interface PlantOptions {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly isVisited?: boolean;
}

export interface VisitOptions {
  readonly round?: string;
  readonly after?: string;
}

export const testCrawl: Settings["crawl"] = {
  contact: "https://crawler.example/about",
  delayMs: 1,
  pages: 8,
  bytes: 5_000_000,
  seconds: 60,
  deobfuscate: "simple",
  ttlDays: 90,
  allowPrivateNetworks: "127.0.0.1",
  browser: "off",
  keepHtmlBytes: 0,
};

export async function openEnrichBench(
  crawl: Partial<Settings["crawl"]> = {},
): Promise<EnrichBench> {
  const folder = mkdtempSync(join(tmpdir(), "forager-enrich-"));
  const paths = createPaths(folder);
  const queue = await openQueue(`sqlite:${join(folder, "queue.db")}`, { durability: "normal" });
  const given = { paths, log: silentLogger, user: "tester", version: "1.0" };
  const node = await openNodeIn({ ...given, kind: "command" });
  const { ledger, records } = node.api;
  const warnings: string[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
  };
  let made = 0;
  const bench: EnrichBench = {
    folder,
    queue,
    ledger,
    records,
    warnings,
    async plant(website, { fields = {}, isVisited = true } = {}) {
      const name = `Company ${++made}`;
      const all = { name, place: `t/${made}`, website, ...fields };
      const { target } = await records.create({ source: `place:t/${made}`, fields: all });
      if (isVisited) await bench.visit(target, website);
      return target;
    },
    async visit(target, website, { round = "first", after } = {}) {
      const task = firstTask({ job: "test", round, target, website, ...(after && { after }) });
      await queue.add([task]);
    },
    async work() {
      await using services = createEnrichServices({
        paths,
        log,
        clock: systemClock,
        ledger,
        records,
        queue,
        crawl: { ...testCrawl, ...crawl },
        metrics: createMetrics(),
        campaign: (name) => openCampaignFolder(paths).load(name),
        version: "1.0",
        resolve: async () => ["127.0.0.1"],
      });
      const handlers = [createEnrichHandler()];
      const options = { queue, handlers, services, drain: true, concurrency: 8, name: "w" };
      const worker = createWorker({ ...options, leaseMs: 5_000 });
      await worker.start();
      await worker.ended;
      await worker.stop();
    },
    async fieldsOf(target) {
      const { fields } = await ledger.read(target);
      return Object.fromEntries(fields.map(({ field, value }) => [field, value]));
    },
    async [Symbol.asyncDispose]() {
      await node.close();
      await queue[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return bench;
}
