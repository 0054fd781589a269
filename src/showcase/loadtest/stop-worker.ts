import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { sleep, type Clock } from "../../base/clock.ts";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { StoppedAt } from "./stop-self.ts";
import { createVisitTail, type VisitEvent } from "./visit-log.ts";

/**
 * When a stopped worker is continued: while another runs its task, or after that has finished it.
 */
export type ContinueWhen = "taken over" | "done by another";

export interface StopWorkerOptions {
  readonly worker: string;
  readonly when: ContinueWhen;
  readonly stopFile: string;
  readonly holdFile: string;
  /** The logs of all workers. */
  readonly logFiles: () => readonly string[];
  readonly send: (message: string) => void;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly clock: Clock;
  readonly aborted: AbortSignal;
}

/** A stop, in times of the machine's monotonic clock. */
export interface Stop {
  readonly worker: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** False: no other worker took its tasks over in time, so it was not late. */
  readonly wasLate: boolean;
}

const lookMs = 100;
/** The limit until it has a task to finish. */
const stopMsMax = 30_000;
/** The limit until its leases run out and other workers have free slots. */
const takeOverMsMax = 60_000;
const answerMsMax = 10_000;

/**
 * Lets a worker stop itself while it finishes tasks, waits until others have them, continues it,
 * and waits for the answer to its late finish. undefined: it had nothing to finish.
 */
export async function stopWorker(options: StopWorkerOptions): Promise<Stop | undefined> {
  const { worker, when, stopFile, holdFile, clock, aborted } = options;
  const read = createVisitTail(options.logFiles);
  const seen: VisitEvent[] = [];
  const hasSeen = (isIt: (event: VisitEvent) => boolean) => {
    seen.push(...read());
    return seen.some(isIt);
  };
  const until = async (msMax: number, isSo: () => boolean): Promise<boolean> => {
    const endMs = clock.monotonicMs() + msMax;
    while (!isSo()) {
      if (clock.monotonicMs() > endMs) return false;
      await sleep(clock, lookMs, aborted);
    }
    return true;
  };
  options.send("stop yourself");
  const hasStopped = await until(stopMsMax, () => existsSync(stopFile));
  if (!hasStopped) return undefined;
  const { atMs: fromMs, ids } = JSON.parse(readFileSync(stopFile, "utf8")) as StoppedAt;
  rmSync(stopFile);
  try {
    if (when === "taken over") writeFileSync(holdFile, JSON.stringify(ids));
    const isOthers = (one: VisitEvent) =>
      one.worker !== worker && one.atMs > fromMs && ids.includes(one.id);
    const isTaken = (one: VisitEvent) =>
      isOthers(one) &&
      (when === "taken over"
        ? one.event === "start"
        : one.event === "finished" && one.status === "done");
    const wasLate = await until(takeOverMsMax, () => hasSeen(isTaken));
    const untilMs = machineMonotonicMs();
    options.signal("SIGCONT");
    const isAnswered = (one: VisitEvent) =>
      one.worker === worker && one.event === "finished" && one.atMs > fromMs;
    await until(answerMsMax, () => hasSeen(isAnswered));
    return { worker, fromMs, untilMs, wasLate };
  } finally {
    options.signal("SIGCONT"); // also if the test was aborted
    rmSync(holdFile, { force: true });
  }
}
