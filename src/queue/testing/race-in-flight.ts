import { sleep, type Clock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { Random } from "../../base/random.ts";
import type { Queue } from "../queue.ts";
import type { Lease, Pace } from "../task.ts";
import type { RaceLog } from "./race-log.ts";

export type RaceLease = Pick<Lease, "id" | "token" | "key" | "gate" | "job" | "pace">;

/** A lease, and the time on this process's clock after which others may have the task. */
interface InFlightLease extends RaceLease {
  deadlineMs: number;
  isLost: boolean;
  /** True if it hangs: its lease is no longer extended. */
  isHung: boolean;
}

export interface RaceInFlightOptions {
  readonly queue: Queue;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: RaceLog;
  readonly leaseMs: number;
}

export interface RaceInFlight {
  /** `sentMs`: when the claim was sent; the leases began at that time or later. */
  take(leases: readonly RaceLease[], sentMs: number): void;
  slots(): number;
  /** Resolves when a task has ended, or after a short time. */
  changed(): Promise<unknown>;
}

/** Start no task that could still be running when its lease ends. */
const startMarginMs = 400;
const workMsMax = 4;
const blockMs = 30;

/**
 * The tasks in flight at one worker. It paces runs, extends leases, and at random does what a
 * worker may do: retries, releases, hangs past its lease, blocks a gate after a refusal.
 */
export function createRaceInFlight(options: RaceInFlightOptions): RaceInFlight {
  const { queue, clock, random, log, leaseMs } = options;
  const inFlight = new Map<string, InFlightLease>();
  const groups = new Map<Promise<void>, number>();
  const chance = (percent: number) => random.next() * 100 < percent;
  const ref = ({ id, token, gate, job }: RaceLease) => ({ id, token, gate, job });
  const nameOf = ({ id, token }: Pick<RaceLease, "id" | "token">) => `${id}/${token}`;

  async function keepLeases(): Promise<void> {
    for (;;) {
      await sleep(clock, leaseMs / 3);
      const held = [...inFlight.values()].filter((lease) => !lease.isHung && !lease.isLost);
      if (held.length === 0) continue;
      const sentMs = machineMonotonicMs();
      const answers = await queue.extend(
        held.map(({ id, token }) => ({ id, token })),
        leaseMs,
      );
      held.forEach((lease, index) => {
        if (answers[index]?.status === "held") lease.deadlineMs = sentMs + leaseMs;
        else lease.isLost = true;
      });
    }
  }
  void keepLeases(); // runs until the process ends

  async function runAll(leases: readonly InFlightLease[], pace: Pace | undefined): Promise<void> {
    const atWork = new Set<Promise<void>>();
    const run = { lastStartMs: -Infinity, isOver: false };
    const limit = pace?.isRun ? pace.limit : leases.length;
    for (const lease of leases) {
      while (atWork.size >= limit) await Promise.race(atWork);
      if (pace?.isRun) await untilAfter(run.lastStartMs, pace.delayMs);
      const work = doOne(lease, run).finally(() => {
        inFlight.delete(nameOf(lease));
        atWork.delete(work);
      });
      atWork.add(work);
    }
    await Promise.all(atWork);
  }

  async function doOne(lease: InFlightLease, run: { lastStartMs: number; isOver: boolean }) {
    const { id, token } = lease;
    const sinceStart = () =>
      run.lastStartMs === -Infinity ? {} : { sinceStartMs: machineMonotonicMs() - run.lastStartMs };
    const nowMs = machineMonotonicMs();
    const isSafe = !lease.isLost && nowMs < lease.deadlineMs - startMarginMs;
    if (!isSafe || run.isOver || chance(3)) {
      await queue.release([{ id, token, ...sinceStart() }]);
      return;
    }
    // No await from here on except the work itself, so that the logged start is the real one.
    run.lastStartMs = nowMs;
    log({ event: "start", ...ref(lease) }, nowMs);
    await sleep(clock, random.below(workMsMax * 100) / 100);
    log({ event: "end", ...ref(lease) });
    if (lease.pace?.isRun && chance(4)) await refuse(lease, run);
    if (chance(0.4)) {
      lease.isHung = true;
      await sleep(clock, leaseMs * 1.5);
    }
    const isRetry = chance(8);
    const outcome = isRetry
      ? { kind: "retry" as const, delayMs: random.below(15), reason: "by chance" }
      : { kind: "done" as const, result: lease.key };
    const isParent = !isRetry && lease.key.endsWith("+");
    const add = isParent
      ? [{ kind: "race", job: lease.job, gate: lease.gate, key: childOf(lease.key), attemptsMax }]
      : [];
    log({ event: "finishing", outcome: outcome.kind, ...ref(lease) });
    const [answer] = await queue.finish([{ id, token, outcome, ...sinceStart(), add }]);
    const status = answer?.status ?? "lost";
    log({ event: "finished", outcome: outcome.kind, status, ...ref(lease) });
  }

  /** The host refused: blocks its gate and releases the rest of the run. */
  async function refuse(lease: InFlightLease, run: { isOver: boolean }): Promise<void> {
    run.isOver = true;
    const sentMs = machineMonotonicMs();
    await queue.block(lease.gate, blockMs);
    log({ event: "blocked", gate: lease.gate, untilMs: sentMs + blockMs });
  }

  /** Compares differences, like the check does: a sum of start and delay may be rounded down. */
  async function untilAfter(startMs: number, delayMs: number): Promise<void> {
    const leftMs = () => delayMs - (machineMonotonicMs() - startMs);
    for (let left = leftMs(); left > 0; left = leftMs()) await sleep(clock, left);
  }

  return {
    take(leases, sentMs) {
      const taken = leases.map((lease) => ({
        ...lease,
        deadlineMs: sentMs + leaseMs,
        isLost: false,
        isHung: false,
      }));
      for (const lease of taken) inFlight.set(nameOf(lease), lease);
      for (const group of groupsOf(taken)) {
        const pace = group[0]?.pace;
        const done: Promise<void> = runAll(group, pace).then(() => void groups.delete(done));
        groups.set(done, pace?.isRun ? Math.min(pace.limit, group.length) : group.length);
      }
    },
    slots: () => [...groups.values()].reduce((sum, slots) => sum + slots, 0),
    changed: () => Promise.race([...groups.keys(), sleep(clock, 20)]),
  };
}

/**
 * Enough attempts that no task runs out of them: every retry, hang, death and expired lease on a
 * slow machine counts, and a failure for that reason would not be a fault of the queue.
 */
export const attemptsMax = 1_000;

/** A task whose key ends in "+" adds a task with this key when it is done. */
export const childOf = (key: string): string => `${key}child`;

/** All leases of one gate in one claim are one run; every other lease is separate. */
function groupsOf(leases: readonly InFlightLease[]): readonly InFlightLease[][] {
  const runs = new Map<string, InFlightLease[]>();
  for (const lease of leases) {
    const name = lease.pace?.isRun ? lease.gate : `${lease.id}`;
    runs.set(name, [...(runs.get(name) ?? []), lease]);
  }
  return [...runs.values()];
}
