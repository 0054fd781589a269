import { hostname } from "node:os";
import { openFetcher } from "../../../app/index.ts";
import {
  createSiteCrawlServices,
  crawlJob,
  openCrawlFolder,
  runSiteCrawls,
  type CrawlFolder,
  type CrawlPlan,
} from "../../../campaign/index.ts";
import type { Job, Queue } from "../../../queue/index.ts";
import type { Command, SettingsContext } from "../../command.ts";
import { formatMoment } from "../../duration.ts";
import { textFlag } from "../../flags.ts";
import { readVersion } from "../../run-process.ts";
import { asUsage, usageError } from "../../usage-error.ts";
import { openOrMakeQueue } from "../queue/open-queue.ts";
import { crawlOptions, planOf, refusePlanFlags, startUrl } from "./crawl-options.ts";
import { tellPages, type ToldCrawl } from "./tell-pages.ts";

/** After a crash the host's gate is held for so long: whoever resumes is not to wait a minute. */
const leaseMsMax = 15_000;

export const crawl: Command = {
  needs: "settings",
  arguments: [
    { name: "site", summary: "a host, or where to begin", isOptional: true, isRepeated: true },
  ],
  options: crawlOptions,
  examples: [
    {
      line: "forager crawl example.org --contact you@example.com",
      summary: "every page of it, one a second",
    },
    {
      line: "forager crawl example.org --contact you@example.com --sitemap --include '/blog/**'",
      summary: "its blog, also what no page links to",
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
    "robots.txt is obeyed, and a host gets one request at a time, --delay apart, from all of the fleet.\n" +
      "Exit code: 0 all pages were asked for, 3 some could not be had, 1 nothing was found at a site.\n" +
      "What came of each page is kept in crawls/NAME/pages.jsonl of the data folder.",
  ],

  async run(context) {
    const { settings, paths, clock, log, signal } = context;
    const contact = contactOf(context);
    const folder = openCrawlFolder(paths);
    const allowAddresses = allowedOf(context);
    const version = readVersion();
    await using fetcher = await asUsage(() =>
      openFetcher({ version, contact, allowAddresses, clock }),
    );
    await using queue = await openOrMakeQueue(context);
    const plans = await choosePlans(context, folder, queue);
    await using services = createSiteCrawlServices({ folder, queue, fetcher, clock });
    const follow = followJobs(context, plans);
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
      const told: ToldCrawl[] = [];
      for (const plan of plans) {
        const { name } = plan;
        const overBudget = (await queue.job(crawlJob(plan)))?.overBudget ?? 0;
        const rows = await folder.rows(name);
        told.push({ plan, end: ends.get(name)!, overBudget, rows, file: folder.fileOf(name) });
      }
      return await tellPages(context, told);
    } catch (error) {
      follow.done();
      if (signal.aborted) context.out.note("stopped: `forager crawl --resume` goes on");
      throw error;
    }
  },
};

/** Both: a network that the settings allow is not forbidden by allowing another. */
function allowedOf({ flags, settings }: SettingsContext): readonly string[] {
  const set = settings.crawl.allowAddresses.split(",").filter((network) => network !== "");
  return [...set, ...((flags["allowAddress"] as readonly string[] | undefined) ?? [])];
}

function contactOf({ flags, settings }: SettingsContext): string {
  const contact = textFlag(flags, "contact") ?? settings.crawl.contact;
  if (contact !== undefined) return contact;
  throw usageError(
    "whom may the owners of a site write to? --contact you@example.org, or crawl.contact in the " +
      "settings, is told to every site",
  );
}

async function choosePlans(
  context: SettingsContext,
  folder: CrawlFolder,
  queue: Queue,
): Promise<readonly CrawlPlan[]> {
  const { args, flags, settings, clock } = context;
  const known = await folder.list();
  if (flags["resume"] === true) {
    refusePlanFlags(flags);
    return args.length > 0
      ? args.map((site) => newestOf(known, site))
      : [await newestUnfinished(known, queue)];
  }
  if (args.length === 0) throw usageError("which site? name a host, or --resume a crawl");
  const plans = new Map(
    args.map(
      (site) => [startUrl(site), planOf(site, { flags, settings, nowMs: clock.nowMs() })] as const,
    ),
  );
  for (const { start } of plans.values()) {
    await leaveBehind(context, known.filter((one) => one.start === start), queue); // prettier-ignore
  }
  for (const plan of plans.values()) await folder.create(plan);
  return [...plans.values()];
}

function newestOf(known: readonly CrawlPlan[], site: string): CrawlPlan {
  const start = startUrl(site);
  const found = known.find((plan) => plan.start === start);
  if (found) return found;
  throw usageError(`there is no crawl of ${start} here: leave out --resume to begin one`);
}

async function newestUnfinished(known: readonly CrawlPlan[], queue: Queue): Promise<CrawlPlan> {
  for (const plan of known) {
    const job = await queue.job(crawlJob(plan));
    if (!job?.ended) return plan;
  }
  throw usageError(
    known.length === 0
      ? "there is no crawl here to resume"
      : "every crawl here has ended: name a site to see what came of it, or begin a new one",
  );
}

/** Two crawls of one site at a time would ask for everything twice. */
async function leaveBehind(
  { flags }: SettingsContext,
  before: readonly CrawlPlan[],
  queue: Queue,
): Promise<void> {
  for (const plan of before) {
    const job = await queue.job(crawlJob(plan));
    if (!job || job.ended) continue;
    if (flags["anew"] === true) await queue.cancel(job.name);
    else {
      const since = formatMoment(Date.parse(plan.startedAt));
      throw usageError(
        `the crawl of ${plan.start} that began ${since} has not ended: --resume goes on with it, --anew drops it`,
      );
    }
  }
}

function followJobs({ progress }: SettingsContext, plans: readonly CrawlPlan[]) {
  const total = plans.reduce((sum, { budget }) => sum + budget.pages, 0);
  const bar = progress.start({ label: "crawl", total });
  let shown = 0;
  return {
    look(jobs: readonly Job[]) {
      const sum = (of: (job: Job) => number) => jobs.reduce((all, job) => all + of(job), 0);
      const ended = sum((job) => job.done + job.skipped + job.failed);
      bar.advance(ended - shown);
      shown = ended;
      bar.note(`${sum((job) => job.pending)} waiting, ${sum((job) => job.failed)} failed`);
    },
    done: () => bar.done(),
  };
}
