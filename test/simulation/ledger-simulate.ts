import { foldOfAll, missingElements, watchBucket, type LedgerChecks } from "./ledger-checks.ts";
import { checkpointTarget } from "../../src/ledger/index.ts";
import { publishAhead } from "./ledger-rogue.ts";
import { vanishAtTimes } from "./ledger-vanish.ts";
import { damageJournal } from "./ledger-damage.ts";
import {
  chaosMs,
  hubMs,
  proveFit,
  runMachine,
  type FleetLog,
  type Machine,
} from "./ledger-machine.ts";
import { createMachineState } from "./ledger-state.ts";
import { Violation } from "./lease-run.ts";
import type { SeedResult } from "./simulate.ts";
import { makeTrouble } from "./trouble.ts";
import { createWorld, type World, type WorldOptions } from "./world.ts";

const pauseMsMax = 2 * (hubMs.ttlMs + hubMs.marginMs);
/** At most: pauses end, late writes land, the lease is found free, all is folded and fetched. */
const calmMsMax = 90_000;
/** How often a whole calm is looked at, for what lands when all seemed to be over. */
const wholeCalm = 0.1;

export interface LedgerSimulation extends WorldOptions {
  /** Nodes do the hub's work by themselves. Absent: each waits for the role all the time. */
  readonly hub?: "auto";
  /** Machines lose published parts of their journals while they are down; nothing else is lost. */
  readonly hasDamage?: boolean;
}

/** Runs a fleet of ledgers through the world of one seed. */
export async function simulateLedger(
  seed: number,
  options: LedgerSimulation = {},
): Promise<SeedResult> {
  let world = createWorld(seed, options);
  // A store that ignores conditions is refused before anything begins: see the probe.
  if (world.personality === "ignores-conditions") {
    world = createWorld(seed, { ...options, personality: "aws" });
  }
  const { trace, faultCounts, scheduler } = world;
  const end = (violation?: string): SeedResult => {
    if (violation) trace.push(violation);
    return { seed, violation, trace, faultCounts, moments: scheduler.moments() };
  };
  try {
    await runFleet(world, options);
    return end();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return end(error.message);
  }
}

async function runFleet(world: World, options: LedgerSimulation): Promise<void> {
  const { random, scheduler } = world;
  const { hasDamage = false } = options;
  const checks = watchBucket(world);
  const log: FleetLog = {
    acknowledged: new Set(),
    isWriting: true,
    isCalm: false,
    failure: undefined,
  };
  const machines = new Map<string, Machine>();
  const machineOf = (
    name: string,
    { files, state }: Pick<Machine, "files" | "state"> = {
      files: new Map(),
      state: createMachineState(),
    },
  ) => {
    const known = machines.get(name) ?? { name, files, state, ledger: undefined, writes: 0 };
    machines.set(name, known);
    return known;
  };
  const check = () => {
    checks.throwIfBroken();
    if (log.failure instanceof Violation) throw log.failure;
    if (log.failure) throw new Violation(`a machine failed: ${log.failure.stack}`);
  };

  const trouble = makeTrouble({
    world,
    names: ["a", "b", "c"].slice(0, 2 + random.below(2)),
    run(node) {
      const machine = machineOf(node.name);
      if (hasDamage) damageJournal(world, machine);
      runMachine({ world, machine, node, log, hub: options.hub, hasErasing: !hasDamage });
    },
    untilMs: chaosMs,
    pauseMsMax,
    everyMsMax: 6_000,
  });
  if (options.hub === "auto") proveFit(world);
  if (!hasDamage && random.next() < 0.3) {
    scheduler.after(4_000 + random.next() * 8_000, () => {
      const { files, state } = machineOf("a");
      const copy = { files: structuredClone(files), state: state.copy() };
      world.note("clone");
      world.tell("a is cloned to d");
      const node = world.boot("d");
      const machine = machineOf("d", copy);
      runMachine({ world, machine, node, log, hub: options.hub, hasErasing: !hasDamage });
    });
  }
  if (random.next() < 0.3) {
    scheduler.after(4_000 + random.next() * 10_000, () => publishAhead(world));
  }
  if (!hasDamage && random.next() < 0.5) vanishAtTimes(world, () => [...machines.values()]);
  await scheduler.runUntil(chaosMs, check);
  world.calm();
  trouble.end();
  const isWhole = random.next() < wholeCalm;
  const isOver = () => !trouble.lives().some((node) => node.isAlive() && node.isPaused());
  const isEnd = () => !isWhole && isOver() && isSettled([...machines.values()], checks);
  log.isCalm = true;
  for (const machine of machines.values()) machine.writes = 0;
  do {
    await scheduler.runUntil(scheduler.nowMs() + 500, check);
    // Each writes once more: a clone finds out by that. Then all must come to the same.
    if ([...machines.values()].every(({ writes }) => writes > 0)) log.isWriting = false;
  } while (scheduler.nowMs() < chaosMs + calmMsMax && (log.isWriting || !isEnd()));
  await checkEnd(world, [...machines.values()], log, checks);
}

/** All know the same, all of it is published, and a checkpoint holds it. */
function isSettled(machines: readonly Machine[], checks: LedgerChecks): boolean {
  const covered = checks.newest()?.vector;
  if (!covered) return false;
  const all = new Map<string, number>();
  for (const { node, session, number, target } of checks.datagrams.values()) {
    const key = `${node}/${session}`;
    if (target !== checkpointTarget && (covered.get(key) ?? 0) < number) return false;
    all.set(key, Math.max(number, all.get(key) ?? 0));
  }
  return machines.every(({ ledger }) => {
    const { unpublished = 1, quarantined = 1 } = ledger?.status() ?? {};
    if (unpublished > 0 || quarantined > 0) return false;
    const vector = ledger!.vector();
    return vector.size === all.size && [...all].every(([key, last]) => vector.get(key) === last);
  });
}

async function checkEnd(
  world: World,
  machines: readonly Machine[],
  log: FleetLog,
  checks: LedgerChecks,
): Promise<void> {
  world.tell(`${checks.datagrams.size} datagrams, ${log.acknowledged.size} acknowledged`);
  if (!checks.newest()) throw new Violation("O8: there is no checkpoint after all that calm");
  let expected: string | undefined;
  for (const { name, ledger } of machines) {
    if (!ledger) throw new Violation(`O8: ${name} did not come back`);
    const missing = await settled(world, missingElements(ledger, log.acknowledged));
    if (missing.length > 0) throw new Violation(`O7: ${name} has lost ${missing[0]}`);
    const { unpublished, quarantined } = ledger.status();
    if (unpublished > 0) throw new Violation(`O8: ${name} has not published ${unpublished}`);
    if (quarantined > 0) throw new Violation(`O8: ${name} keeps ${quarantined} aside`);
    const vector = ledger.vector();
    const known = [...checks.datagrams.values()].filter(
      ({ node, session, number }) => number <= (vector.get(`${node}/${session}`) ?? 0),
    );
    const digest = await settled(world, ledger.digest());
    if (digest !== foldOfAll(known)) {
      throw new Violation(`O6: ${name} has other bytes than the fold of all that it knows`);
    }
    expected ??= digest;
    if (digest !== expected) throw new Violation(`O6: ${name} has other bytes than the others`);
  }
  const nodes = new Set(machines.map(({ ledger }) => ledger!.node()));
  if (nodes.size < machines.length) throw new Violation("two machines have one id in the end");
}

/** Reading takes no virtual time: what is compared is of one moment. */
async function settled<T>({ scheduler }: World, work: Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  let failure: Error | undefined;
  work.then(
    (value) => (result = { value }),
    (error: unknown) => (failure = error as Error),
  );
  for (let tries = 0; tries < 100 && !result && failure === undefined; tries++) {
    await scheduler.runUntil(scheduler.nowMs(), () => {});
  }
  if (result) return result.value;
  throw failure ?? new Violation("reading never ends");
}
