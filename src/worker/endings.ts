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
 * Stores how tasks ended, many in one call. Always:
 * - what was given here is repeated until the queue has answered, or the worker gives up at its
 *   end; a repeat is harmless, the queue tells the same finish from another;
 * - a finish the queue refuses (a result that is no JSON, a task it adds that is none) becomes a
 *   failure of that one task and disturbs no other.
 */
export interface Endings {
  finish(task: TaskInHand, outcome: TaskOutcome, more: With): void;
  release(task: TaskInHand): void;
  /** Sends what has collected, unless the queue has to be given time. */
  flush(): void;
  /** Not stored yet. */
  pending(): number;
  /** The queue did not answer last time. */
  isTroubled(): boolean;
  stop(): void;
}

export interface EndingsOptions {
  readonly queue: Pick<Queue, "finish" | "release">;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The task has left the hands. */
  readonly onEnded: (task: TaskInHand, end: TaskEnd, gate: GateView | undefined) => void;
  /** After `onEnded` of all tasks of one call. */
  readonly onAnswered: () => void;
  /** Something can be flushed again. */
  readonly onReady: () => void;
  /** The queue failed in a way that repeating cannot mend. */
  readonly onFatal: (error: unknown) => void;
}

interface Ending extends With {
  readonly task: TaskInHand;
  /** Absent: given back. */
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
      const end = answer.status === "held" ? "released" : answer.status;
      onEnded(endings[at]!.task, end, answer.gate);
    }
    options.onAnswered();
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
    logger.warn("the ends of tasks could not be stored, trying again", {
      error,
      tasks: collected.length,
    });
  }

  /** One of them is bad, and the queue took none: find it by sending each alone. */
  function refused(endings: readonly Ending[], error: AppError): void {
    const [only] = endings;
    if (endings.length > 1) return endings.forEach((ending) => send([ending]));
    if (!only?.outcome || isBare(only)) return options.onFatal(error);
    const reason = `its outcome was refused: ${reasonOf(error)}`;
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
      void collected.push(more.add || more.raise ? { task, outcome, ...more } : { task, outcome }),
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
  if (!add && !raise) {
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
  };
}

function toRelease({ task }: Ending): Release {
  const { id, token } = task.lease;
  const sinceStartMs = task.run?.sinceStartMs();
  return sinceStartMs === undefined ? { id, token } : { id, token, sinceStartMs };
}

/** Nothing of the handler's is in it, so it cannot be the handler's fault. */
const isBare = ({ outcome, add, raise }: Ending) => outcome?.kind === "fail" && !add && !raise;
