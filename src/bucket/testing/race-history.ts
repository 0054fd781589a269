import { readFileSync, writeSync } from "node:fs";
import { machineMonotonicMs } from "../../base/machine-clock.ts";

/**
 * What the processes of a race say they did, each in a file of its own, so that kill -9 takes
 * nothing back. Times are of the machine's monotonic clock, the same for all processes.
 */
export type BucketRaceEvent =
  /** Written before the request leaves: whatever is found later must have been announced. */
  | (RegisterValue & {
      readonly event: "try";
      readonly key: string;
      readonly baseNonce: string;
      readonly atMs: number;
    })
  | End<"wrote">
  | End<"refused">
  | End<"unknown">
  | (RegisterValue & {
      readonly event: "read";
      readonly key: string;
      readonly sinceMs: number;
      readonly atMs: number;
    })
  /** Done in the name of the role; `atMs` was read before it was checked that the role is held. */
  | {
      readonly event: "act";
      readonly session: string;
      readonly epoch: number;
      readonly atMs: number;
    };

/** How the try with this nonce ended, as far as its answer says. */
interface End<Name extends string> {
  readonly event: Name;
  readonly key: string;
  readonly nonce: string;
  readonly atMs: number;
}

/** A register's content: how many writes there were, and which one this is. */
export interface RegisterValue {
  readonly count: number;
  readonly nonce: string;
}

/** One write for each event, straight to the system. */
export const createHistory =
  (file: number) =>
  (event: BucketRaceEvent): void =>
    void writeSync(file, `${JSON.stringify(event)}\n`);

export const readHistory = (path: string): readonly BucketRaceEvent[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as BucketRaceEvent);

export const nowMs = machineMonotonicMs;
