import { readFileSync, writeSync } from "node:fs";
import { machineMonotonicMs } from "../../base/machine-clock.ts";
import type { Finished } from "../operation.ts";

/** What a worker of a race says it did, in a file of its own, so that kill -9 takes nothing back. */
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
      /** When it was asked for. */
      readonly sentMs: number;
    }
  | (TaskRef & { readonly event: "start" | "end" })
  | (TaskRef & { readonly event: "finishing"; readonly outcome: string })
  | (TaskRef & {
      readonly event: "finished";
      readonly outcome: string;
      readonly status: Finished["status"];
    })
  /** The store has answered a block: who claims from here on gets nothing of the gate until then. */
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

/** One write for each event, straight to the system: what was logged survives the process. */
export const createRaceLog =
  (file: number, worker: string): RaceLog =>
  (fact, atMs = machineMonotonicMs()) =>
    void writeSync(file, `${JSON.stringify({ atMs, worker, ...fact })}\n`);

export const readRaceLog = (path: string): readonly QueueRaceEvent[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as QueueRaceEvent);
