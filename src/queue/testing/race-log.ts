import { readFileSync, writeSync } from "node:fs";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { Finished } from "../operation.ts";

/** What a worker of a race did, in its own file, so that kill -9 loses nothing. */
export type QueueRaceEvent = {
  /** The machine's monotonic clock: the same in all processes. */
  readonly atMs: number;
  readonly worker: string;
} & RaceFact;

export type RaceFact =
  | {
      readonly event: "claimed";
      readonly id: number;
      readonly token: number;
      readonly isSuspect: boolean;
      /** When it was requested. */
      readonly sentMs: number;
    }
  | (TaskRef & { readonly event: "start" | "end" })
  | (TaskRef & { readonly event: "finishing"; readonly outcome: string })
  | (TaskRef & {
      readonly event: "finished";
      readonly outcome: string;
      readonly status: Finished["status"];
    })
  /** The store has answered a block: until then, later claims get no task of the gate. */
  | { readonly event: "blocked"; readonly gate: string; readonly untilMs: number }
  /** Written by the parent when it saw the process gone. */
  | { readonly event: "killed" };

export interface TaskRef {
  readonly id: number;
  readonly token: number;
  readonly gate: string;
  readonly job: string;
}

export type RaceLog = (fact: RaceFact, atMs?: number) => void;

/** Each event is one unbuffered write, which survives the process. */
export const createRaceLog =
  (file: number, worker: string): RaceLog =>
  (fact, atMs = machineMonotonicMs()) =>
    void writeSync(file, `${JSON.stringify({ atMs, worker, ...fact })}\n`);

export const readRaceLog = (path: string): readonly QueueRaceEvent[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as QueueRaceEvent);
