import { closeSync, openSync, readFileSync, readSync, statSync, writeSync } from "node:fs";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { Finished } from "../../queue/index.ts";

/**
 * A worker's own record of what it did, line by line, in its own file. The queue neither writes nor
 * reads it, so it is independent evidence about the queue. `atMs` is the machine's monotonic clock,
 * which is the same for all processes.
 */
export type VisitEvent = VisitRef & { readonly atMs: number; readonly worker: string } & (
    | { readonly event: "start" | "end" }
    | { readonly event: "finishing"; readonly outcome: LoggedOutcome }
    | {
        readonly event: "finished";
        readonly outcome: LoggedOutcome;
        readonly status: Finished["status"];
      }
  );

export interface VisitRef {
  readonly id: number;
  readonly token: number;
  readonly key: string;
  readonly gate: string;
  readonly job: string;
}

export type LoggedOutcome = "done" | "retry";

type Unstamped<Event> = Event extends VisitEvent ? Omit<Event, "atMs" | "worker"> : never;
export type WriteVisit = (event: Unstamped<VisitEvent>, atMs?: number) => void;

/** The operating system has each line before the call returns, so `kill -9` loses none. */
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

/** Reads what is appended to the logs from now on, each line once. */
export function createVisitTail(files: () => readonly string[]): () => readonly VisitEvent[] {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const readUntil = new Map(files().map((file) => [file, sizeOf(file)]));
  return () =>
    files().flatMap((file) => {
      const from = readUntil.get(file) ?? 0;
      const bytes = Buffer.alloc(sizeOf(file) - from);
      if (bytes.length === 0) return [];
      const descriptor = openSync(file, "r");
      try {
        readSync(descriptor, bytes, 0, bytes.length, from);
      } finally {
        closeSync(descriptor);
      }
      // A line that is still being written is read next time.
      const whole = bytes.lastIndexOf("\n") + 1;
      readUntil.set(file, from + whole);
      const lines = bytes.toString("utf8", 0, whole).split("\n").filter(Boolean);
      return lines.map((line) => JSON.parse(line) as VisitEvent);
    });
}

/** All logs together, in order of time. A line that a kill cut off is left out. */
export function readVisitLogs(files: readonly string[]): readonly VisitEvent[] {
  return files
    .flatMap((file) => readFileSync(file, "utf8").split("\n").slice(0, -1))
    .map((line) => JSON.parse(line) as VisitEvent)
    .sort((a, b) => a.atMs - b.atMs);
}
