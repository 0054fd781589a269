import type { ProcessSlot, Worker } from "../../worker/index.ts";
import type { ToWorker, WorkerStart } from "./worker-start.ts";

/** The messages from the parent of a worker process, in order. */
export interface WorkerInbox {
  readonly start: Promise<WorkerStart>;
  readonly slot: Promise<ProcessSlot>;
  take(message: ToWorker): void;
  /** From now on messages go to this worker. */
  follow(worker: Worker): void;
  isStopping(): boolean;
}

export function createInbox(): WorkerInbox {
  const { promise: start, resolve: onStart } = Promise.withResolvers<WorkerStart>();
  const { promise: slot, resolve: onSlot } = Promise.withResolvers<ProcessSlot>();
  let stops = 0;
  let worker: Worker | undefined;
  return {
    start,
    slot,
    take(message) {
      switch (message.kind) {
        case "start":
          return onStart(message.start);
        case "begin":
          return onSlot(message.slot);
        case "configure":
          return worker?.setConcurrency(message.concurrency);
        case "stop":
          stops += 1;
          // Nothing was claimed yet, so nothing has to be released.
          if (!worker) process.exit(0);
          return void (stops === 1 ? worker.stop() : worker.abort());
      }
    },
    follow(begun) {
      worker = begun;
    },
    isStopping: () => stops > 0,
  };
}
