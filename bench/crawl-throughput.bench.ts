import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import { ratio } from "./frame/statistics.ts";
import type { CrawleeInput } from "./peers/crawlee.ts";
import type { CrawlInput } from "./sites/crawl-input.ts";

const ours = new URL("./ours/crawl-side.ts", import.meta.url);
const crawlee = new URL("./peers/crawlee.ts", import.meta.url);
const input: CrawlInput = {
  shape: { pages: 200, links: 20, bytes: 12_000 },
  hosts: 10,
  delayMs: 0,
  concurrency: 50,
};

export const bench: Bench = {
  name: "crawl-throughput",
  summary: "pages per CPU-second with politeness off and a durable queue, beside Crawlee's",
  bars: { pagesPerCpuSVsCrawlee: { min: 5 }, rssMb: { max: 250 } },
  peers: ["@crawlee/cheerio"],
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: {
        forager: () => pages(ours, input),
        crawlee: () => pages(crawlee, { ...input, isPersisted: true }),
      },
      repetitions,
      log,
    });
    return {
      values: {
        pagesPerCpuSVsCrawlee: ratio(runs.forager["pagesPerCpuS"]!, runs.crawlee["pagesPerCpuS"]!),
        pagesPerCpuS: runs.forager["pagesPerCpuS"]!,
        pagesPerS: runs.forager["pagesPerS"]!,
        rssMb: runs.forager["rssMb"]!,
        crawleePagesPerCpuS: runs.crawlee["pagesPerCpuS"]!,
        crawleePagesPerS: runs.crawlee["pagesPerS"]!,
        crawleeRssMb: runs.crawlee["rssMb"]!,
      },
      notes: [
        `${input.hosts} hosts of ${input.shape.pages} pages of 12 KB with ${input.shape.links} links each, ${input.concurrency} at once`,
        "ours: worker, SQLite queue, HTTP fetcher, links by htmlparser2; Crawlee: CheerioCrawler, persistStorage, enqueueLinks",
      ],
    };
  },
};

async function pages(module: URL, side: CrawlInput | CrawleeInput) {
  const { elapsedMs, measured, rssBytesMax } = await runSide({
    module,
    side: "crawl",
    input: side,
  });
  const count = measured["pages"]!;
  return {
    pagesPerCpuS: count / measured["cpuS"]!,
    pagesPerS: count / (elapsedMs / 1_000),
    rssMb: rssBytesMax / 1024 / 1024,
  };
}
