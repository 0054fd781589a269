import { createSeededRandom, type Random } from "../../src/base/random.ts";
import {
  createMemoryNetwork,
  type MemoryNetwork,
} from "../../src/gossip/testing/memory-network.ts";
import type { Keyring } from "../../src/gossip/index.ts";
import {
  checkAll,
  checkQuiet,
  checkSent,
  checkWork,
  isConverged,
  missingCount,
} from "./gossip-checks.ts";
import { createGossipNode, type GossipNode } from "./gossip-fleet.ts";
import { Violation } from "./lease-run.ts";
import { createScheduler, worldClock, type Scheduler } from "./scheduler.ts";
import type { SeedResult } from "./simulate.ts";

const calmMsMax = 40_000;
const quietMs = 5_000;

/** A fleet that only talks: through losses, partings, restarts and a change of keys, until all agree. */
export interface GossipWorld {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: MemoryNetwork;
  readonly nodes: readonly GossipNode[];
  /** It has a key of its own. */
  readonly stranger: GossipNode;
  readonly tell: (line: string) => void;
  readonly note: (kind: string) => void;
  readonly check: () => void;
  /** Disks fail now and then. */
  readonly isSick: { now: boolean };
  keyring: Keyring;
  records: number;
}

export async function simulateGossip(seed: number): Promise<SeedResult> {
  const trace: string[] = [];
  const faultCounts = new Map<string, number>();
  const scheduler = createScheduler();
  const end = (violation?: string): SeedResult => {
    if (violation) trace.push(violation);
    return { seed, violation, trace, faultCounts, moments: scheduler.moments() };
  };
  try {
    await runWorld(createGossipWorld({ seed, scheduler, trace, faultCounts }));
    return end();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return end(error.message);
  }
}

function createGossipWorld(options: {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly trace: string[];
  readonly faultCounts: Map<string, number>;
}): GossipWorld {
  const { seed, scheduler, trace, faultCounts } = options;
  const random = createSeededRandom(seed);
  const tell = (line: string) => void trace.push(`${scheduler.nowMs().toFixed(1)} ${line}`);
  const note = (kind: string) => faultCounts.set(kind, (faultCounts.get(kind) ?? 0) + 1);
  let failure: string | undefined;
  const fail = (message: string) => {
    tell(message);
    failure ??= message;
  };
  const network = createMemoryNetwork({ clock: worldClock(scheduler, 0), random });
  const isSick = { now: random.below(4) === 0 };
  // Small ones mostly; one in eight is larger than a fleet that tells everybody.
  const count = random.below(8) === 0 ? 17 + random.below(34) : 3 + random.below(6);
  const open = (name: string, at: number, aheadMs = 0) =>
    createGossipNode({
      name,
      address: `10.0.0.${at}:9999`,
      scheduler,
      network,
      random,
      aheadMs,
      fail,
      failing: () => isSick.now && random.next() < 0.2,
    });
  const nodes = Array.from({ length: count }, (_, at) =>
    open(`n${at}`, at + 1, at === 0 ? 2 * 3_600_000 : 0),
  );
  note("clockAhead");
  if (count > 16) note("manyNodes");
  const stranger = open("stranger", 200);
  network.watch((from, to, packet) => {
    if (packet.length > 1_200) fail(`G3: a packet of ${packet.length} bytes from ${from} to ${to}`);
  });
  tell(`${count} nodes${isSick.now ? ", full disks" : ""}`);
  if (isSick.now) note("fullDisk");
  const world: GossipWorld = {
    scheduler,
    random,
    network,
    nodes,
    stranger,
    tell,
    note,
    check() {
      if (failure) throw new Violation(failure);
      checkSent(world);
    },
    isSick,
    keyring: { keys: [keyOf(1)] },
    records: 0,
  };
  return world;
}

async function runWorld(world: GossipWorld): Promise<void> {
  const { scheduler, random, network, nodes, stranger, check } = world;
  for (const node of nodes) node.start(world.keyring);
  stranger.start({ keys: [keyOf(99)] });
  meetAll(world);
  await scheduler.runUntil(2_000, check);
  const chaosMs = 2_000 + 8_000 + random.below(12_000);
  setConditions(world);
  const untilMs = scheduler.nowMs() + chaosMs;
  every(world, untilMs, 1_200, () => writeSome(world));
  every(world, untilMs, 4_000, () => makeTrouble(world));
  if (random.below(2) === 0) rotateKeys(world, scheduler.nowMs() + chaosMs / 4, chaosMs / 8);
  await scheduler.runUntil(untilMs, check);

  Object.assign(network.conditions, { loss: random.below(2) === 0 ? 0.1 : 0, isOpen: () => true });
  world.isSick.now = false;
  for (const node of nodes) if (!node.gossip) node.start(world.keyring);
  meetAll(world);
  const missing = missingCount(nodes);
  const before = { sent: network.sent(), atMs: scheduler.nowMs() };
  world.tell(`calm: ${world.records} records, ${missing} to be brought`);
  while (!isConverged(nodes)) {
    if (scheduler.nowMs() > untilMs + calmMsMax) break;
    await scheduler.runUntil(scheduler.nowMs() + 250, check);
  }
  world.tell(`converged after ${Math.round(scheduler.nowMs() - before.atMs)} ms`);
  checkAll(nodes, stranger);
  checkWork(world, { missing, ...before });
  await scheduler.runUntil(scheduler.nowMs() + 1_000, check);
  const sentBefore = network.sent();
  await scheduler.runUntil(scheduler.nowMs() + quietMs, check);
  checkQuiet(nodes, { sent: network.sent() - sentBefore, ms: quietMs });
  for (const node of [...nodes, stranger]) node.stop("stop");
}

function setConditions({ random, network, tell, note }: GossipWorld): void {
  const { conditions } = network;
  conditions.loss = [0, 0.1, 0.3][random.below(3)]!;
  conditions.duplication = [0, 0.1][random.below(2)]!;
  const max = [1, 20, 150][random.below(3)]!;
  conditions.delayMs = { min: max / 4, max };
  if (conditions.loss > 0) note("loss");
  if (conditions.duplication > 0) note("duplication");
  if (max > 1) note("reordering");
  tell(`loss ${conditions.loss}, duplication ${conditions.duplication}, delay up to ${max} ms`);
}

/** At random moments until then. */
function every(world: GossipWorld, untilMs: number, msMax: number, work: () => void): void {
  const { scheduler, random } = world;
  scheduler.after(random.next() * msMax, () => {
    if (scheduler.nowMs() >= untilMs) return;
    work();
    every(world, untilMs, msMax, work);
  });
}

function writeSome(world: GossipWorld): void {
  const { random, nodes, stranger } = world;
  const living = [...nodes, stranger].filter(({ gossip }) => gossip);
  const node = living[random.below(living.length)];
  if (!node) return;
  const count = random.below(10) === 0 ? 100 : 1 + random.below(5);
  for (let at = 0; at < count; at++) {
    const isLarge = random.below(40) === 0;
    node.write(random.bytes(isLarge ? 2_000 + random.below(60_000) : 20 + random.below(600)));
    if (isLarge) world.note("large");
  }
  if (node !== stranger) world.records += count;
}

function makeTrouble(world: GossipWorld): void {
  const { random, network, nodes, tell, note, scheduler } = world;
  const { conditions } = network;
  const node = nodes[random.below(nodes.length)]!;
  switch (random.below(5)) {
    case 0: {
      const side = new Set(nodes.filter(() => random.below(2) === 0).map(({ address }) => address));
      conditions.isOpen = (from, to) => side.has(from) === side.has(to);
      note("partition");
      return tell(`parted: ${side.size} of ${nodes.length}`);
    }
    case 1: {
      const { address } = node;
      const deaf = random.below(2) === 0;
      conditions.isOpen = (from, to) => (deaf ? to !== address : from !== address);
      note("oneWay");
      return tell(`${node.name} ${deaf ? "hears nobody" : "is not heard"}`);
    }
    case 2:
      conditions.isOpen = () => true;
      return tell("joined");
    default: {
      if (!node.gossip) return;
      const how = random.below(2) === 0 ? "stop" : "crash";
      node.stop(how);
      note(how);
      tell(`${node.name} ends by a ${how}`);
      scheduler.after(random.next() * 5_000, () => {
        if (node.gossip) return;
        if (random.below(3) === 0) {
          node.address = `10.0.${1 + random.below(200)}.${1 + random.below(200)}:9999`;
          note("moved");
        }
        node.start(world.keyring);
        meetSome(world, node);
        tell(`${node.name} is back at ${node.address}`);
      });
    }
  }
}

/** The new one last, then first, then alone: each step reaches the nodes one by one. */
function rotateKeys(world: GossipWorld, fromMs: number, stepMs: number): void {
  const [old, next] = [keyOf(1), keyOf(2)];
  const steps = [[old, next], [next, old], [next]];
  steps.forEach((keys, at) => {
    world.scheduler.after(fromMs - world.scheduler.nowMs() + at * stepMs, () => {
      world.keyring = { keys };
      world.note("keyStep");
      world.tell(`keys: step ${at + 1}`);
      for (const node of world.nodes) {
        world.scheduler.after(world.random.next() * stepMs * 0.9, () =>
          node.gossip?.useKeys(world.keyring),
        );
      }
    });
  });
}

const meetAll = (world: GossipWorld) => {
  for (const node of [...world.nodes, world.stranger]) meetSome(world, node);
};

/** All know where all are, the stranger too: discovery finds it as any other. */
function meetSome({ nodes, stranger }: GossipWorld, node: GossipNode): void {
  node.meet([...nodes, stranger].filter((other) => other !== node).map(({ address }) => address));
}

function keyOf(seed: number): Uint8Array {
  return createSeededRandom(seed).bytes(32);
}
