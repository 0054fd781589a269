import { AppError } from "../../base/app-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import type { Finished, FinishInput, GateView, Held, Queue, Release } from "../../queue/index.ts";
import { reasonOf } from "../failure.ts";
import type { TaskEnd } from "./kind-state.ts";
import type { With } from "../outcome.ts";
import type { TaskOutcome } from "../queue-outcome.ts";
import type { InFlightTask } from "./in-flight-task.ts";

/**
 * Reports to the queue how tasks ended, many in one call. Invariants:
 * - a report is repeated until the queue answers it, or until the worker stops. A repeat is harmless,
 *   because the queue recognizes a finish that it has already applied;
 * - if the queue refuses a finish (its result is not JSON, a task that it adds is invalid), that task
 *   fails and no other task is affected.
 */
export interface ResultReporter {
  finish(task: InFlightTask, outcome: TaskOutcome, more: With): void;
  release(task: InFlightTask): void;
  /** Sends the collected reports, unless the pause after a failed call is not over. */
  flush(): void;
  /** The number of reports that the queue has not answered yet. */
  pending(): number;
  /** True during the pause after a failed call. */
  isTroubled(): boolean;
  stop(): void;
}

export interface ResultReporterOptions {
  readonly queue: Pick<Queue, "finish" | "release">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The queue has answered: the task is no longer in flight. */
  readonly onEnded: (task: InFlightTask, end: TaskEnd, gate: GateView | undefined) => void;
  /** Called after `onEnded` was called for all tasks of one call. */
  readonly onAnswered: () => void;
  /** The pause after a failed call is over: `flush` sends again. */
  readonly onReady: () => void;
  /** The queue failed with an error that a repeat cannot resolve. */
  readonly onFatal: (error: unknown) => void;
}

interface TaskResult extends With {
  readonly task: InFlightTask;
  /** Absent: the task is released. */
  readonly outcome: TaskOutcome | undefined;
}

const callMax = 1_000;
const repeatMsMin = 100;
const repeatMsMax = 5_000;

export function createResultReporter(options: ResultReporterOptions): ResultReporter {
  const { queue, clock, random, logger, onEnded } = options;
  let collected: TaskResult[] = [];
  let sent = 0;
  let failures = 0;
  let timer: Timer | undefined;
  let isStopped = false;

  function answered(results: readonly TaskResult[], answers: readonly (Finished | Held)[]): void {
    failures = 0;
    sent -= results.length;
    for (let at = 0; at < results.length; at++) {
      const answer = answers[at]!;
      if (answer.status !== "lost") results[at]!.onStored?.();
      const end = answer.status === "held" ? "released" : answer.status;
      reportFailure(results[at]!, end);
      onEnded(results[at]!.task, end, answer.gate);
    }
    options.onAnswered();
  }

  /** Routine if a handler asks to be called again at once. */
  function reportFailure({ task, outcome }: TaskResult, end: TaskEnd): void {
    if (outcome?.kind !== "fail" && outcome?.kind !== "retry") return;
    const { id, kind, key, used, attemptsMax } = task.lease;
    const { reason, stack } = outcome;
    const fields = {
      task: id,
      kind,
      key,
      attempt: used,
      attemptsMax,
      reason,
      ...(stack && { stack }),
    };
    if (end === "failed") logger.error("a task failed for good", fields);
    else if (stack === undefined && outcome.kind === "retry" && outcome.delayMs === 0)
      logger.debug("a handler asked for another attempt", fields);
    else logger.warn("an attempt failed and is repeated", fields);
  }

  function failed(results: readonly TaskResult[], error: unknown): void {
    sent -= results.length;
    if (isStopped) return;
    if (error instanceof AppError && error.kind === "invalid") return refused(results, error);
    if (!(error instanceof AppError) || error.kind !== "unavailable") return options.onFatal(error);
    collected.push(...results);
    failures += 1;
    const longestMs = Math.min(repeatMsMax, repeatMsMin * 2 ** Math.min(failures, 10));
    timer?.cancel();
    timer = clock.setTimer(random.next() * longestMs, () => {
      timer = undefined;
      options.onReady();
    });
    logger.warn("could not store the outcomes of tasks, trying again", {
      error,
      tasks: collected.length,
    });
  }

  /** The queue refused the whole call because of one report: send each alone to find it. */
  function refused(results: readonly TaskResult[], error: AppError): void {
    const [only] = results;
    if (results.length > 1) return results.forEach((result) => send([result]));
    if (!only?.outcome || isBare(only)) return options.onFatal(error);
    const reason = `the queue refused the outcome of the task: ${reasonOf(error)}`;
    send([{ task: only.task, outcome: { kind: "fail", reason } }]);
  }

  function send(results: readonly TaskResult[]): void {
    sent += results.length;
    const isFinish = results[0]!.outcome !== undefined;
    const call = isFinish
      ? queue.finish(results.map(toFinish))
      : queue.release(results.map(toRelease));
    call.then(
      (answers) => answered(results, answers),
      (error: unknown) => failed(results, error),
    );
  }

  function sendAll(results: readonly TaskResult[]): void {
    for (let at = 0; at < results.length; at += callMax) send(results.slice(at, at + callMax));
  }

  return {
    finish: (task, outcome, more) =>
      void collected.push(
        more.add || more.raise || more.onStored ? { task, outcome, ...more } : { task, outcome },
      ),
    release: (task) => void collected.push({ task, outcome: undefined }),
    flush() {
      if (collected.length === 0 || timer) return;
      const results = collected;
      collected = [];
      const releases = results.filter(({ outcome }) => !outcome);
      sendAll(releases.length === 0 ? results : results.filter(({ outcome }) => outcome));
      sendAll(releases);
    },
    pending: () => collected.length + sent,
    isTroubled: () => timer !== undefined,
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

function toFinish({ task, outcome, add, raise }: TaskResult): FinishInput {
  const { id, token } = task.lease;
  const sinceStartMs = task.run?.sinceStartMs();
  const { requests } = task;
  if (!add && !raise && requests === 0) {
    return sinceStartMs === undefined
      ? { id, token, outcome: outcome! }
      : { id, token, outcome: outcome!, sinceStartMs };
  }
  return {
    id,
    token,
    outcome: outcome!,
    ...(sinceStartMs === undefined ? {} : { sinceStartMs }),
    ...(add && { add }),
    ...(raise && { raise }),
    ...(requests > 0 && { requests }),
  };
}

function toRelease({ task }: TaskResult): Release {
  const { id, token } = task.lease;
  const sinceStartMs = task.run?.sinceStartMs();
  return sinceStartMs === undefined ? { id, token } : { id, token, sinceStartMs };
}

/** Has no data from the handler, so a refusal is not the fault of the handler. */
const isBare = ({ outcome, add, raise }: TaskResult) => outcome?.kind === "fail" && !add && !raise;
