import type { Clock } from "../../base/clock.ts";
import type { Paths, Settings } from "../../config/index.ts";

/** One question about this machine. It looks and leaves nothing behind. */
export interface Check {
  readonly name: string;
  /** Never throws for what it finds: a check that cannot look says so in its finding. */
  run(context: CheckContext): Promise<Finding>;
}

export interface CheckContext {
  readonly settings: Settings;
  readonly paths: Paths;
  /** What is unsafe in the settings, see `LoadedSettings`. */
  readonly warnings: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Finding {
  /** "warn": forager runs, but not well or not safely. "fail": it does not run. */
  readonly state: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do about it. Always there unless the state is "ok". */
  readonly advice?: string;
}
