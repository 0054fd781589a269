import { constants } from "node:fs";
import { readdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { AppError } from "../base/app-error.ts";
import { translateFileError, writeFileAtomic } from "../base/files/atomic-file.ts";
import { openRegularFile, readRegularFile } from "../base/files/regular-file.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import type { Paths } from "../config/index.ts";
import { crawlPlanSchema, type CrawlPlan } from "./crawl-plan.ts";
import { parsePageRow, type PageRow } from "./page-row.ts";

/**
 * The folder `crawls/` of the data folder: one folder for each crawl of a site, with its plan and
 * the results of its pages. Several processes may work on one crawl and write to its file.
 */
export interface CrawlFolder {
  create(plan: CrawlPlan): Promise<void>;
  load(name: string): Promise<CrawlPlan>;
  /** Newest first. */
  list(): Promise<readonly CrawlPlan[]>;
  /** The last row of each page, in the order in which the pages were first seen. */
  rows(name: string): Promise<readonly PageRow[]>;
  openRows(name: string): Promise<RowWriter>;
  fileOf(name: string): string;
}

export interface RowWriter extends AsyncDisposable {
  /** Resolves when the row survives a crash of this process. */
  write(row: PageRow): Promise<void>;
}

const appendFlags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;

export const crawlNameRule = /^[a-z0-9][a-z0-9._-]{0,200}$/;

export function openCrawlFolder(paths: Pick<Paths, "resolve">): CrawlFolder {
  const folderOf = (name: string) => {
    if (!crawlNameRule.test(name)) throw noCrawl(name);
    return paths.resolve("crawls", name);
  };
  const planOf = (name: string) => join(folderOf(name), "crawl.json");
  const fileOf = (name: string) => join(folderOf(name), "pages.jsonl");

  async function load(name: string): Promise<CrawlPlan> {
    const file = planOf(name);
    const bytes = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === "ENOENT" ? noCrawl(name) : error;
    });
    try {
      return crawlPlanSchema.parse(JSON.parse(bytes.toString()));
    } catch (cause) {
      const message = `${file} is not the plan of a crawl: move its folder away`;
      throw new AppError("corrupt", "crawl_plan", message, { cause });
    }
  }

  return {
    fileOf,
    load,
    async create(plan) {
      makeFolder(folderOf(plan.name), { mode: 0o700 });
      await writeFileAtomic(planOf(plan.name), `${JSON.stringify(plan, null, 2)}\n`);
    },
    async list() {
      const entries = await readdir(paths.resolve("crawls")).catch(() => []);
      const plans: CrawlPlan[] = [];
      for (const name of entries.filter((one) => crawlNameRule.test(one))) {
        const plan = await load(name).catch((error: unknown) => {
          // The process that created it was killed before it wrote the plan.
          if (error instanceof AppError && error.code === "no_crawl") return undefined;
          throw error;
        });
        if (plan) plans.push(plan);
      }
      return plans.sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
    },
    rows: (name) => readRows(fileOf(name)),
    async openRows(name) {
      const file = fileOf(name);
      try {
        return rowWriter(await openRegularFile(file, appendFlags, 0o600), file);
      } catch (error) {
        throw translateFileError(error, file);
      }
    },
  };
}

async function readRows(file: string): Promise<readonly PageRow[]> {
  const rows = new Map<string, PageRow>();
  try {
    await using handle = await openRegularFile(file, constants.O_RDONLY);
    const stream = handle.createReadStream({ encoding: "utf8", autoClose: false });
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      const row = parsePageRow(line);
      if (row) rows.set(`${row.kind} ${row.url}`, row);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // no row was written yet
  }
  return [...rows.values()];
}

/**
 * Whole lines are appended and never changed. If a killed process left half a line, it is
 * terminated, so that the next line is not lost with it.
 */
function rowWriter(handle: FileHandle, file: string): RowWriter {
  let last: Promise<unknown> = endTornLine(handle);
  return {
    async write(row) {
      const written = last.then(() => handle.appendFile(`${JSON.stringify(row)}\n`));
      last = written.catch(() => {}); // the caller that wrote it handles the error
      try {
        await written;
      } catch (error) {
        throw translateFileError(error, file);
      }
    },
    async [Symbol.asyncDispose]() {
      await last;
      await handle.close();
    },
  };
}

async function endTornLine(handle: FileHandle): Promise<void> {
  const { size } = await handle.stat();
  if (size === 0) return;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  if (buffer[0] !== 0x0a) await handle.appendFile("\n");
}

const noCrawl = (name: string) =>
  new AppError("invalid", "no_crawl", `there is no crawl ${name.slice(0, 80)} here`);
