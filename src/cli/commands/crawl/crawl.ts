import { hostname } from "node:os";
import { openFetcher, type OpenFetcherOptions, openOrMakeQueue } from "../../../app/index.ts";
import { formatMoment } from "../../../base/text/format-time.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { readVersion } from "../../../base/version.ts";
import {
  createSiteCrawlServices,
  crawlJob,
  openCrawlFolder,
  runSiteCrawls,
  type CrawlPlan,
  type SiteCrawlServices,
} from "../../../site-crawl/index.ts";
import type { Job, Queue } from "../../../queue/index.ts";
import type { Command, SettingsContext } from "../../frame/command.ts";
import { textFlag } from "../../options/flags.ts";
import { allowedOf, crawlOptions, planOf, refusePlanFlags, startsOf, startUrl } from "./crawl-options.ts"; // prettier-ignore
import { printPages, type CrawlResult } from "./print-pages.ts";

/**
 * After a crash, the host's gate is held for at most this long, so that a resumed crawl can start
 * soon.
 */
const leaseMsMax = 15_000;

export const crawl: Command = {
  needs: "settings",
  arguments: [
    { name: "site", summary: "a host, or the start URL", isOptional: true, isRepeated: true },
  ],
  options: crawlOptions,
  examples: [
    {
      line: "forager crawl example.org --contact you@example.com",
      summary: "all its pages, one request per second",
    },
    {
      line: "forager crawl example.org --contact you@example.com --sitemap --include '/blog/**'",
      summary: "its blog, including pages without links to them",
    },
    {
      line: "forager crawl example.org --contact you@example.com --pages 50 --format csv --to pages.csv",
      summary: "the first fifty, for a spreadsheet",
    },
    {
      line: "forager crawl --resume --contact you@example.com",
      summary: "after Ctrl-C or a crash",
    },
  ],
  details: [
    "robots.txt is obeyed, and the fleet sends a host one request at a time, with --delay between them.\n" +
      "Exit code: 0 all pages were requested, 3 some could not be fetched, 1 a site had no pages.\n" +
      "The result of each page is stored in crawls/NAME/pages.jsonl of the data folder.",
  ],

  async run(context) {
    const { settings, paths, clock, log, signal } = context;
    const folder = openCrawlFolder(paths);
    await using queue = await openOrMakeQueue(context);
    const known = await folder.list();
    const isNew = context.flags["resume"] !== true;
    const plans = isNew ? newPlans(context) : await oldPlans(context, known, queue);
    await using fetcher = await asUsage(() => openFetcher(fetcherOptions(context, plans)));
    if (isNew) {
      // All input has been checked at this point.
      for (const plan of plans) await leaveBehind(context, { plan, known, queue });
      for (const plan of plans) await folder.create(plan);
    }
    const onPlainHttp = noteOnce(context);
    await using services = createSiteCrawlServices({ folder, queue, fetcher, clock, log, onPlainHttp }); // prettier-ignore
    const follow = followJobs(context);
    try {
      const ends = await runSiteCrawls({
        plans,
        queue,
        services,
        worker: `${hostname()}.crawl.${process.pid}`,
        clock,
        log,
        leaseMs: Math.min(settings.queue.leaseMs, leaseMsMax),
        signal,
        onLook: (jobs) => follow.look(jobs),
      });
      follow.done();
      const results: CrawlResult[] = [];
      for (const plan of plans) {
        const { name } = plan;
        const overBudget = (await queue.job(crawlJob(plan)))?.overBudget ?? 0;
        const rows = await folder.rows(name);
        results.push({ plan, end: ends.get(name)!, overBudget, rows, file: folder.fileOf(name) });
      }
      return await printPages(context, results);
    } catch (error) {
      follow.done();
      if (signal.aborted) context.out.note("stopped: continue with `forager crawl --resume`");
      throw error;
    }
  },
};

/** A start URL that is retried falls back to http each time; report that only once. */
function noteOnce({ out }: SettingsContext): NonNullable<SiteCrawlServices["onPlainHttp"]> {
  const results = new Set<string>();
  return ({ from, to, reason }) => {
    if (results.has(from)) return;
    results.add(from);
    out.note(`${reason === "tls" ? "no TLS" : `no answer (${reason})`} at ${from}: trying ${to}`);
  };
}

/** The stored options of the crawl, unless flags override them now. */
function fetcherOptions(
  { flags, settings, clock }: SettingsContext,
  plans: readonly CrawlPlan[],
): OpenFetcherOptions {
  const allowPrivateNetworks = new Set([
    ...allowedOf(flags, settings),
    ...plans.flatMap((plan) => plan.allowAddresses),
  ]);
  const contact = textFlag(flags, "contact") ?? plans[0]!.contact;
  return {
    version: readVersion(),
    contact,
    allowPrivateNetworks: [...allowPrivateNetworks],
    clock,
  };
}

function newPlans({ args, flags, settings, clock }: SettingsContext): readonly CrawlPlan[] {
  if (args.length === 0) throw usageError("which site? name a host, or --resume a crawl");
  const nowMs = clock.nowMs();
  const sites = new Map(args.map((site) => [startUrl(site), site]));
  return [...sites.values()].map((site) => planOf(site, { flags, settings, nowMs }));
}

async function oldPlans(
  { args, flags }: SettingsContext,
  known: readonly CrawlPlan[],
  queue: Queue,
): Promise<readonly CrawlPlan[]> {
  refusePlanFlags(flags);
  if (args.length === 0) return [await newestUnfinished(known, queue)];
  return [...new Set(args.map((site) => newestOf(known, site)))];
}

function newestOf(known: readonly CrawlPlan[], site: string): CrawlPlan {
  const starts = startsOf(site);
  const found = known.find((plan) => starts.includes(plan.start));
  if (found) return found;
  throw usageError(`there is no crawl of ${starts[0]} here: leave out --resume to start one`);
}

async function newestUnfinished(known: readonly CrawlPlan[], queue: Queue): Promise<CrawlPlan> {
  for (const plan of known) {
    const job = await queue.job(crawlJob(plan));
    if (!job?.ended) return plan;
  }
  throw usageError(
    known.length === 0
      ? "there is no crawl here to resume"
      : "every crawl here has ended: name a site to see its results, or start a new crawl",
  );
}

interface Behind {
  readonly plan: CrawlPlan;
  readonly known: readonly CrawlPlan[];
  readonly queue: Queue;
}

/** Refuses a second crawl of the same site: two crawls would request each page twice. */
async function leaveBehind({ flags }: SettingsContext, { plan, known, queue }: Behind) {
  const { start, isHttpsGuessed = false } = plan;
  // An earlier version started a second crawl over http.
  const starts = isHttpsGuessed ? [start, start.replace(/^https:/, "http:")] : [start];
  for (const before of known.filter((other) => starts.includes(other.start))) {
    const job = await queue.job(crawlJob(before));
    if (!job || job.ended) continue;
    if (flags["anew"] === true) await queue.cancel(job.name);
    else {
      const since = formatMoment(Date.parse(before.startedAt));
      throw usageError(
        `the crawl of ${before.start} that began ${since} has not ended: --resume continues it, ` +
          "--anew replaces it",
      );
    }
  }
}

/** The number of pages is known only when a crawl ends, so no percentage is shown before. */
function followJobs({ progress }: SettingsContext) {
  const bar = progress.start({ label: "crawl" });
  let shown = 0;
  return {
    look(jobs: readonly Job[]) {
      const sum = (of: (job: Job) => number) => jobs.reduce((all, job) => all + of(job), 0);
      const ended = sum((job) => job.done + job.skipped + job.failed);
      bar.advance(ended - shown);
      shown = ended;
      const waiting = sum((job) => job.pending + job.running);
      bar.note(
        `${ended + waiting} pages known, ${waiting} left, ${sum((job) => job.failed)} failed`,
      );
    },
    done: () => bar.done(),
  };
}
