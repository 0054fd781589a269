import { openSync, readFileSync, writeSync } from "node:fs";
import { machineMonotonicMs } from "../../base/machine-clock.ts";

/**
 * What a worker says it did, line by line, in a file of its own. The queue neither writes nor
 * reads it: it is the witness that the queue is judged by. `atMs` is the machine's monotonic
 * clock, the same for all processes.
 */
export type VisitEvent = VisitRef & { readonly atMs: number; readonly worker: string } & (
    | { readonly event: "start" | "end" }
    | { readonly event: "finishing"; readonly outcome: VisitOutcome }
    | {
        readonly event: "finished";
        readonly outcome: VisitOutcome;
        readonly status: "held" | "lost";
      }
  );

export interface VisitRef {
  readonly id: number;
  readonly token: number;
  readonly key: string;
  readonly gate: string;
  readonly job: string;
}

export type VisitOutcome = "done" | "retry";

type Unstamped<Event> = Event extends VisitEvent ? Omit<Event, "atMs" | "worker"> : never;
export type WriteVisit = (event: Unstamped<VisitEvent>, atMs?: number) => void;

/** Each line is with the operating system before the call returns: `kill -9` loses none. */
export function createVisitLog(
  file: string,
  worker: string,
  onEvent: (event: VisitEvent) => void,
): WriteVisit {
  const descriptor = openSync(file, "a");
  return (event, atMs = machineMonotonicMs()) => {
    const stamped: VisitEvent = { ...event, worker, atMs };
    writeSync(descriptor, `${JSON.stringify(stamped)}\n`);
    onEvent(stamped);
  };
}

/** All logs together, in order of time. A line that a kill cut short is left out. */
export function readVisitLogs(files: readonly string[]): readonly VisitEvent[] {
  return files
    .flatMap((file) => readFileSync(file, "utf8").split("\n").slice(0, -1))
    .map((line) => JSON.parse(line) as VisitEvent)
    .sort((a, b) => a.atMs - b.atMs);
}
