import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { createQueue } from "../create-queue.ts";
import type { Job } from "../job.ts";
import type { Queue, TaskInput } from "../queue.ts";
import type { Reconciled } from "../queue-store.ts";
import type { Task } from "../task.ts";
import {
  apart,
  blocksKept,
  finishedOnce,
  leasesUnique,
  withinLimit,
  worksOf,
} from "./race-checks.ts";
import { raceSeen, raceThroughChaos, type Chaos } from "./race-chaos.ts";
import { blocksLasted, handOver } from "./race-hand-over.ts";
import { attemptsMax } from "./race-in-flight.ts";
import { openSharedStore, type SharedStore } from "./race-store.ts";

export interface RaceSuiteOptions {
  readonly name: string;
  /** Creates fresh storage. The folder is empty and is deleted afterwards. */
  readonly store: (folder: string) => SharedStore;
  readonly processes: number;
  /** For how long processes are killed. */
  readonly chaosMs: number;
  /** Of each of the five groups of tasks. */
  readonly tasks: number;
}

/** A gate with a delay or a limit of one is owned by one worker at a time. */
const gates = {
  one: { delayMs: 0, limit: 1 },
  slow: { delayMs: 12, limit: 1 },
  pair: { delayMs: 8, limit: 2 },
  many: { delayMs: 0, limit: 3 },
} as const;
const handOverDelayMs = 5;
const blockMs = 10;
const caps = { free: undefined, capped: 2, site: 1 } as const;

/**
 * Real processes work on one store, and some are killed with -9 at random times. Their logs, on one
 * clock, must show every exclusion that a queue promises.
 */
export function raceSuite(options: RaceSuiteOptions): void {
  const { name, store, processes, chaosMs } = options;
  // Forty times what an idle machine needs: on a busy one, few tasks start while their lease is
  // fresh.
  const giveUpMs = chaosMs * 2 + 400_000;

  describe(`${processes} processes race on ${name}, some die`, () => {
    const folder = mkdtempSync(join(tmpdir(), "forager-race-"));
    const seed = systemRandom.below(2 ** 31);
    let race: Race;

    beforeAll(async () => {
      race = await runRace(options, store(folder), { folder, seed, giveUpMs });
    }, giveUpMs + 60_000);
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test("every task is done, exactly once, and none is lost", () => {
      // What remains shows whether the queue is stuck or the machine is slow.
      const left = race.jobs.filter(({ ended }) => ended === null);
      expect({ isOver: race.isOver, left, doing: race.tasks.filter(isUnfinished) }).toEqual({
        isOver: true,
        left: [],
        doing: [],
      });
      expect(race.tasks.length).toBeGreaterThan(options.tasks * 5);
      expect(finishedOnce(race.tasks, race.events)).toEqual([]);
    });

    test("no lease is held by two workers", () => {
      expect(leasesUnique(race.events)).toEqual([]);
    });

    test("a gate never has more at work than its limit", () => {
      for (const [gate, { limit }] of Object.entries(gates)) {
        const works = race.works.filter((work) => work.gate === gate);
        expect(works.length).toBeGreaterThan(0);
        expect(withinLimit(`gate ${gate}`, works, limit)).toEqual([]);
      }
    });

    test("no gap between starts of a gate is shorter than its delay", () => {
      for (const [gate, { delayMs }] of Object.entries(gates)) {
        const works = race.works.filter((work) => work.gate === gate);
        expect(apart(`gate ${gate}`, works, delayMs)).toEqual([]);
      }
    });

    test("no gap is short by a fraction either, when the next one stands before the gate", () => {
      expect(race.handOverGapsMs.length).toBeGreaterThan(100);
      expect(race.handOverGapsMs.filter((gapMs) => gapMs < handOverDelayMs)).toEqual([]);
    });

    test("no block is short by a fraction either, when somebody claims all the time", () => {
      expect(race.blocksLastedMs.length).toBeGreaterThan(20);
      expect(race.blocksLastedMs.filter((lastedMs) => lastedMs < blockMs)).toEqual([]);
    });

    test("nothing starts while its gate is blocked", () => {
      expect(race.events.some(({ event }) => event === "blocked")).toBe(true);
      expect(blocksKept(race.events, race.works)).toEqual([]);
    });

    test("a job never has more at work than its cap", () => {
      for (const [job, cap] of Object.entries(caps)) {
        const works = race.works.filter((work) => work.job === job);
        expect(works.length).toBeGreaterThan(0);
        expect(withinLimit(`job ${job}`, works, cap ?? Infinity)).toEqual([]);
      }
    });

    test("every job completes exactly once", () => {
      const ends = race.jobs.map(({ name: job, ended, completions }) => [
        job,
        { ended, completions },
      ]);
      const once = { ended: "completed", completions: 1 };
      expect(Object.fromEntries(ends)).toEqual({ capped: once, free: once, site: once });
    });

    test("the counters have not drifted", () => {
      expect(race.reconciled).toEqual({ drift: [], orphans: 0, repaired: false });
    });

    test("it was a race: processes died at work and others took over", () => {
      expect({ seed, ...raceSeen(race.events, race.kills, processes) }).toEqual({
        seed,
        isKilled: true,
        isReplaced: true,
        isTakenOver: true,
      });
    });
  });
}

const isUnfinished = ({ state }: Task) => state === "pending" || state === "running";

interface Race extends Chaos {
  readonly works: ReturnType<typeof worksOf>;
  readonly tasks: readonly Task[];
  readonly jobs: readonly Job[];
  readonly reconciled: Reconciled;
  readonly handOverGapsMs: readonly number[];
  readonly blocksLastedMs: readonly number[];
}

async function runRace(
  { processes, chaosMs, tasks }: RaceSuiteOptions,
  store: SharedStore,
  run: { readonly folder: string; readonly seed: number; readonly giveUpMs: number },
): Promise<Race> {
  const open = async () =>
    createQueue({
      store: await openSharedStore(store),
      clock: systemClock,
      random: systemRandom,
    });
  await using queue = await open();
  await prepare(queue);
  await addTasks(queue, { from: 0, count: tasks });
  let added = tasks;
  const chaos = await raceThroughChaos({
    ...run,
    store,
    processes,
    chaosMs,
    isOver: async () => (await queue.jobs()).every((job) => job.ended !== null),
    async feed() {
      const pending = (await queue.jobs()).reduce((sum, job) => sum + job.pending, 0);
      if (pending >= fedBelow) return;
      await addTasks(queue, { from: added, count: fedAtOnce });
      added += fedAtOnce;
    },
    async seal() {
      for (const job of Object.keys(caps)) await queue.seal(job);
    },
  });
  const seen = {
    ...chaos,
    works: worksOf(chaos.events),
    tasks: await allTasks(queue),
    jobs: await queue.jobs(),
    reconciled: await queue.reconcile(),
  };
  await using other = await open();
  const handing = { delayMs: handOverDelayMs, starts: 200 };
  const handOverGapsMs = await handOver([queue, other], handing);
  const blocksLastedMs = await blocksLasted(queue, { forMs: blockMs, blocks: 40 });
  return { ...seen, handOverGapsMs, blocksLastedMs };
}

async function prepare(queue: Queue): Promise<void> {
  for (const [gate, settings] of Object.entries(gates)) await queue.setGate(gate, settings);
  for (const [job, concurrency] of Object.entries(caps)) {
    await queue.openJob(job, {
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(job === "site" ? { gate: "slow" } : {}),
    });
  }
}

/** When fewer tasks than the first number are left, add this many of each kind, so that work continues. */
const [fedBelow, fedAtOnce] = [50, 10];

async function addTasks(
  queue: Queue,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<void> {
  const sorts: readonly Pick<TaskInput, "job" | "gate">[] = [
    { job: "free", gate: "one" },
    { job: "site", gate: "slow" },
    { job: "free", gate: "pair" },
    { job: "capped", gate: "many" },
    { job: "capped" },
  ];
  const keys = Array.from({ length: count }, (_, at) => `${from + at}${at % 4 ? "" : "+"}`);
  for (const sort of sorts) {
    await queue.add(
      keys.map((key) => ({ ...sort, kind: "race", key, payload: null, attemptsMax })),
    );
  }
}

async function allTasks(queue: Queue): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (;;) {
    const page = await queue.browse({ afterId: tasks.at(-1)?.id ?? 0, limit: 500 });
    if (page.length === 0) return tasks;
    tasks.push(...page);
  }
}
