import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Service } from "../../base/service.ts";
import type { Applied } from "../../fleet/index.ts";
import type { NodeFleet, ProcessDesired, ProcessReport } from "../node-api.ts";

/** What a worker process reports to its node, and what it applies for it. */
export interface NodeWork {
  apply(desired: ProcessDesired): Promise<Applied>;
  /** By kind: how many tasks may run at once, and how many run. */
  kinds(): Readonly<Record<string, readonly [number, number]>>;
  alerts(): readonly string[];
}

export interface AttachWorkOptions {
  readonly fleet: NodeFleet;
  readonly work: NodeWork;
  readonly pid: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** How often to check for something to report; the report stays on this machine. */
const reportMs = 1_000;
/** An owner without services sends no desired state: work begins after this time without one. */
const firstMsMax = 5_000;

/**
 * Registers a process that runs tasks with its node: it applies the desired state, and reports what
 * it does. Started when it has applied the first desired state.
 */
export function attachWork(options: AttachWorkOptions): Service {
  const { fleet, work, pid, clock, random, log } = options;
  const process = createId(random);
  const over = new AbortController();
  let applied: ProcessReport["applied"];
  let reported = "";
  let timer: Timer | undefined;
  let turn: Promise<void> = Promise.resolve();
  let attaching: Promise<void> = Promise.resolve();

  const current = (): ProcessReport => ({
    process,
    pid,
    kinds: work.kinds(),
    alerts: work.alerts(),
    ...(applied && { applied }),
  });
  const report = async () => {
    const now = current();
    const text = JSON.stringify(now);
    if (text === reported || over.signal.aborted) return;
    await fleet.report(now);
    reported = text;
  };
  const apply = async (desired: ProcessDesired) => {
    const { what, faults } = await work.apply(desired).catch((error: unknown): Applied => ({
      what: "",
      faults: [error instanceof Error ? error.message : String(error)],
    }));
    applied = { number: desired.number, what, faults };
    reported = "";
    await report();
  };
  const inTurn = (step: () => Promise<void>): Promise<void> =>
    (turn = turn.then(step).catch((error: unknown) => {
      if (!over.signal.aborted) log.warn("this process cannot report to its node", { error });
    }));
  const reportAgain = () => {
    timer = clock.setTimer(
      reportMs,
      () => void inTurn(report).then(() => (over.signal.aborted ? undefined : reportAgain())),
      { background: true },
    );
  };

  return {
    async start() {
      const { promise: first, resolve: onFirst } = Promise.withResolvers<void>();
      const onProgress = (desired: ProcessDesired) =>
        void inTurn(() => apply(desired)).then(onFirst);
      const { signal } = over;
      attaching = fleet.attach(current(), { onProgress, signal }).catch((error: unknown) => {
        const isEnd = error instanceof AppError && error.kind === "aborted";
        if (!isEnd) log.error("this process is not one of its node's processes", { error });
      });
      const patience = clock.setTimer(firstMsMax, onFirst);
      await first;
      patience.cancel();
      reportAgain();
    },
    async stop() {
      over.abort();
      timer?.cancel();
      await attaching;
      await turn;
    },
  };
}
