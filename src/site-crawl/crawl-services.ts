import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import { createMemoryRobotsCache, type Fetcher, type RobotsCache } from "../crawl/index.ts";
import {
  createRaiseDebouncer,
  type LeaseRef,
  type Queue,
  type RaiseCounts,
  type RaiseInput,
  type TaskInput,
} from "../queue/index.ts";
import type { CrawlFolder, RowWriter } from "./crawl-folder.ts";
import { createKnownPages, type KnownPages } from "./known-pages.ts";
import { scopeOf, type CrawlPlan, type CrawlScope } from "./crawl-plan.ts";
import type { PageRow } from "./page-row.ts";
import type { PageToVisit } from "./page-tasks.ts";

/** What the program provides for the handler of pages. */
export interface SiteCrawlServices extends AsyncDisposable {
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly robots: RobotsCache;
  /** Opens the crawl of a task, including crawls that another process began. */
  open(name: string): Promise<OpenCrawl>;
  /** Stores tasks under the lease of the current task. Safe to repeat. */
  addTasks(tasks: readonly TaskInput[], by: LeaseRef): Promise<void>;
  /** Makes a gate slower, for a host that asks for more time between requests. */
  slowGate(gate: string, delayMs: number): Promise<void>;
  /** Counts how links raised the priorities of pages. */
  raises(): RaiseCounts;
  /**
   * Called when the start of a crawl is tried over http, because it could not be reached over
   * https.
   */
  readonly onPlainHttp?: (change: PlainHttpChange) => void;
}

export interface PlainHttpChange {
  readonly from: string;
  readonly to: string;
  /** Why the https connection failed: `tls`, `refused` … */
  readonly reason: string;
}

/** The state of a crawl in this process. */
export interface OpenCrawl {
  readonly plan: CrawlPlan;
  readonly scope: CrawlScope;
  record(row: Omit<PageRow, "at" | "atWorkMs">): Promise<void>;
  /** Records a linked page that robots.txt forbids, once and without a task. */
  recordForbidden(page: PageToVisit): Promise<void>;
  /** The limit that is used up; undefined if none is. The limit of pages is kept by the job. */
  spent(): "seconds" | "bytes" | undefined;
  readonly pages: KnownPages;
  /** Sets the delay of a host's gate before its first task is stored. */
  prepareGate(gate: string): Promise<void>;
}

export const forbiddenMessage = "robots.txt forbids it";
/** Recorded per crawl at most: a site may link to endlessly many forbidden pages. */
const forbiddenMax = 10_000;

export interface SiteCrawlOptions {
  readonly folder: CrawlFolder;
  readonly queue: Pick<Queue, "add" | "gate" | "setGate" | "raise">;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onPlainHttp?: SiteCrawlServices["onPlainHttp"];
}

export function createSiteCrawlServices(options: SiteCrawlOptions): SiteCrawlServices {
  const { folder, queue, fetcher, clock, log } = options;
  const raises = createRaiseDebouncer({ queue, clock, logger: log });
  /**
   * If this fails, the linked page is only visited later than it could be; the linking page has not
   * failed.
   */
  const raise = async (input: RaiseInput) => {
    try {
      await raises.raise(input);
    } catch (error) {
      log.warn("could not raise the priority of a page", { error, page: input.key });
    }
  };
  const crawls = new Map<string, Promise<OpenCrawl>>();
  const writers: RowWriter[] = [];
  const prepared = new Map<string, Promise<void>>();

  async function prepare(gate: string, { delayMs, isDelayAsked }: CrawlPlan): Promise<void> {
    const known = await queue.gate(gate);
    const isLonger = (known?.delayMs ?? 0) > delayMs;
    if (!isLonger || isDelayAsked) await queue.setGate(gate, { delayMs, limit: 1 });
  }

  async function open(name: string): Promise<OpenCrawl> {
    const plan = await folder.load(name);
    const before = await folder.rows(name);
    const writer = await folder.openRows(name);
    writers.push(writer);
    const beganMs = clock.monotonicMs() - Math.max(0, ...before.map((row) => row.atWorkMs));
    const { seconds, bytes: bytesMax } = plan.budget;
    let bytes = before.reduce((sum, row) => sum + row.bytes, 0);
    const atWorkMs = () => Math.round(clock.monotonicMs() - beganMs);
    const forbidden = new Set(
      before.filter(({ state }) => state === "robots").map(({ url }) => url),
    );
    const record: OpenCrawl["record"] = async (row) => {
      bytes += row.bytes;
      const at = new Date(clock.nowMs()).toISOString();
      await writer.write({ ...row, at, atWorkMs: atWorkMs() });
    };
    return {
      plan,
      scope: scopeOf(plan),
      pages: createKnownPages({ plan, raise }),
      record,
      async recordForbidden({ url, depth, from }) {
        if (forbidden.has(url) || forbidden.size >= forbiddenMax) return;
        forbidden.add(url);
        const row = { url, kind: "page", state: "robots", depth, ms: 0, bytes: 0 } as const;
        const message = forbiddenMessage;
        await record({ ...row, message, ...(from !== undefined && { from }) });
      },
      spent() {
        if (bytes >= bytesMax) return "bytes";
        return atWorkMs() >= seconds * 1_000 ? "seconds" : undefined;
      },
      prepareGate(gate) {
        const known = prepared.get(gate) ?? prepare(gate, plan);
        prepared.set(gate, known);
        return known;
      },
    };
  }

  return {
    fetcher,
    clock,
    ...(options.onPlainHttp && { onPlainHttp: options.onPlainHttp }),
    robots: createAnsweredRobotsCache(clock),
    open(name) {
      const known = crawls.get(name) ?? open(name);
      crawls.set(name, known);
      // Opening it may succeed later.
      known.catch(() => crawls.delete(name));
      return known;
    },
    async addTasks(tasks, by) {
      const answers = await queue.add(tasks, { by });
      // If a page exceeds the limit of pages, this is an expected result, and the job counts it.
      if (answers.some(({ status }) => status === "full")) throw full();
    },
    async slowGate(gate, delayMs) {
      await queue.setGate(gate, { delayMs });
    },
    raises: () => raises.counts(),
    async [Symbol.asyncDispose]() {
      await raises.stop().catch((error: unknown) => {
        log.warn("could not raise the priorities of some pages", { error });
      });
      for (const writer of writers.splice(0)) await writer[Symbol.asyncDispose]();
    },
  };
}

/**
 * A robots.txt that could not be read is requested again when its page is retried, not after an
 * hour.
 */
function createAnsweredRobotsCache(clock: Clock): RobotsCache {
  const cache = createMemoryRobotsCache({ clock });
  return {
    get: (origin) => cache.get(origin),
    put: async (origin, note) =>
      note.state === "unreachable" ? undefined : cache.put(origin, note),
  };
}

const full = () =>
  new AppError(
    "unavailable",
    "queue_full",
    "the queue is full: the remaining pages are added later",
  );
