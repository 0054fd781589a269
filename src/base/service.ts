import { AppError } from "./app-error.ts";

/** Something that runs between `start` and `stop`. It lives once: build a new one to run again. */
export interface Service {
  /** Resolves when the service is ready. One whose start failed has cleaned up after itself. */
  start(): Promise<void>;
  /** Takes no new work, waits for the work in hand, then resolves. Safe to repeat. */
  stop(): Promise<void>;
}

/**
 * Many services as one. They start in order, each when the one before is ready, and stop in
 * reverse order. Always:
 * - a member is started at most once, and stopped exactly once if its start succeeded, else never;
 * - repeated and concurrent calls of `start`, or of `stop`, share one run and its outcome;
 * - a start that fails stops what was started, then rejects with that failure; the group is over;
 * - `stop` during a start lets the member in hand finish starting, starts no other, stops what was
 *   started and then resolves; the start rejects with an `aborted` AppError;
 * - `stop` before a start only ends the group; a start after any stop is `aborted`;
 * - a member that fails to stop does not keep the others from stopping. All such failures are in
 *   the `errors` of one AggregateError; after a failed start, that failure is the first of them.
 *
 * A member must not await the group's `start` or `stop` inside its own: it would wait for itself.
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
      if (stopRun) throw error; // that run stops the members and reports how it went
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
    await startRun?.catch(() => {}); // whoever called start has that failure
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
      // Later, so that a member that calls back into the group finds `startRun` set.
      startRun ??= Promise.resolve().then(startAll);
      await startRun;
      refuseWhenStopped();
    },
    async stop() {
      await (stopRun ??= stopAll());
    },
  };
}
