import { mkdir, writeFile } from "node:fs/promises";
import { openQueue, openRecordsIn, type RecordsIn } from "../../app/index.ts";
import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { campaignStatus, planTiles, readWitnesses, visitRecordOf } from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { Queue, QueueStats, WaitingReason } from "../../queue/index.ts";
import { companyCsvHeader, companyCsvLine, type Company } from "../../records/index.ts";
import type { ProgressHandle } from "../progress.ts";
import { createCrew } from "./crew.ts";
import type { DemoWorkerSettings } from "./demo-worker.ts";
import { judgeDemo, type Verdict } from "./judge-demo.ts";
import { chooseRecord, showRecord, type ShownRecord } from "./show-record.ts";
import { campaignName, politeDelayMs, setStage, type Stage } from "./stage.ts";

export interface DemoOptions {
  /** Of a data folder that has nothing in it. */
  readonly paths: Paths;
  readonly size: number;
  readonly crawl: Settings["crawl"];
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly startProgress: (total: number) => ProgressHandle;
}

export interface DemoResult {
  readonly size: number;
  readonly tiles: number;
  readonly phrases: number;
  readonly elapsedMs: number;
  readonly workers: number;
  readonly requests: number;
  /** How the visits of websites ended → how many. */
  readonly visits: Readonly<Record<string, number>>;
  readonly contacts: Readonly<Record<"emails" | "phones" | "socials" | "people", number>>;
  /** The most tasks that waited for each reason at any look. */
  readonly reasons: Readonly<Partial<Record<WaitingReason, number>>>;
  readonly verdict: Verdict;
  readonly record: ShownRecord | undefined;
  /** The file with all companies, and its rows. */
  readonly csv: string;
  readonly rows: number;
}

const workers = ["worker-1", "worker-2"];
const lookMs = 100;
/** What a run may take before it is called stuck, beside the time its sites need. */
const patienceMs = 120_000;

/** Sets a region up, lets worker processes find and visit all of it, and judges what they brought. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { paths, size, clock, log, crawl, version } = options;
  await mkdir(paths.root(), { recursive: true });
  const address = `sqlite:${paths.queueFile()}`;
  await using queue = await openQueue(address);
  await using stage = await setStage({ paths, size, queue, clock });
  const crew = createCrew({
    program: new URL("./demo-worker.js", import.meta.url),
    clock,
    onEvent() {},
  });
  const progress = options.startProgress(size);
  const peaks = new Map<WaitingReason, number>();
  const startMs = clock.monotonicMs();
  try {
    const folder = paths.root();
    for (const worker of workers) {
      const settings: DemoWorkerSettings = { worker, folder, address, version, crawl: { ...crawl, allowAddresses: "127.0.0.1", deobfuscate: "simple" } }; // prettier-ignore
      crew.hire(settings);
    }
    await Promise.race([crew.mishap, watch(options, queue, progress, peaks)]);
  } finally {
    await crew.stop();
    progress.done();
  }
  const elapsedMs = clock.monotonicMs() - startMs;
  await using opened = await openRecordsIn({ paths, log, user: "demo" });
  const companies = allCompanies(opened);
  const csv = "companies.csv";
  const rows = companies.map(companyCsvLine);
  await writeFile(paths.resolve(csv), `${companyCsvHeader()}${rows.join("")}`);
  const chosen = chooseRecord(companies);
  return {
    size,
    tiles: stage.region.tiles.length,
    phrases: stage.region.phrases.length,
    elapsedMs,
    workers: workers.length,
    requests: stage.server.requests().length,
    visits: await visitsOf(opened, companies),
    contacts: contactsOf(companies),
    reasons: Object.fromEntries(peaks),
    verdict: await judge(stage, { opened, queue, companies, clock }),
    record: chosen && (await showRecord(paths, chosen)),
    csv,
    rows: rows.length,
  };
}

/** Looks at the queue, as anyone could from another process, until there is nothing left to do. */
async function watch(
  { size, clock, signal }: DemoOptions,
  queue: Queue,
  progress: ProgressHandle,
  peaks: Map<WaitingReason, number>,
): Promise<void> {
  const giveUpMs = clock.monotonicMs() + patienceMs + size * 1_000;
  let ended = 0;
  for (;;) {
    await sleep(clock, lookMs, signal);
    const stats = await queue.stats();
    for (const { reason, count } of stats.reasons) {
      if (count > (peaks.get(reason) ?? 0)) peaks.set(reason, count);
    }
    const visited = visitsEnded(stats);
    progress.advance(visited - ended);
    ended = visited;
    progress.note(waitingText(stats));
    const { pending, running } = stats.states;
    if (pending + running === 0) return;
    if (clock.monotonicMs() < giveUpMs) continue;
    throw new AppError("internal", "demo_stuck", `there is still work: ${waitingText(stats)}`);
  }
}

/** A visit is a chain of tasks of which one at a time waits or runs: what is not open is over. */
function visitsEnded({ kinds }: QueueStats): number {
  const of = (name: string) => kinds.find(({ kind }) => kind === name);
  const [details, enrich] = [of("details"), of("enrich")];
  return Math.max(0, (details?.done ?? 0) - (enrich?.pending ?? 0) - (enrich?.running ?? 0));
}

const waitingText = ({ reasons, states }: QueueStats) => {
  const waiting = reasons.filter(({ count }) => count > 0);
  const text = waiting.map(({ reason, count }) => `${count} ${reason}`).join(", ");
  return `${states.running} running; waiting: ${text || "none"}`;
};

function allCompanies({ index }: RecordsIn): readonly Company[] {
  const companies: Company[] = [];
  let after: string | undefined;
  do {
    const page = index.search({ kind: "company", sort: "name", limit: 500, ...(after !== undefined && { after }) }); // prettier-ignore
    companies.push(...page.rows.flatMap((row) => (row.kind === "company" ? [row.company] : [])));
    after = page.next;
  } while (after !== undefined);
  return companies;
}

async function visitsOf({ ledger }: RecordsIn, companies: readonly Company[]) {
  const visits: Record<string, number> = {};
  for (const { target } of companies) {
    const outcome = visitRecordOf(await ledger.read(target))?.outcome ?? "none";
    visits[outcome] = (visits[outcome] ?? 0) + 1;
  }
  return visits;
}

function contactsOf(companies: readonly Company[]): DemoResult["contacts"] {
  const sum = (count: (company: Company) => number) =>
    companies.reduce((all, company) => all + count(company), 0);
  return {
    emails: sum(({ emails }) => emails.length),
    phones: sum(({ phones }) => phones.length),
    socials: sum(({ socials }) => Object.keys(socials).length),
    people: sum(({ people }) => people.length),
  };
}

interface JudgeOptions {
  readonly opened: RecordsIn;
  readonly queue: Queue;
  readonly companies: readonly Company[];
  readonly clock: Clock;
}

async function judge(
  { campaign, targets, sites, server }: Stage,
  { opened, queue, companies, clock }: JudgeOptions,
): Promise<Verdict> {
  const tiles = planTiles(campaign).map(({ tile }) => tile);
  const witnesses = await readWitnesses(opened.ledger, tiles);
  const job = await queue.job(campaignName);
  return judgeDemo({
    sites,
    companies,
    requests: server.requests(),
    status: campaignStatus(campaign, targets, witnesses, clock.nowMs()),
    failed: job?.failed ?? 0,
    delayMs: politeDelayMs,
  });
}
