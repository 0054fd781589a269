import type { Clock } from "../../base/clock.ts";
import type { Paths, Settings } from "../../config/index.ts";

/** One check of this machine. It leaves nothing behind. */
export interface Check {
  readonly name: string;
  /** Never throws because of what it finds: a check that cannot run reports this in its finding. */
  run(context: CheckContext): Promise<Finding>;
}

export interface CheckContext {
  readonly settings: Settings;
  readonly paths: Paths;
  /** Unsafe settings, see `LoadedSettings`. */
  readonly warnings: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Finding {
  /** "warn": Forager runs, but not well or not safely. "fail": it does not run. */
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do. Always present unless the state is "ok". */
  readonly advice?: string;
}
