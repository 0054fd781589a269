import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Finished, FinishInput, GateView, Held, Queue, Release } from "../queue/index.ts";
import { reasonOf } from "./failure.ts";
import type { TaskEnd } from "./kind-state.ts";
import type { With } from "./outcome.ts";
import type { TaskOutcome } from "./queue-outcome.ts";
import type { TaskInHand } from "./task-in-hand.ts";

/**
 * Reports to the queue how tasks ended, many in one call. Invariants:
 * - a report is repeated until the queue answers it, or until the worker stops. A repeat is harmless,
 *   because the queue recognizes a finish that it has already applied;
 * - if the queue refuses a finish (its result is not JSON, a task that it adds is invalid), that task
 *   fails and no other task is affected.
 */
export interface Endings {
  finish(task: TaskInHand, outcome: TaskOutcome, more: With): void;
  release(task: TaskInHand): void;
  /** Sends the collected reports, unless the pause after a failed call is not over. */
  flush(): void;
  /** The number of reports that the queue has not answered yet. */
  pending(): number;
  /** True during the pause after a failed call. */
  isTroubled(): boolean;
  stop(): void;
}

export interface EndingsOptions {
  readonly queue: Pick<Queue, "finish" | "release">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The queue has answered: the task is no longer in flight. */
  readonly onEnded: (task: TaskInHand, end: TaskEnd, gate: GateView | undefined) => void;
  /** Called after `onEnded` was called for all tasks of one call. */
  readonly onAnswered: () => void;
  /** The pause after a failed call is over: `flush` sends again. */
  readonly onReady: () => void;
  /** The queue failed with an error that a repeat cannot resolve. */
  readonly onFatal: (error: unknown) => void;
}

interface Ending extends With {
  readonly task: TaskInHand;
  /** Absent: the task is released. */
  readonly outcome: TaskOutcome | undefined;
}

const callMax = 1_000;
const repeatMsMin = 100;
const repeatMsMax = 5_000;

export function createEndings(options: EndingsOptions): Endings {
  const { queue, clock, random, logger, onEnded } = options;
  let collected: Ending[] = [];
  let sent = 0;
  let failures = 0;
  let timer: Timer | undefined;
  let isStopped = false;

  function answered(endings: readonly Ending[], answers: readonly (Finished | Held)[]): void {
    failures = 0;
    sent -= endings.length;
    for (let at = 0; at < endings.length; at++) {
      const answer = answers[at]!;
      if (answer.status !== "lost") endings[at]!.onStored?.();
      const end = answer.status === "held" ? "released" : answer.status;
      reportFailure(endings[at]!, end);
      onEnded(endings[at]!.task, end, answer.gate);
    }
    options.onAnswered();
  }

  /** An attempt that was thrown out of, or was the last one. That a handler asks for another is routine. */
  function reportFailure({ task, outcome }: Ending, end: TaskEnd): void {
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
    else if (stack !== undefined) logger.warn("an attempt failed and is repeated", fields);
    else logger.debug("a handler asked for another attempt", fields);
  }

  function failed(endings: readonly Ending[], error: unknown): void {
    sent -= endings.length;
    if (isStopped) return;
    if (error instanceof AppError && error.kind === "invalid") return refused(endings, error);
    if (!(error instanceof AppError) || error.kind !== "unavailable") return options.onFatal(error);
    collected.push(...endings);
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
  function refused(endings: readonly Ending[], error: AppError): void {
    const [only] = endings;
    if (endings.length > 1) return endings.forEach((ending) => send([ending]));
    if (!only?.outcome || isBare(only)) return options.onFatal(error);
    const reason = `the queue refused the outcome of the task: ${reasonOf(error)}`;
    send([{ task: only.task, outcome: { kind: "fail", reason } }]);
  }

  function send(endings: readonly Ending[]): void {
    sent += endings.length;
    const isFinish = endings[0]!.outcome !== undefined;
    const call = isFinish
      ? queue.finish(endings.map(toFinish))
      : queue.release(endings.map(toRelease));
    call.then(
      (answers) => answered(endings, answers),
      (error: unknown) => failed(endings, error),
    );
  }

  function sendAll(endings: readonly Ending[]): void {
    for (let at = 0; at < endings.length; at += callMax) send(endings.slice(at, at + callMax));
  }

  return {
    finish: (task, outcome, more) =>
      void collected.push(
        more.add || more.raise || more.onStored ? { task, outcome, ...more } : { task, outcome },
      ),
    release: (task) => void collected.push({ task, outcome: undefined }),
    flush() {
      if (collected.length === 0 || timer) return;
      const endings = collected;
      collected = [];
      const releases = endings.filter(({ outcome }) => !outcome);
      sendAll(releases.length === 0 ? endings : endings.filter(({ outcome }) => outcome));
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

function toFinish({ task, outcome, add, raise }: Ending): FinishInput {
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

function toRelease({ task }: Ending): Release {
  const { id, token } = task.lease;
  const sinceStartMs = task.run?.sinceStartMs();
  return sinceStartMs === undefined ? { id, token } : { id, token, sinceStartMs };
}

/** Has no data from the handler, so a refusal is not the fault of the handler. */
const isBare = ({ outcome, add, raise }: Ending) => outcome?.kind === "fail" && !add && !raise;
