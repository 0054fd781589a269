import { writeFile } from "node:fs/promises";
import { openNodeReader, openQueue, type NodeReader } from "../../app/index.ts";
import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { campaignStatus, planTiles, readWitnesses } from "../../campaign/index.ts";
import { createPaths, type Paths, type Settings } from "../../config/index.ts";
import type { Queue, QueueStats, WaitingReason } from "../../queue/index.ts";
import {
  companyCsvHeader,
  companyCsvLine,
  type Company,
  visitRecordOf,
} from "../../records/index.ts";
import type { ProgressHandle } from "../../base/progress-handle.ts";
import { nodeNames, openDemoFleet, type DemoFleet } from "./demo-fleet.ts";
import { judgeDemo, type Verdict } from "./judge-demo.ts";
import type { TakeOver } from "./lease-log.ts";
import { createFaults, tasksTakenOver, type KilledNode } from "./faults.ts";
import { readReplicas, type ReplicaCount } from "./replicas.ts";
import { chooseRecord, showRecord, type ShownRecord } from "./show-record.ts";
import { campaignName, politeDelayMs, setStage, type Stage } from "./stage.ts";

export interface DemoOptions {
  /** An empty data folder. */
  readonly paths: Paths;
  readonly size: number;
  readonly crawl: Settings["crawl"];
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly startProgress: (total: number) => ProgressHandle;
  /** Returns the output of `forager status --cluster` while the fleet runs. */
  readonly showCluster: (where: ClusterPlace) => Promise<string | undefined>;
}

export interface ClusterPlace {
  /** The data folder of one node. */
  readonly data: string;
  readonly bucket: string;
  readonly queue: string;
}

export interface DemoResult {
  readonly size: number;
  readonly tiles: number;
  readonly phrases: number;
  readonly elapsedMs: number;
  readonly requests: number;
  /** How the visits of websites ended → how many. */
  readonly visits: Readonly<Record<string, number>>;
  readonly contacts: Readonly<Record<"emails" | "phones" | "socials" | "people", number>>;
  /** For each reason, the largest number of waiting tasks that was seen. */
  readonly reasons: Readonly<Partial<Record<WaitingReason, number>>>;
  /** Undefined: the run ended before. */
  readonly killed: KilledNode | undefined;
  readonly takeOvers: readonly TakeOver[];
  readonly replicas: readonly ReplicaCount[];
  readonly cluster?: string;
  readonly verdict: Verdict;
  readonly record: ShownRecord | undefined;
  /** The file with all companies, and its rows. */
  readonly csv: string;
  readonly rows: number;
}

const lookMs = 100;
/** The limit of a run, in addition to the time that its sites need. */
const patienceMs = 120_000;
/** The replicas need milliseconds; a busy machine needs more. */
const settleMs = 30_000;

/**
 * Sets up a region, lets a fleet of three nodes find and visit all of it, kills one of them in the
 * middle, and checks the results.
 */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const { paths, size, clock, log, crawl, version } = options;
  const folders = nodeNames.map((name) => createPaths(paths.resolve(name)));
  for (const one of folders) makeFolder(one.root());
  const bucket = `dir:${paths.resolve("bucket")}`;
  const address = `${bucket}?shards=1`;
  await using queue = await openQueue(address);
  await using stage = await setStage({ folders, size, queue, clock });
  const fleet = await openDemoFleet({ folder: paths.root(), bucket, queue: address, crawl, version, clock }); // prettier-ignore
  const progress = options.startProgress(size);
  const peaks = new Map<WaitingReason, number>();
  const faults = createFaults({ fleet, size, clock });
  const startMs = clock.monotonicMs();
  let elapsedMs = 0;
  let cluster: string | undefined;
  try {
    for (const name of nodeNames) fleet.start(name);
    const run = async () => {
      await watch(options, { queue, progress, peaks, onLook: (visited) => faults.look(visited) });
      elapsedMs = clock.monotonicMs() - startMs;
      faults.end();
      progress.note("the replicas become equal");
      await settle(fleet, options);
      cluster = await options.showCluster({ data: folders[0]!.root(), bucket, queue: address });
    };
    await Promise.race([fleet.failed, run()]);
  } finally {
    await fleet.stop();
    progress.done();
  }
  const [own] = folders as [Paths];
  const replicas = await readReplicas(folders, log);
  await using opened = await openNodeReader({ paths: own, log, version, note: () => {} });
  const companies = await allCompanies(opened);
  const csv = "companies.csv";
  const rows = companies.map(companyCsvLine);
  await writeFile(paths.resolve(csv), `${companyCsvHeader()}${rows.join("")}`);
  const chosen = chooseRecord(companies);
  const takeOvers = await tasksTakenOver(fleet, queue);
  return {
    size,
    tiles: stage.region.tiles.length,
    phrases: stage.region.phrases.length,
    elapsedMs,
    requests: stage.server.requests().length,
    visits: await visitsOf(opened, companies),
    contacts: contactsOf(companies),
    reasons: Object.fromEntries(peaks),
    killed: faults.killed(),
    takeOvers,
    replicas,
    ...(cluster !== undefined && { cluster }),
    verdict: await judge(stage, { opened, queue, companies, clock, replicas, takeOvers }),
    record: chosen && (await showRecord(own, chosen)),
    csv,
    rows: rows.length,
  };
}

/**
 * Waits until no node has a task in flight and all nodes know that they have the same data. If that
 * does not happen, the digests show it. A node whose lease was taken over may still be working.
 */
async function settle(fleet: DemoFleet, { clock, signal }: DemoOptions): Promise<void> {
  const giveUpMs = clock.monotonicMs() + settleMs;
  while (clock.monotonicMs() < giveUpMs) {
    fleet.rest(); // again: a node that has just been started may have missed it
    const states = await fleet.states(signal);
    const knowing = states.filter(
      ({ isAtRest, equals }) => isAtRest && equals === nodeNames.length - 1,
    );
    const digests = new Set(states.map(({ digest }) => digest));
    if (knowing.length === nodeNames.length && digests.size === 1) return;
    await sleep(clock, lookMs, signal);
  }
}

interface Watched {
  readonly queue: Queue;
  readonly progress: ProgressHandle;
  readonly peaks: Map<WaitingReason, number>;
  readonly onLook: (visited: number) => void;
}

/** Watches the queue, like any other process could, until there is nothing left to do. */
async function watch(
  { size, clock, signal }: DemoOptions,
  { queue, progress, peaks, onLook }: Watched,
): Promise<void> {
  const giveUpMs = clock.monotonicMs() + patienceMs + size * 1_000;
  let ended = 0;
  for (;;) {
    await sleep(clock, lookMs, signal);
    const stats = await queue.stats();
    for (const { reason, count } of stats.reasons) {
      if (count > (peaks.get(reason) ?? 0)) peaks.set(reason, count);
    }
    const visited = Math.max(ended, visitsEnded(stats, size));
    progress.advance(visited - ended);
    ended = visited;
    onLook(visited);
    progress.note(waitingText(stats));
    const { pending, running } = stats.states;
    if (pending + running === 0) return;
    if (clock.monotonicMs() < giveUpMs) continue;
    throw new AppError("internal", "demo_stuck", `there is still work: ${waitingText(stats)}`);
  }
}

/**
 * A visit is a chain of tasks: one at a time waits or runs. When all places are found, a visit
 * without such a task has ended; before that it is unknown.
 */
function visitsEnded({ kinds }: QueueStats, size: number): number {
  const open = (name: string) => {
    const found = kinds.find(({ kind }) => kind === name);
    return (found?.pending ?? 0) + (found?.running ?? 0);
  };
  return open("discover") > 0 ? 0 : Math.max(0, size - open("enrich"));
}

const waitingText = ({ reasons, states }: QueueStats) => {
  const waiting = reasons.filter(({ count }) => count > 0);
  const text = waiting.map(({ reason, count }) => `${count} ${reason}`).join(", ");
  return `${states.running} running; waiting: ${text || "none"}`;
};

async function allCompanies({ records }: NodeReader): Promise<readonly Company[]> {
  const companies: Company[] = [];
  let after: string | undefined;
  do {
    const page = await records.search({ kind: "company", sort: "name", limit: 500, ...(after !== undefined && { after }) }); // prettier-ignore
    companies.push(...page.rows.flatMap((row) => (row.kind === "company" ? [row.company] : [])));
    after = page.next;
  } while (after !== undefined);
  return companies;
}

async function visitsOf({ ledger }: NodeReader, companies: readonly Company[]) {
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
  readonly opened: NodeReader;
  readonly queue: Queue;
  readonly companies: readonly Company[];
  readonly clock: Clock;
  readonly replicas: readonly ReplicaCount[];
  readonly takeOvers: readonly TakeOver[];
}

async function judge(
  { campaign, targets, sites, server }: Stage,
  { opened, queue, companies, clock, replicas, takeOvers }: JudgeOptions,
): Promise<Verdict> {
  const tiles = planTiles(campaign).map(({ tile }) => tile);
  const witnesses = await readWitnesses(opened.ledger, tiles, { campaign });
  const job = await queue.job(campaignName);
  return judgeDemo({
    sites,
    companies,
    requests: server.requests(),
    status: campaignStatus(campaign, targets, witnesses, clock.nowMs()),
    failed: job?.failed ?? 0,
    delayMs: politeDelayMs,
    digests: replicas.map(({ digest }) => digest),
    abandoned: takeOvers.filter(({ by }) => by === undefined).length,
  });
}
