import type { Clock } from "../../base/clock.ts";
import {
  batchLine,
  enrichKind,
  firstTask,
  gateOf,
  openBatchFiles,
  paceOf,
  setPace,
  type Batch,
  type BatchLine,
} from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { isVisitRead, visitRecordOf, type Company, type VisitRecord } from "../../records/index.ts";
import { createSiteSettings } from "./site-settings.ts";

export interface CompanyToVisit {
  readonly company: Company;
  readonly website: string;
}

export interface VisitBatchOptions {
  readonly paths: Paths;
  readonly settings: Pick<Settings, "crawl">;
  readonly ledger: Pick<NodeReadApi["ledger"], "read">;
  readonly queue: Pick<Queue, "add" | "gate" | "setGate" | "job" | "browse">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly name: string;
  /** The start of the batch, ISO 8601. */
  readonly at: string;
  readonly placed: readonly CompanyToVisit[];
  /** Called with the number of lines added, and the total. */
  readonly onAdded?: (count: number, total: number) => void;
}

export interface VisitBatchCounts {
  readonly added: number;
  readonly duplicate: number;
  readonly refused: number;
}

const chunkSize = 500;

/**
 * Adds visits as a batch. The known contacts are stored on disk before the first visit is added. If
 * the batch exists, only new companies are visited, and those whose visit failed for a reason on
 * this side.
 */
export async function addVisitBatch(options: VisitBatchOptions): Promise<VisitBatchCounts> {
  const { paths, ledger, name, at, placed } = options;
  const files = openBatchFiles(paths);
  const before: Batch = (await files.read(name)) ?? { name, at, lines: [] };
  const known = new Set(before.lines.map(({ target }) => target));
  const lines: BatchLine[] = [...before.lines];
  for (const { company, website } of placed) {
    if (!known.has(company.target))
      lines.push(batchLine(await ledger.read(company.target), website));
  }
  const batch = { ...before, lines };
  await files.write(batch);
  return await addVisits(options, batch, await roundsAgain(options, before));
}

/**
 * The new round number for visits that are repeated, by target: visits refused because of private
 * addresses, which a setting may allow now. Once all visits of the batch have ended, also those
 * that did not reach their website or found it empty without its scripts. And all visits, if no
 * website of the batch could be read. Visits that `queue resume` has put back are left out.
 */
async function roundsAgain(
  { ledger, queue }: Pick<VisitBatchOptions, "ledger" | "queue">,
  { name, at, lines }: Batch,
): Promise<ReadonlyMap<string, string>> {
  const visits = new Map<string, VisitRecord>();
  for (const { target } of lines) {
    const record = visitRecordOf(await ledger.read(target));
    if (record && record.at >= at) visits.set(target, record);
  }
  const job = await queue.job(name);
  const isOver = job !== undefined && job.pending + job.running === 0;
  const isNoneRead = ![...visits.values()].some(isVisitRead);
  const again = [...visits].filter(
    ([, { outcome, reason }]) =>
      isNoneRead ||
      reason === "private_address" ||
      (isOver && (outcome === "unreachable" || reason === "needs_scripts")),
  );
  const waiting = isOver || again.length === 0 ? new Set() : await readWaiting(queue, name);
  return new Map(
    again
      .filter(([target]) => !waiting.has(target))
      .map(([target, record]) => [target, `${name} ${record.at}`]),
  );
}

/** More waiting visits are not read: a company beyond them may be visited twice. */
const waitingMax = 20_000;

/** Companies that have an unfinished visit in a job. */
async function readWaiting(queue: Pick<Queue, "browse">, job: string): Promise<Set<string>> {
  const waiting = new Set<string>();
  let afterId = 0;
  for (let read = 0; read < waitingMax; read += chunkSize) {
    const tasks = await queue.browse({
      states: ["pending", "running"],
      kind: enrichKind,
      job,
      afterId,
      limit: chunkSize,
    });
    for (const { payload } of tasks) {
      const { target } = (JSON.parse(payload) ?? {}) as { readonly target?: unknown };
      if (typeof target === "string") waiting.add(target);
    }
    afterId = tasks.at(-1)?.id ?? afterId;
    if (tasks.length < chunkSize) break;
  }
  return waiting;
}

async function addVisits(
  { settings, queue, clock, signal, at, onAdded }: VisitBatchOptions,
  { name, lines, at: batchAt }: Batch,
  again: ReadonlyMap<string, string>,
): Promise<VisitBatchCounts> {
  const answers = { added: 0, duplicate: 0, refused: 0 };
  const sites = createSiteSettings({ queue, clock });
  const services = { sites, crawl: { ...settings.crawl, contact: settings.crawl.contact } };
  for (let from = 0; from < lines.length; from += chunkSize) {
    signal.throwIfAborted();
    const some = lines.slice(from, from + chunkSize);
    const gates = new Set(some.map(({ website }) => gateOf(website)));
    const pace = paceOf(services, { campaign: undefined, url: some[0]!.website });
    await Promise.all([...gates].map((gate) => setPace(services, gate, pace)));
    const tasks = some.map(({ target, website }) => {
      const round = again.get(target);
      const after = round === undefined ? batchAt : at;
      return firstTask({ job: name, round: round ?? name, target, website, after });
    });
    for (const { status } of await queue.add(tasks)) {
      if (status === "added" || status === "duplicate") answers[status] += 1;
      else answers.refused += 1;
    }
    onAdded?.(some.length, lines.length);
  }
  return answers;
}
