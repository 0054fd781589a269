/**
 * Crawlee 3.18's CheerioCrawler. Its delay between requests to one domain is `sameDomainDelaySecs`;
 * its durable queue is `persistStorage`. Statistics and logs off, robots.txt not asked for, on either
 * side. Names lead to the loopback server by its own hook; it takes no delay for bare addresses.
 */
import { strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { CheerioCrawler, Configuration, LogLevel, log } from "@crawlee/cheerio";
import type { Side } from "../frame/side.ts";
import { startCpu, type CrawlInput } from "../sites/crawl-input.ts";
import { earlyGaps, hostName, startSites } from "../sites/start-sites.ts";

export interface CrawleeInput extends CrawlInput {
  readonly isPersisted: boolean;
}

export const crawl: Side<CrawleeInput> = async (input, { folder }) => {
  log.setLevel(LogLevel.OFF);
  const sites = await startSites(input.shape);
  const pages = input.hosts * input.shape.pages;
  let handled = 0;
  const crawler = new CheerioCrawler(
    {
      minConcurrency: input.concurrency,
      maxConcurrency: input.concurrency,
      maxRequestsPerCrawl: pages,
      ...(input.delayMs > 0 && { sameDomainDelaySecs: input.delayMs / 1_000 }),
      useSessionPool: false,
      preNavigationHooks: [
        (_, options) => {
          options.http2 = false;
          options.dnsLookup = (_name, { all }, callback) => {
            const address = "127.0.0.1";
            if (all) callback(null, [{ address, family: 4 }]);
            else callback(null, address, 4);
          };
        },
      ],
      async requestHandler(context) {
        handled += 1;
        await context.enqueueLinks();
      },
    },
    new Configuration({
      persistStorage: input.isPersisted,
      purgeOnStart: true,
      storageClientOptions: { localDataDirectory: join(folder, "crawlee") },
    }),
  );
  const seeds = Array.from(
    { length: input.hosts },
    (_, at) => `http://${hostName(at)}:${sites.port}/p/0`,
  );
  return {
    async run() {
      const cpu = startCpu();
      await crawler.run(seeds);
      const cpuS = cpu();
      const served = await sites.log();
      return { pages, cpuS, early: earlyGaps(served, input.delayMs), gapMsMin: served.gapsMs[0]! };
    },
    async check() {
      const served = await sites.log();
      sites.stop();
      strictEqual(handled, pages, "pages handled");
      strictEqual(served.requests, pages, "pages served");
    },
  };
};
