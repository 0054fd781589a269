import type { Bench } from "./frame/bench.ts";
import { interleave } from "./frame/interleave.ts";
import { runSide } from "./frame/run-sides.ts";
import { spread } from "./frame/statistics.ts";
import type { CrawleeInput } from "./peers/crawlee.ts";
import type { CrawlInput } from "./sites/crawl-input.ts";

const ours = new URL("./ours/crawl-side.ts", import.meta.url);
const crawlee = new URL("./peers/crawlee.ts", import.meta.url);
const input: CrawlInput = {
  shape: { pages: 10, links: 9, bytes: 12_000 },
  hosts: 50,
  delayMs: 1_000,
  concurrency: 50,
};
/** The first page of a host waits for nobody. */
const idealS = ((input.shape.pages - 1) * input.delayMs) / 1_000;
const allowedS = idealS * 1.05 + 0.5;

export const bench: Bench = {
  name: "crawl-polite",
  summary: "a polite crawl of 50 hosts: how close to its ideal time, and no request too early",
  bars: {
    politeVsIdeal: { max: 1 },
    politeEarly: { max: 0 },
    politeCpuS: { max: 2 },
    rssMb: { max: 250 },
  },
  peers: ["@crawlee/cheerio"],
  async run({ repetitions, log }) {
    const runs = await interleave({
      sides: {
        forager: () => seconds(ours, input),
        crawlee: () => seconds(crawlee, { ...input, isPersisted: false }),
      },
      repetitions,
      log,
    });
    const own = (name: string) => runs.forager[name]!;
    const theirs = (name: string) => runs.crawlee[name]!;
    return {
      values: {
        politeSeconds: own("seconds"),
        politeVsIdeal: spread(own("seconds").samples.map((one) => one / allowedS)),
        // The worst of all runs: one early request is one too many.
        politeEarly: Math.max(...own("early").samples),
        politeCpuS: own("cpuS"),
        politeGapMsMin: own("gapMsMin"),
        rssMb: own("rssMb"),
        crawleePoliteSeconds: theirs("seconds"),
        crawleePoliteEarly: theirs("early"),
        crawleePoliteCpuS: theirs("cpuS"),
        crawleePoliteGapMsMin: theirs("gapMsMin"),
      },
      notes: [
        `${input.hosts} hosts of ${input.shape.pages} pages, ${input.delayMs} ms between requests to one; ideal ${idealS} s; politeVsIdeal is of ${allowedS} s`,
        "early: gaps that the server saw below the delay less 2 ms; ours the most of all runs",
        "ours: worker, SQLite queue, HTTP fetcher; Crawlee: CheerioCrawler, sameDomainDelaySecs, queue in memory",
      ],
    };
  },
};

async function seconds(module: URL, side: CrawlInput | CrawleeInput) {
  const { elapsedMs, measured, rssBytesMax } = await runSide({
    module,
    side: "crawl",
    input: side,
  });
  return { seconds: elapsedMs / 1_000, rssMb: rssBytesMax / 1024 / 1024, ...measured };
}
