import { AppError } from "../../base/app-error.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { LeasedTask, Queue } from "../../queue/index.ts";
import type { DemoKinds } from "./scenario.ts";
import type { VisitRef, WriteVisit } from "./visit-log.ts";

export type Visit = LeasedTask<DemoKinds>;

/** The visits in one worker's hands: paces them, keeps their leases, finishes them. */
export interface VisitHands {
  /** `sentMs`: when the claim was sent, which is when the leases began at the latest. */
  take(visits: readonly Visit[], sentMs: number): void;
  /** How many slots are in use: a run takes as many as it may have at work at once. */
  slots(): number;
  holdsSuspect(): boolean;
  /** Resolves when something has left the hands. */
  changed(): Promise<unknown>;
}

export interface VisitHandsOptions {
  readonly queue: Queue<DemoKinds>;
  readonly clock: Clock;
  readonly log: WriteVisit;
  readonly leaseMs: number;
  /** Fires: nothing new is started, what is not at work goes back. */
  readonly signal: AbortSignal;
}

interface InHand {
  readonly visit: Visit;
  deadlineMs: number;
  readonly lost: AbortController;
}

/** The visits of one gate in one claim; without a gate each visit is a run of its own. */
interface Run {
  readonly visits: readonly InHand[];
  readonly slots: number;
  lastStartMs: number;
}

/** A visit is not started when its lease could end before the next extension is answered. */
const startMarginMs = 200;
const retryDelayMs = 500;

export function createVisitHands(options: VisitHandsOptions): VisitHands {
  const { queue, clock, log, leaseMs, signal } = options;
  const inHand = new Set<InHand>();
  const runs = new Map<Promise<void>, Run>();

  async function keepLeases(): Promise<void> {
    for (;;) {
      await sleep(clock, leaseMs / 3);
      const held = [...inHand];
      if (held.length === 0) continue;
      const sentMs = machineMonotonicMs();
      const leases = held.map(({ visit: { id, token } }) => ({ id, token }));
      const answers = await queue.extend(leases, leaseMs);
      held.forEach((one, index) => {
        if (answers[index]?.status === "held") one.deadlineMs = sentMs + leaseMs;
        else one.lost.abort();
      });
    }
  }
  void keepLeases(); // ends with the process

  async function doRun(run: Run): Promise<void> {
    const atWork = new Set<Promise<void>>();
    for (const one of run.visits) {
      while (atWork.size >= run.slots) await Promise.race(atWork);
      await untilStart(run, one);
      const work = doVisit(run, one).finally(() => {
        inHand.delete(one);
        atWork.delete(work);
      });
      atWork.add(work);
    }
    await Promise.all(atWork);
  }

  /** Start to start: a missed moment shifts the rest and is never caught up. */
  async function untilStart({ lastStartMs }: Run, { visit }: InHand): Promise<void> {
    const atMs = lastStartMs + (visit.pace?.isRun ? visit.pace.delayMs : 0);
    for (let left = atMs - machineMonotonicMs(); left > 0; left = atMs - machineMonotonicMs()) {
      await sleep(clock, left);
    }
  }

  async function doVisit(run: Run, one: InHand): Promise<void> {
    const { id, token, payload, used } = one.visit;
    const nowMs = machineMonotonicMs();
    const isSafe = !one.lost.signal.aborted && nowMs < one.deadlineMs - startMarginMs;
    if (signal.aborted || !isSafe) {
      await queue.release([{ id, token, ...sinceStart(run) }]);
      return;
    }
    run.lastStartMs = nowMs;
    log({ event: "start", ...refOf(one.visit) }, nowMs);
    try {
      await sleep(clock, payload.takesMs, one.lost.signal);
    } catch (error) {
      if (error instanceof AppError && error.kind === "aborted") return; // another has it now
      throw error;
    } finally {
      log({ event: "end", ...refOf(one.visit) });
    }
    const outcome =
      used <= payload.failures
        ? ({ kind: "retry", delayMs: retryDelayMs, reason: "503 Service Unavailable" } as const)
        : ({ kind: "done", result: { bytes: 1_000 + id } } as const);
    log({ event: "finishing", outcome: outcome.kind, ...refOf(one.visit) });
    const [answer] = await queue.finish([{ id, token, outcome, ...sinceStart(run) }]);
    const status = answer?.status ?? "lost";
    log({ event: "finished", outcome: outcome.kind, status, ...refOf(one.visit) });
  }

  return {
    take(visits, sentMs) {
      const taken = visits.map((visit) => ({
        visit,
        deadlineMs: sentMs + leaseMs,
        lost: new AbortController(),
      }));
      for (const one of taken) inHand.add(one);
      for (const run of runsOf(taken)) {
        const done: Promise<void> = doRun(run).then(() => void runs.delete(done));
        runs.set(done, run);
      }
    },
    slots: () => [...runs.values()].reduce((sum, run) => sum + run.slots, 0),
    holdsSuspect: () => [...inHand].some(({ visit }) => visit.isSuspect),
    changed: () => Promise.race(runs.keys()),
  };
}

/** The store cuts its clock to whole milliseconds: a gate must not open one of them early. */
function sinceStart({ lastStartMs }: Run): { readonly sinceStartMs?: number } {
  if (lastStartMs === -Infinity) return {};
  return { sinceStartMs: Math.max(0, machineMonotonicMs() - lastStartMs - 1) };
}

function runsOf(taken: readonly InHand[]): readonly Run[] {
  const groups = new Map<string, InHand[]>();
  for (const one of taken) {
    const { gate, id, pace } = one.visit;
    const name = pace?.isRun ? gate : `${id}`;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups.values()].map((visits) => ({
    visits,
    slots: visits[0]?.visit.pace?.isRun ? visits[0].visit.pace.limit : 1,
    lastStartMs: -Infinity,
  }));
}

const refOf = ({ id, token, key, gate, job }: Visit): VisitRef => ({ id, token, key, gate, job });
