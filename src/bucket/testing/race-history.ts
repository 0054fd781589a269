import { readFileSync, writeSync } from "node:fs";
import { machineMonotonicMs } from "../../base/machine-clock.ts";

/**
 * What the processes of a race did, each in its own file, so that kill -9 loses nothing. Times are
 * of the machine's monotonic clock, which all processes share.
 */
export type BucketRaceEvent =
  /**
   * Written before the request is sent, so every content that is found later has been announced.
   */
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
  /** An action in the role; `atMs` was read before the check that the role is held. */
  | {
      readonly event: "act";
      readonly session: string;
      readonly epoch: number;
      readonly atMs: number;
    };

/** The outcome of the try with this nonce, as far as its answer shows. */
interface End<Name extends string> {
  readonly event: Name;
  readonly key: string;
  readonly nonce: string;
  readonly atMs: number;
}

/** The content of a register: the number of writes so far, and the nonce of this one. */
export interface RegisterValue {
  readonly count: number;
  readonly nonce: string;
}

/** Each event is one unbuffered write to the file. */
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
