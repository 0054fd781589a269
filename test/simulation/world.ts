import {
  createPersonality,
  personalities,
  type Personality,
} from "../../src/bucket/testing/personality.ts";
import type { MemoryObject } from "../../src/bucket/adapters/memory/memory-bucket.ts";
import type { Faults } from "../../src/bucket/index.ts";
import type { Clock } from "../../src/base/clock.ts";
import { createSeededRandom, type Random } from "../../src/base/random.ts";
import { createScheduler, worldClock, type Scheduler } from "./scheduler.ts";
import { createSimNode, type SimNode } from "./sim-node.ts";

/** Everything that one seed decides, and what became of it. */
export interface World {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly personality: Personality;
  /** What the store holds; written by nobody but its clients. */
  readonly objects: ReadonlyMap<string, MemoryObject>;
  readonly storeClock: Clock;
  readonly faultCounts: Map<string, number>;
  readonly trace: string[];
  readonly crashAt: number | undefined;
  /** One more life of a process. */
  boot(name: string): SimNode;
  readonly note: (kind: string) => void;
  readonly tell: (line: string) => void;
  /** From now on nothing more goes wrong. */
  calm(): void;
  /** Hears of every content that lands in the store, at that very moment. */
  onLanding(listener: (key: string, object: MemoryObject) => void): void;
}

export const startMs = Date.UTC(2026, 0, 1);
export const lateMsMax = 15_000;

/** As different as two front ends of one store are. */
const storeSkewMs = 700;
/** A bad crystal. */
const driftMax = 0.0002;

export interface WorldOptions {
  /** Absent: the seed decides. */
  readonly personality?: Personality;
  /** The call or answer at which the first life of all ends. */
  readonly crashAt?: number;
}

export function createWorld(seed: number, options: WorldOptions = {}): World {
  const random = createSeededRandom(seed);
  const scheduler = createScheduler();
  const personality = options.personality ?? pick(random, personalities);
  const objects = new Map<string, MemoryObject>();
  const landings: ((key: string, object: MemoryObject) => void)[] = [];
  const set = objects.set.bind(objects);
  objects.set = (key, object) => {
    set(key, object);
    for (const listener of landings) listener(key, object);
    return objects;
  };
  const faultCounts = new Map<string, number>();
  const trace: string[] = [];
  const note = (kind: string) => void faultCounts.set(kind, (faultCounts.get(kind) ?? 0) + 1);
  const tell = (line: string) => void trace.push(`${scheduler.nowMs().toFixed(3)} ${line}`);
  let isCalm = false;

  const clock = worldClock(scheduler, startMs);
  const storeClock: Clock = {
    ...clock,
    nowMs: () => Math.floor(clock.nowMs() + (random.next() - 0.5) * 2 * storeSkewMs),
  };
  const faults = rollFaults(random);
  const onFault = (kind: string, key: string) => {
    note(kind);
    tell(`${kind} ${key}`);
  };
  const open = createPersonality(personality, {
    clock: storeClock,
    random,
    faults,
    onFault,
    objects,
  });
  const openCalm = createPersonality("aws", { clock: storeClock, random, objects });
  tell(`${personality} ${JSON.stringify(faults)}`);

  return {
    scheduler,
    random,
    personality,
    crashAt: options.crashAt,
    objects,
    storeClock,
    faultCounts,
    trace,
    note,
    tell,
    calm: () => void (isCalm = true),
    onLanding: (listener) => void landings.push(listener),
    boot(name) {
      // Requests travel through the world: they arrive though their sender has died.
      const [wild, tame] = [open({ clock }), openCalm({ clock })];
      return createSimNode({
        name,
        scheduler,
        startMs,
        rate: 1 + (random.next() - 0.5) * 2 * driftMax,
        wallOffsetMs: (random.next() - 0.5) * 4 * 3_600_000,
        bucket: () => (isCalm ? tame : wild),
        onEvent: (kind) => {
          note(kind);
          tell(`${name} ${kind}`);
        },
      });
    },
  };
}

/** Some worlds are quiet but for one thing, some have it all. */
function rollFaults(random: Random): Faults {
  const chance = (max: number) => (random.next() < 0.5 ? 0 : random.next() * max);
  return {
    lostAnswer: chance(0.3),
    refused: chance(0.2),
    lateLanding: chance(0.2),
    vagueLoser: chance(0.6),
    falseConflict: chance(0.2),
    lostRead: chance(0.3),
    wayMsMax: 20 + random.next() * (random.next() < 0.2 ? 4_000 : 300),
    lateMsMax,
  };
}

export const pick = <T>(random: Random, values: readonly T[]): T =>
  values[random.below(values.length)]!;
