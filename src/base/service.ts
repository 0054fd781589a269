import { AppError } from "./app-error.ts";

/**
 * Something that runs between `start` and `stop`. It can be started once: create a new one to run
 * again.
 */
export interface Service {
  /** Resolves when the service is ready. If it rejects, the service has already cleaned up. */
  start(): Promise<void>;
  /** Takes no new work, waits for the running work, then resolves. May be called several times. */
  stop(): Promise<void>;
}

/**
 * Combines services into one. They start in order, each one when the one before is ready, and stop
 * in reverse order. Invariants:
 * - each member is started at most once. It is stopped exactly once if its start succeeded,
 *   otherwise never;
 * - repeated and concurrent calls of `start`, or of `stop`, share one run and its outcome;
 * - if a start fails, the members that were started are stopped, and `start` rejects with that
 *   error. The group cannot be started again;
 * - `stop` during a start waits until the member that is starting is ready, starts no other member,
 *   stops those that were started and resolves; the `start` rejects with an `aborted` AppError;
 * - `stop` before a start ends the group; a `start` after any `stop` rejects with `aborted`;
 * - if a member fails to stop, the others are still stopped. All these errors are in the `errors`
 *   of one AggregateError. After a failed start, the error of the start is the first of them.
 *
 * A member must not await the group's `start` or `stop` in its own `start` or `stop`: that is a
 * deadlock.
 */
export function createServiceGroup(services: readonly Service[]): Service {
  const started: Service[] = [];
  let startRun: Promise<void> | undefined;
  let stopRun: Promise<void> | undefined;

  const startAll = async () => {
    try {
      for (const service of services) {
        refuseWhenStopped();
        await service.start();
        started.push(service);
      }
      refuseWhenStopped();
    } catch (error) {
      if (stopRun) throw error; // `stop` stops the members and reports errors
      const stopErrors = await stopStarted();
      if (stopErrors.length === 0) throw error;
      const message = `a service failed to start, and ${stopErrors.length} others then to stop`;
      throw new AggregateError([error, ...stopErrors], message, { cause: error });
    }
  };

  const refuseWhenStopped = () => {
    if (!stopRun) return;
    const message = "the service group was asked to stop; build a new one to run it again";
    throw new AppError("aborted", "service_stopped", message);
  };

  const stopAll = async () => {
    await startRun?.catch(() => {}); // the caller of `start` gets this error
    const errors = await stopStarted();
    if (errors.length === 0) return;
    const message = `${errors.length} of ${services.length} services failed to stop`;
    throw new AggregateError(errors, message, { cause: errors[0] });
  };

  const stopStarted = async () => {
    const errors: unknown[] = [];
    for (let service = started.pop(); service; service = started.pop()) {
      try {
        await service.stop();
      } catch (error) {
        errors.push(error);
      }
    }
    return errors;
  };

  return {
    async start() {
      // Deferred, so that a member that calls the group sees that `startRun` is set.
      startRun ??= Promise.resolve().then(startAll);
      await startRun;
      refuseWhenStopped();
    },
    async stop() {
      await (stopRun ??= stopAll());
    },
  };
}
