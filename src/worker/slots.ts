import { AppError } from "../base/app-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { AbortCause, InFlightTask } from "./in-flight-task.ts";

/**
 * The slots of a worker, and the calls of handlers in them. Always:
 * - a slot is taken from the call of a handler until it settles, or until it was told to stop and
 *   did not within a second: then it is given up, and its slot is another's;
 * - too many that were given up end the worker: only a new process gets rid of them.
 */
export interface Slots {
  /** Calls the task's handler; `onReturn` hears how it went, whenever that is. */
  call(task: InFlightTask): void;
  tellToStop(task: InFlightTask, cause: AbortCause): void;
  free(): number;
  readonly atWork: () => number;
  /** Handlers that went on after they were told to stop, and were given up. */
  readonly abandoned: () => number;
  readonly concurrency: () => number;
  setConcurrency(concurrency: number): void;
}

export type HandlerReturn = { readonly value: unknown } | { readonly error: unknown };

export interface SlotsOptions {
  readonly concurrency: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onReturn: (task: InFlightTask, returned: HandlerReturn) => void;
  /** Its slot is free again: before `onReturn`. */
  readonly onFree: (task: InFlightTask) => void;
  readonly onFatal: (error: unknown) => void;
}

/** How long a handler that was told to stop keeps its slot. */
const abandonMs = 1_000;
export const abandonedMax = 100;

export function createSlots({ clock, logger, ...options }: SlotsOptions): Slots {
  let { concurrency } = options;
  let atWork = 0;
  let abandoned = 0;

  function call(task: InFlightTask): void {
    atWork += 1;
    try {
      const result = task.kind.handler.run(task as never);
      task.run?.began();
      if (isThenable(result)) {
        result.then(
          (value) => returned(task, { value }),
          (error: unknown) => returned(task, { error }),
        );
      } else returned(task, { value: result });
    } catch (error) {
      task.run?.began();
      returned(task, { error });
    }
  }

  function returned(task: InFlightTask, how: HandlerReturn): void {
    if (task.isSettled) abandoned -= 1;
    else leave(task);
    options.onReturn(task, how);
  }

  function leave(task: InFlightTask): void {
    task.isSettled = true;
    atWork -= 1;
    task.leaveCap?.();
    const tookMs = clock.monotonicMs() - task.startedAtMs;
    task.kind.meanMs += (tookMs - task.kind.meanMs) / 16;
    task.kind.durations.observe(tookMs / 1_000);
    options.onFree(task);
  }

  function abandon(task: InFlightTask): void {
    if (task.isSettled) return;
    leave(task);
    abandoned += 1;
    const { id, kind } = task.lease;
    logger.warn("a handler goes on after it was told to stop", { taskId: id, kind, abandoned });
    if (abandoned > abandonedMax) options.onFatal(tooManyAbandoned(abandoned));
  }

  return {
    call,
    /** A handler that was told to stop has a moment to do so. */
    tellToStop(task, cause) {
      task.abort(cause);
      if (task.isSettled) return;
      clock.setTimer(abandonMs, () => abandon(task), { background: true });
    },
    free: () => concurrency - atWork,
    atWork: () => atWork,
    abandoned: () => abandoned,
    concurrency: () => concurrency,
    setConcurrency(wanted) {
      concurrency = wanted;
    },
  };
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value;

const tooManyAbandoned = (count: number) =>
  new AppError(
    "internal",
    "handlers_do_not_end",
    `${count} handlers go on though they were told to stop: pass the signal on to what they ` +
      "wait for; only a new process gets rid of them",
  );
