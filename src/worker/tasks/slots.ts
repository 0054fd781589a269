import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { AbortCause, InFlightTask } from "./in-flight-task.ts";

/**
 * The slots of a worker, and the calls of handlers in them. Invariants:
 * - a slot is taken from the call of a handler until it settles. If a handler was aborted and does
 *   not settle within a second, it is abandoned and its slot is free;
 * - too many abandoned handlers end the worker, because only a new process ends them.
 */
export interface Slots {
  /** Calls the task's handler; `onReturn` gets the outcome when the handler settles. */
  call(task: InFlightTask): void;
  abortHandler(task: InFlightTask, cause: AbortCause): void;
  free(): number;
  readonly atWork: () => number;
  /** The number of handlers that still run after they were aborted, and whose slots were freed. */
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
  /** Called when the slot of a task is free again, before `onReturn`. */
  readonly onFree: (task: InFlightTask) => void;
  readonly onFatal: (error: unknown) => void;
}

/** How long an aborted handler keeps its slot. */
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
    logger.warn("a handler still runs after it was aborted", { taskId: id, kind, abandoned });
    if (abandoned > abandonedMax) options.onFatal(tooManyAbandoned(abandoned));
  }

  return {
    call,
    /** Aborts a handler, which then has a moment to end. */
    abortHandler(task, cause) {
      task.abort(cause);
      if (task.isSettled) return;
      clock.setTimer(abandonMs, () => abandon(task), { background: true });
    },
    free: () => concurrency - atWork,
    atWork: () => atWork,
    abandoned: () => abandoned,
    concurrency: () => concurrency,
    setConcurrency(value) {
      concurrency = value;
    },
  };
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value;

const tooManyAbandoned = (count: number) =>
  new AppError(
    "internal",
    "handlers_do_not_end",
    `${count} handlers still run although they were aborted: pass the signal on to what they ` +
      "wait for; only a new process ends them",
  );
