import { AppError } from "../../src/base/app-error.ts";
import { sleep } from "../../src/base/clock.ts";
import { createId } from "../../src/base/ids.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { openLedger } from "../../src/ledger/index.ts";
import {
  createLocalApi,
  makeRepeatable,
  openNode,
  type NodeHandle,
  type OwnedParts,
  type ProcessKind,
} from "../../src/node/index.ts";
import { guardedDisk } from "./ledger-machine.ts";
import { Violation } from "./lease-run.ts";
import { createSimMeetingPoint, type SimFolder } from "./sim-meeting-point.ts";
import type { SimNode } from "./sim-node.ts";
import type { SeedResult } from "./simulate.ts";
import { makeTrouble } from "./trouble.ts";
import { createWorld, pick, type World, type WorldOptions } from "./world.ts";

/**
 * The processes of one data folder, any of which may die or stop at any await. Obligations:
 * - N1: only the process that holds the lock writes to the disk;
 * - N2: a write that was acknowledged is in the journal;
 * - N3: no write is in the journal twice, whether it was acknowledged or not;
 * - N4: when nothing more goes wrong, every process can write again.
 */
const chaosMs = 60_000;
/** Longer than an owner may be silent. */
const pauseMsMax = 45_000;
const calmMs = 30_000;
const targets = ["company/1", "company/2"];

interface FolderLog {
  readonly acknowledged: Set<string>;
  /** By process: writes that were acknowledged since nothing more goes wrong. */
  readonly calmWrites: Map<string, number>;
  isCalm: boolean;
  failure: Error | undefined;
}

export async function simulateNode(seed: number, options: WorldOptions = {}): Promise<SeedResult> {
  const world = createWorld(seed, { ...options, personality: "aws" });
  const { trace, faultCounts, scheduler } = world;
  const end = (violation?: string): SeedResult => {
    if (violation) trace.push(violation);
    return { seed, violation, trace, faultCounts, moments: scheduler.moments() };
  };
  try {
    await runFolder(world);
    return end();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return end(error.message);
  }
}

async function runFolder(world: World): Promise<void> {
  const { random, scheduler } = world;
  const folder: SimFolder = { lock: undefined, listener: undefined };
  const files = new Map<string, Uint8Array>();
  const log: FolderLog = {
    acknowledged: new Set(),
    calmWrites: new Map(),
    isCalm: false,
    failure: undefined,
  };
  const check = () => {
    if (log.failure instanceof Violation) throw log.failure;
    if (log.failure) throw new Violation(`a process failed: ${log.failure.stack}`);
  };
  const names = ["a", "b", "c", "d"].slice(0, 2 + random.below(3));
  const trouble = makeTrouble({
    world,
    names,
    run: (process) => runProcess({ world, folder, files, log }, process),
    untilMs: chaosMs,
    pauseMsMax,
    everyMsMax: 4_000,
  });
  await scheduler.runUntil(chaosMs, check);
  world.calm();
  trouble.end();
  await scheduler.runUntil(chaosMs + pauseMsMax, check);
  log.isCalm = true;
  await scheduler.runUntil(chaosMs + pauseMsMax + calmMs, check);
  for (const process of trouble.lives()) {
    if (process.isAlive() && !log.calmWrites.get(process.name)) {
      throw new Violation(`N4: ${process.name} cannot write any more`);
    }
  }
  for (const process of trouble.lives()) process.crash();
  await checkJournal({ world, folder, files, log });
}

interface Stage {
  readonly world: World;
  readonly folder: SimFolder;
  readonly files: Map<string, Uint8Array>;
  readonly log: FolderLog;
}

/** One life of a process: it opens the folder, writes, closes it, and opens it again. */
function runProcess(stage: Stage, process: SimNode): void {
  const { world, log } = stage;
  const { random } = world;
  const { clock } = process;
  // Worker processes need another process that owns the folder: the first one is a service.
  const isFirst = process.name === "a";
  const live = async () => {
    for (;;) {
      const kind = isFirst
        ? "service"
        : pick<ProcessKind>(random, ["service", "command", "worker"]);
      try {
        const node = await open(stage, process, kind);
        world.note(kind);
        const writes = kind === "command" ? 1 + random.below(3) : 5 + random.below(40);
        for (let count = 0; count < writes; count++) await write(stage, process, node);
        await node.close();
        world.note("closed");
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
        world.note(error.code);
        world.tell(`${process.name}: ${error.code}`);
      }
      await sleep(clock, random.next() * 2_000);
    }
  };
  live().catch((error: unknown) => void (log.failure ??= error as Error));
}

async function write({ world, log }: Stage, process: SimNode, node: NodeHandle): Promise<void> {
  const { random } = world;
  await sleep(process.clock, random.next() * 800);
  const batch = Array.from({ length: 1 + random.below(3) }, async () => {
    const target = pick(random, targets);
    const element = `${process.name}-${createId(random, 8)}`;
    const changes = [
      { target, field: `seen/${element}`, value: true },
      { target, field: "phone", value: element },
    ];
    await node.api.ledger.write({
      source: pick(random, ["hand:anna", "site:https://a.b"]),
      changes,
    });
    log.acknowledged.add(element);
    if (log.isCalm) {
      log.calmWrites.set(process.name, (log.calmWrites.get(process.name) ?? 0) + 1);
    }
  });
  for (const { status, reason } of (await Promise.allSettled(batch)) as PromiseRejectedResult[]) {
    if (status === "rejected") throw reason;
  }
}

function open(stage: Stage, process: SimNode, kind: ProcessKind): Promise<NodeHandle> {
  const { world, folder } = stage;
  const { clock } = process;
  return openNode({
    kind,
    point: createSimMeetingPoint(world, folder, process),
    openOwned: () => openOwned(stage, process),
    version: "1",
    pid: 1,
    clock,
    random: world.random,
    log: silentLogger,
  });
}

async function openOwned(
  { world, folder, files, log }: Stage,
  process: SimNode,
): Promise<OwnedParts> {
  const disk = guardedDisk(world, { files }, process);
  const append: typeof disk.append = (name, bytes) => {
    if (folder.lock !== process) log.failure ??= new Violation(`N1: ${process.name} has no lock`);
    return disk.append(name, bytes);
  };
  const { clock } = process;
  const { random } = world;
  const given = { disk: { ...disk, append }, clock, random, log: silentLogger, label: "folder" };
  const opened = await openLedger(given);
  const repeatable = makeRepeatable(opened);
  const unused = () => Promise.reject(new Error("not simulated"));
  return {
    api: createLocalApi({
      ledger: repeatable,
      records: unused,
      random,
      fleet: { view: unused, attach: unused, report: unused },
      wake: { added: unused, listen: unused },
      withBucket: unused,
    }),
    newestStamp: () => opened.status().highWater,
    repeat: (after, work) => repeatable.repeat(after, work),
    services: async () => ({ start: async () => {}, stop: async () => {} }),
    [Symbol.asyncDispose]: () => opened.close(),
  };
}

async function checkJournal(stage: Stage): Promise<void> {
  const { world, log } = stage;
  const judge = world.boot("judge");
  const counts = new Map<string, number>();
  let isRead = false;
  const read = async () => {
    const node = await open(stage, judge, "command");
    for (const { field, value } of await node.api.ledger.log({ from: 0, limit: 100_000 })) {
      const name = field === "phone" ? `phone ${value}` : field;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    isRead = true;
  };
  read().catch((error: unknown) => void (log.failure ??= error as Error));
  await world.scheduler.runUntil(world.scheduler.nowMs() + 60_000, () => {});
  if (log.failure) throw new Violation(`the journal cannot be read: ${log.failure.stack}`);
  if (!isRead) throw new Violation("the journal cannot be read in time");
  world.tell(`${log.acknowledged.size} writes acknowledged, ${counts.size} values in the journal`);
  for (const element of log.acknowledged) {
    if (!counts.has(`seen/${element}`)) throw new Violation(`N2: ${element} was acknowledged`);
  }
  for (const [name, count] of counts) {
    if (count > 1) throw new Violation(`N3: ${name} is in the journal ${count} times`);
  }
}
