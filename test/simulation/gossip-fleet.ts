import { AppError } from "../../src/base/app-error.ts";
import type { Clock } from "../../src/base/clock.ts";
import { sleep } from "../../src/base/clock.ts";
import { createId } from "../../src/base/ids.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { createSeededRandom, type Random } from "../../src/base/random.ts";
import type { MemoryNetwork } from "../../src/gossip/testing/memory-network.ts";
import {
  createGossip,
  type Gossip,
  type Keyring,
  type GossipReplica,
} from "../../src/gossip/index.ts";
import {
  createMemoryReplica,
  type MemoryReplica,
} from "../../src/gossip/testing/memory-replica.ts";
import { worldClock, type Scheduler } from "./scheduler.ts";

const startMs = Date.UTC(2026, 0, 1);

/** One machine: a disk that survives, and the life of gossip that runs on it now. */
export interface GossipNode {
  readonly name: string;
  readonly disk: MemoryReplica;
  address: string;
  gossip: Gossip | undefined;
  /** What it has written, by `origin/number`; never anything of another. */
  readonly written: Set<string>;
  start(keyring: Keyring): void;
  /** In order, or as if the power had gone. */
  stop(how: "stop" | "crash"): void;
  write(record: Uint8Array): void;
  meet(addresses: readonly string[]): void;
}

export interface GossipNodeOptions {
  readonly name: string;
  readonly address: string;
  readonly scheduler: Scheduler;
  readonly network: MemoryNetwork;
  readonly random: Random;
  /** How far its wall clock is ahead. */
  readonly aheadMs: number;
  readonly fail: (message: string) => void;
  /** A disk that is full now and then. */
  readonly failing: () => boolean;
}

export function createGossipNode(options: GossipNodeOptions): GossipNode {
  const { name, scheduler, network, random, aheadMs, fail, failing } = options;
  const disk = createMemoryReplica();
  const written = new Set<string>();
  let life = 0;
  let origin = "";
  const node: GossipNode = {
    name,
    disk,
    address: options.address,
    gossip: undefined,
    written,
    start(keyring) {
      life += 1;
      const mine = life;
      const clock = lifeClock(scheduler, aheadMs, () => life === mine);
      origin = `${name}/${createId(random, 8)}`;
      const { transport, pull } = network.join(node.address);
      node.gossip = createGossip({
        replica: slowReplica({
          disk,
          clock,
          random,
          fail: (text) => fail(`${name}: ${text}`),
          failing,
        }),
        transport,
        pull,
        keyring,
        cluster: "simulation",
        node: name,
        clock,
        random: createSeededRandom(random.below(2 ** 31)),
        log: silentLogger,
      });
    },
    stop(how) {
      const gossip = node.gossip;
      node.gossip = undefined;
      if (how === "stop") void gossip?.[Symbol.asyncDispose]();
      life += 1;
    },
    write(record) {
      disk.write(origin, record);
      written.add(`${origin}/${disk.records(origin).length}`);
    },
    meet(addresses) {
      node.gossip?.meet(
        "static",
        addresses.map((address) => ({ address })),
      );
    },
  };
  return node;
}

/** Of one life: what it has set for later does not happen after it. */
function lifeClock(scheduler: Scheduler, aheadMs: number, isAlive: () => boolean): Clock {
  const clock = worldClock(scheduler, startMs + aheadMs);
  return {
    ...clock,
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, () => isAlive() && callback()),
  };
}

interface SlowReplicaOptions {
  readonly disk: MemoryReplica;
  readonly clock: Clock;
  readonly random: Random;
  readonly fail: (message: string) => void;
  readonly failing: () => boolean;
}

/** Storing takes its time and may fail. It is strict: what is known must not be offered at all. */
function slowReplica({ disk, clock, random, fail, failing }: SlowReplicaOptions): GossipReplica {
  const busy = new Set<string>();
  return {
    vector: () => disk.vector(),
    read: (ask) => disk.read(ask),
    follow: (listener) => disk.follow(listener),
    async receive(range) {
      const have = disk.vector().get(range.origin) ?? 0;
      if (range.from !== have + 1)
        fail(`G2: offered ${range.from} of ${range.origin} after ${have}`);
      if (busy.has(range.origin)) fail(`G2: two ranges of ${range.origin} at once`);
      busy.add(range.origin);
      try {
        await sleep(clock, random.next() * 20);
        if (failing()) throw new AppError("unavailable", "full", "the disk is full");
        await disk.receive(range);
      } finally {
        busy.delete(range.origin);
      }
    },
  };
}
