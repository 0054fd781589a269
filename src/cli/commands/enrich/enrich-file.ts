import { createReadStream } from "node:fs";
import { access, constants } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import {
  countVisits,
  findingText,
  importFile,
  openOrMakeQueue,
  openWork,
  outcomeOfJob,
  pausedFor,
  preflight,
  readUnvisited,
  reasonText,
  websiteOf,
  writeEnrichedFile,
  type CompanyToVisit,
  type EnrichedCounts,
  type LineOptions,
  type Work,
  type WorkOutcome,
} from "../../../app/index.ts";
import { AppError } from "../../../base/app-error.ts";
import { countOf } from "../../../base/text/count-words.ts";
import { asUsage, usageError } from "../../../base/usage-error.ts";
import { openBatchFiles } from "../../../campaign/index.ts";
import { visitRecordOf } from "../../../records/index.ts";
import type { CommandOutcome, SettingsContext } from "../../frame/command.ts";
import { encodingFlag, textFlag } from "../../options/flags.ts";
import { openNodeOf, openReaderOf } from "../../frame/node-context.ts";
import { outcomeText } from "../../frame/outcome-text.ts";
import { untilStopped } from "../../frame/until-stopped.ts";
import { warningsOf } from "../../frame/warnings-of.ts";
import { workOptionsOf } from "../../options/work-options.ts";
import { openSource } from "../queue/import/import-source.ts";
import { visitAll } from "./visit-all.ts";

/** Imports a CSV file, visits the websites in it, and writes its rows with what was found. */
export async function enrichFile(context: SettingsContext, name: string): Promise<CommandOutcome> {
  const { settings, flags, cwd, out, signal } = context;
  const from = resolve(cwd, name);
  const to = resolve(cwd, textFlag(flags, "output") ?? `${stemOf(name)}-enriched.csv`);
  await checkBefore({ from, to, name, contact: settings.crawl.contact });
  const targets = await importRows(context, name);
  const batch = textFlag(flags, "batch") ?? stemOf(name);
  const waiting = await addVisits(context, batch, targets);
  const ended = waiting === 0 ? undefined : outcomeOfJob(await visitNow(context, waiting), batch);
  const counts = await writeResult(context, { from, to, targets, batch });
  out.result({ file: name, output: to, ...counts, work: ended }, () =>
    [...resultLines(name, to, counts), ...troubleLines(ended)].join("\n"),
  );
  const { waiting: left = 0, failed = 0 } = counts.reasons;
  if (signal.aborted) {
    out.note(
      `stopped, ${countOf(left, "row")} not visited: run the same command again to continue`,
    );
    throw new AppError("aborted", "enrich_stopped", "the visits were stopped");
  }
  // Count rows, not visits: the workers may have visited websites of other jobs too.
  const isNothingRead = counts.rows > 0 && counts.read === 0;
  return left + failed > 0 || isNothingRead || (ended?.paused.length ?? 0) > 0
    ? "partial"
    : undefined;
}

const stemOf = (name: string): string => basename(name, extname(name));

interface Files {
  readonly from: string;
  readonly to: string;
}

async function checkBefore({
  from,
  to,
  name,
  contact,
}: Files & { name: string; contact: string | undefined }) {
  if (contact === undefined) {
    throw usageError(
      "crawl.contact is not set: it is an e-mail address or page for the owners of websites, sent with " +
        "every request. Pass --contact you@example.org, or set it in forager.toml",
    );
  }
  if (!/\.(?:csv|tsv|txt)$/i.test(name))
    throw usageError(`${name} is not a CSV file (.csv, .tsv or .txt)`);
  if (from === to)
    throw usageError("the result would replace the file itself: give another --output");
  await access(from).catch((cause: unknown) => {
    throw usageError(`${name} cannot be read: check the path`, { cause });
  });
  await access(dirname(to), constants.W_OK).catch((cause: unknown) => {
    throw usageError(`${dirname(to)} is not a folder that can be written to: give another --output`, { cause }); // prettier-ignore
  });
}

/** Maps each line to the company that was imported from it. */
async function importRows(context: SettingsContext, name: string) {
  const { cwd, stdin, signal, clock, out, flags } = context;
  await using file = await openSource({ name, cwd, stdin, signal });
  await using opened = await openNodeOf(context);
  const targets = new Map<number, string>();
  const format: LineOptions = {
    format: "csv",
    encoding: encodingFlag(flags),
    country: textFlag(flags, "country"),
    mappings: [],
    keepsOthers: false,
    at: new Date(clock.nowMs()).toISOString(),
  };
  const report = await asUsage(() =>
    importFile({
      records: opened.records,
      chunks: file.read(),
      format,
      source: `place:file/${basename(name)}`,
      isDryRun: false,
      signal,
      onLines: () => {},
      onCompany: (line, target) => targets.set(line, target),
    }),
  );
  for (const { line, text } of report.problems) out.note(`${name}, line ${line}: ${text}`);
  if (report.isStopped) throw new AppError("aborted", "import_stopped", "the import was stopped");
  if (targets.size === 0) {
    throw usageError(
      `${name} has no companies: a row needs a name, a website or a domain. \`forager import companies ` +
        `${name} --dry-run\` shows what its columns mean`,
    );
  }
  return targets;
}

/** Resolves with the number of visits of the batch that are waiting or running. */
async function addVisits(
  context: SettingsContext,
  batch: string,
  targets: ReadonlyMap<number, string>,
): Promise<number> {
  const at = new Date(context.clock.nowMs()).toISOString();
  await using opened = await openReaderOf(context);
  const placed: CompanyToVisit[] = [];
  for (const target of new Set(targets.values())) {
    const row = await opened.records.find(target);
    const company = row?.kind === "company" ? row.company : undefined;
    const website = company && websiteOf(company);
    if (company && website !== undefined) placed.push({ company, website });
  }
  if (placed.length === 0) return 0;
  await checkVisits(
    context,
    placed.map(({ website }) => new URL(website).hostname),
  );
  await visitAll(context, opened, { name: batch, at, placed });
  return await takeUpJob(context, batch);
}

/** Check before the visits are added: workers of other processes could take them at once. */
async function checkVisits({ loaded, paths, out }: SettingsContext, hosts: readonly string[]) {
  for (const finding of await preflight({ loaded, paths, hosts })) {
    if (finding.state === "fail") throw usageError(findingText(finding));
    out.note(`${finding.state === "note" ? "note" : "warning"}: ${findingText(finding)}`);
  }
}

/** If the command is run again, it resumes a paused job and retries failed tasks. */
async function takeUpJob({ out, ...context }: SettingsContext, name: string): Promise<number> {
  await using queue = await openOrMakeQueue(context);
  const job = await queue.job(name);
  if (job?.isPaused === true) {
    const reason = await pausedFor(context.paths, name);
    out.note(`job ${name} was paused${reason === undefined ? "" : ` (${reason})`}: resumed`);
    await queue.resume(name);
  }
  const again = job?.failed ? await queue.retry({ job: name, states: ["failed"] }) : 0;
  return (job?.pending ?? 0) + (job?.running ?? 0) + again;
}

const lookMs = 500;
/** After this many polls without a finished visit, report which other workers hold visits. */
const quietLooksMin = 6;
/**
 * If this process is killed, its tasks are held for at most this long, so that the next run can
 * start soon.
 */
const leaseMsMax = 15_000;

/** Runs workers until no visits are left or the command is stopped. */
async function visitNow(context: SettingsContext, total: number): Promise<WorkOutcome> {
  const { clock, progress, signal } = context;
  const options = workOptionsOf(context);
  const leaseMs = Math.min(context.settings.queue.leaseMs, leaseMsMax);
  const lease = { "queue.leaseMs": { flag: "--lease", value: String(leaseMs) } };
  await using work = await openWork({
    ...options,
    choice: { ...options.choice, kinds: ["enrich"] },
    start: {
      ...options.start,
      settingFlags: { ...options.start.settingFlags, ...lease },
      isDraining: true,
    },
    isChecked: true,
    log: warningsOf(context.log),
    onListening: () => {},
  });
  const bar = progress.start({ label: "websites", total });
  let shown = 0;
  let quietLooks = 0;
  const show = ({ isLast = false } = {}) => {
    const { visits } = work.summary();
    const { read, notRead } = countVisits(visits);
    const ended = read + notRead;
    // The workers may have finished visits of other jobs too.
    if (ended > total) bar.setTotal(ended);
    bar.advance(ended - shown);
    // The counts of the queue can be slightly out of date, and may include our own tasks that run
    // between two requests.
    quietLooks = ended > shown ? 0 : quietLooks + 1;
    const held = isLast || quietLooks < quietLooksMin ? 0 : heldElsewhere(work);
    bar.note(
      `${read} read, ${notRead} not read` +
        (held > 0 ? `, ${held} in another process, or left by one that was killed` : ""),
    );
    shown = ended;
  };
  let timer = clock.setTimer(lookMs, function again() {
    show();
    timer = clock.setTimer(lookMs, again, { background: true });
  });
  try {
    await work.start();
    await Promise.race([work.ended, untilStopped(signal)]);
  } finally {
    await work.stop();
    timer.cancel();
    show({ isLast: true });
    bar.done();
  }
  return await work.outcome();
}

/** The number of running visits that belong to other processes. */
function heldElsewhere(work: Pick<Work, "queueStats" | "workers">): number {
  const running = work.queueStats()?.kinds.find(({ kind }) => kind === "enrich")?.running ?? 0;
  const here = work.workers().slots.reduce((sum, { view }) => sum + (view?.inFlight ?? 0), 0);
  return here > 0 ? 0 : running;
}

async function writeResult(
  context: SettingsContext,
  {
    from,
    to,
    targets,
    batch,
  }: Files & { readonly targets: ReadonlyMap<number, string>; readonly batch: string },
): Promise<EnrichedCounts> {
  const begun = (await openBatchFiles(context.paths).read(batch))?.at ?? "";
  await using queue = await openOrMakeQueue(context);
  const unvisited = await readUnvisited(queue, batch);
  await using opened = await openReaderOf(context);
  return await writeEnrichedFile({
    chunks: createReadStream(from),
    encoding: encodingFlag(context.flags),
    to,
    async rowAt(line) {
      const target = targets.get(line);
      const row = target === undefined ? undefined : await opened.records.find(target);
      if (row?.kind !== "company") return undefined;
      const visit = visitRecordOf(await opened.ledger.read(row.company.target));
      // An older visit does not belong to this batch, so the row is still waiting.
      const isOfBatch = visit !== undefined && visit.at >= begun;
      return {
        company: row.company,
        visit: isOfBatch ? visit : undefined,
        unvisited: unvisited.get(row.company.target),
      };
    },
  });
}

function resultLines(name: string, to: string, counts: EnrichedCounts): readonly string[] {
  const reasons = Object.entries(counts.reasons).toSorted(([, a], [, b]) => b - a);
  const words = reasons.map(([reason, count]) => reasonText(reason, count)).join(", ");
  return [
    `${name}: ${countOf(counts.rows, "row")}, ${counts.read} read, ${counts.withEmail} with an e-mail address, ` +
      `${counts.withPhone} with a phone number`,
    ...(words === "" ? [] : [`not read: ${words}`]),
    `written to ${to}`,
  ];
}

const troubleLines = (ended: WorkOutcome | undefined): readonly string[] =>
  ended && (ended.failed + ended.paused.length > 0 || ended.held) ? [outcomeText(ended)] : [];
