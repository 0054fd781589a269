import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom, type Random } from "../../base/random.ts";
import { createQueue, type Queue, type QueueStore, type StoreNow } from "../../queue/index.ts";
import { graceMs, runsMax } from "../decide.ts";
import { scheduleKind } from "../occurrence-task.ts";
import { nextOccurrence } from "../occurrences.ts";
import type { Schedule } from "../schedule.ts";
import { createTicker } from "../ticker.ts";

/**
 * A fleet in virtual time: nodes start and stop, the store is unreachable at times, answers are
 * lost.
 */
export interface SimulationOptions {
  readonly seed: number;
  readonly openStore: (now: () => StoreNow) => Promise<QueueStore & Partial<AsyncDisposable>>;
}

const minuteMs = 60_000;
const hourMs = 3_600_000;

const zones = ["UTC", "Europe/Berlin", "America/New_York", "Africa/Cairo", "Australia/Lord_Howe"];
/**
 * Times around changes to and from daylight saving time in these zones, and a time far from any.
 */
const starts = ["2026-03-28T05:10Z", "2026-10-24T11:07Z", "2026-04-23T18:00Z", "2026-07-01T00:59Z"];

const pick = <T>(random: Random, list: readonly T[]): T => list[random.below(list.length)]!;

function randomCron(random: Random): string {
  const minute = pick(random, ["0", "30", "*/20", "7,37", "*/15", `${random.below(60)}`]);
  const hour = pick(random, ["*", "2", "*/3", "1,2,3", "0", `${random.below(24)}`]);
  return `${minute} ${hour} * * ${pick(random, ["*", "*", "1-5", "0"])}`;
}

function randomSchedule(random: Random, sinceMs: number): Schedule {
  const missed = pick(random, ["latest", "skip", "all"] as const);
  return {
    name: "s",
    timing:
      random.below(5) === 0
        ? { everyMs: (10 + random.below(300)) * minuteMs, fromMs: sinceMs }
        : { cron: randomCron(random), timezone: pick(random, zones) },
    action: { kind: "resolve" },
    missed,
    withinMs: pick(random, [10 * minuteMs, 2 * hourMs, 12 * hourMs]),
    overlap: missed === "all" ? "queue" : "skip",
    isPaused: false,
    sinceMs,
  };
}

type Facts = Map<string, unknown>;

/**
 * What each node knows of the ledger: its own writes at once, those of other nodes after a delay.
 */
function createSimLedger(random: Random, nowMs: () => number) {
  const log: { readonly field: string; readonly value: unknown; readonly seenAtMs: number[] }[] =
    [];
  return {
    write(node: number, nodes: number, field: string, value: unknown, isAtOnce: boolean) {
      const delay = (to: number) => (to === node || isAtOnce ? 0 : random.below(3 * hourMs));
      log.push({ field, value, seenAtMs: Array.from({ length: nodes }, (_, to) => nowMs() + delay(to)) }); // prettier-ignore
    },
    known(node: number): Facts {
      return new Map(
        log
          .filter(({ seenAtMs }) => seenAtMs[node]! <= nowMs())
          .map(({ field, value }) => [field, value]),
      );
    },
  };
}

/**
 * Returns what is wrong, or an empty list: each occurrence ran at most once, and the policy was
 * kept.
 */
export async function simulateSchedules(options: SimulationOptions): Promise<readonly string[]> {
  const random = createSeededRandom(options.seed);
  const startMs = Date.parse(pick(random, starts));
  let nowMs = startMs;
  const store = await options.openStore(() => ({ ms: nowMs, wallMs: nowMs }));
  const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => nowMs, setTimer: () => ({ cancel() {} }) }; // prettier-ignore
  const queue = createQueue({ store, clock, random });
  try {
    const versions = [randomSchedule(random, startMs)];
    const endMs = startMs + (30 + random.below(60)) * hourMs;
    const changeAtMs = random.below(2) === 0 ? startMs + random.below(endMs - startMs) : Infinity;
    const nodes = 1 + random.below(3);
    const ledger = createSimLedger(random, () => nowMs);
    const put = ({ name, ...rest }: Schedule) => ledger.write(0, nodes, name, rest, true);
    put(versions[0]!);
    /** The times at which the queue stored a decision of a node. */
    const decidedAt: number[] = [];
    let isAway = false;
    let awayUntilMs = 0;
    const flaky = flakyQueue(queue, {
      isAway: () => isAway,
      isAnswerLost: () => random.below(10) === 0,
      onStored: () => decidedAt.push(nowMs),
    });
    const start = (node: number) =>
      createTicker({
        ledger: {
          read: async (target: string) => ({
            target,
            fields: [...ledger.known(node)].map(([field, value]) => ({ field, value })),
          }),
          write: async ({
            changes,
          }: {
            changes: readonly { field: string; value?: unknown }[];
          }) => {
            for (const { field, value } of changes) ledger.write(node, nodes, field, value, false);
          },
        } as never,
        queue: async () => flaky,
        clock,
        log: silentLogger,
      });
    const running = Array.from({ length: nodes }, (_, node) => start(node) as ReturnType<typeof start> | undefined); // prettier-ignore
    while (nowMs < endMs) {
      nowMs += 5_000 + random.below(random.below(8) === 0 ? 90 * minuteMs : 3 * minuteMs);
      if (nowMs >= changeAtMs && versions.length === 1) {
        versions.push(randomSchedule(random, nowMs));
        put(versions[1]!);
      }
      if (nowMs > awayUntilMs && random.below(40) === 0) awayUntilMs = nowMs + random.below(6 * hourMs); // prettier-ignore
      isAway = nowMs < awayUntilMs;
      for (let node = 0; node < nodes; node++) {
        if (random.below(30) === 0) running[node] = running[node] ? undefined : start(node);
        await running[node]?.tick().catch((error: unknown) => {
          if (!(error instanceof AppError && error.kind === "unavailable")) throw error;
        });
      }
    }
    return await verdict(queue, { versions, startMs, endMs: nowMs, decidedAt });
  } finally {
    await queue[Symbol.asyncDispose]();
  }
}

interface Flakiness {
  readonly isAway: () => boolean;
  readonly isAnswerLost: () => boolean;
  readonly onStored: () => void;
}

function flakyQueue(queue: Queue, { isAway, isAnswerLost, onStored }: Flakiness) {
  const away = () => new AppError("unavailable", "sim_away", "the store is away");
  return {
    async now() {
      if (isAway()) throw away();
      return queue.now();
    },
    async openJob(...given: Parameters<Queue["openJob"]>) {
      return queue.openJob(...given);
    },
    async add(...given: Parameters<Queue["add"]>) {
      const answers = await queue.add(...given);
      onStored();
      if (isAnswerLost()) throw away();
      return answers;
    },
  };
}

interface Ran {
  readonly versions: readonly Schedule[];
  readonly startMs: number;
  readonly endMs: number;
  readonly decidedAt: readonly number[];
}

/** The expected occurrences, computed only from the times of the decisions. */
function expected({ versions, startMs, endMs, decidedAt }: Ran): ReadonlyMap<string, boolean> {
  const all = new Map<string, boolean>();
  for (const [at, { timing, missed, withinMs, sinceMs }] of versions.entries()) {
    const untilMs = versions[at + 1]?.sinceMs ?? Infinity;
    const own = decidedAt.filter((ms) => ms >= sinceMs && ms < untilMs);
    const occurrences: number[] = [];
    for (let o = nextOccurrence(timing, Math.max(startMs, sinceMs)); o !== undefined && o <= endMs; o = nextOccurrence(timing, o)) occurrences.push(o); // prettier-ignore
    for (const o of occurrences) {
      const first = own.find((ms) => ms >= o);
      if (first === undefined) continue;
      const newer = occurrences.filter((other) => other > o && other <= first).length;
      if (newer >= 50) continue; // the reason of a newer one covers it
      const lateMs = first - o;
      const isRun =
        missed === "skip"
          ? lateMs <= graceMs
          : lateMs <= Math.max(withinMs, graceMs) && newer < (missed === "latest" ? 1 : runsMax);
      all.set(new Date(o).toISOString(), isRun);
    }
  }
  return all;
}

async function verdict(queue: Queue, ran: Ran): Promise<readonly string[]> {
  const found = new Map<string, boolean>();
  const faults: string[] = [];
  for (let afterId = 0; ;) {
    const page = await queue.browse({ kind: scheduleKind, afterId, limit: 500 });
    for (const { payload } of page) {
      const { occurrence, skip } = JSON.parse(payload) as { occurrence: string; skip?: string };
      if (found.has(occurrence)) faults.push(`${occurrence} is there twice`);
      found.set(occurrence, skip === undefined);
    }
    if (page.length < 500) break;
    afterId = page.at(-1)!.id;
  }
  const wanted = expected(ran);
  for (const occurrence of new Set([...found.keys(), ...wanted.keys()])) {
    const [is, should] = [found.get(occurrence), wanted.get(occurrence)];
    if (is !== should) faults.push(`${occurrence}: ${words(is)}, and should be ${words(should)}`);
  }
  return faults;
}

const words = (isRun: boolean | undefined) =>
  isRun === undefined ? "absent" : isRun ? "run" : "skipped";
