import type { FlagValue } from "../../config/index.ts";
import type { ToChild } from "../../worker/index.ts";

/**
 * What a worker process needs to start. It is sent over IPC, so that passwords on the command line
 * do not appear in its arguments or environment. Files and environment it reads itself, like its
 * parent.
 */
export interface WorkerStart {
  /** Settings from the command line, by key. */
  readonly settingFlags: Readonly<Record<string, FlagValue>>;
  /** Overrides the setting `work.handlers`. */
  readonly handlersFile?: string | undefined;
  /** True: exit when no tasks are left. */
  readonly isDraining: boolean;
  /** How errors are printed. */
  readonly errors: { readonly isJson: boolean; readonly isVerbose: boolean };
}

/** Messages to a worker process: first how to start, then those of its supervisor. */
export type ToWorker = ToChild | { readonly kind: "start"; readonly start: WorkerStart };
