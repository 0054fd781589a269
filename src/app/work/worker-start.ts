import type { FlagValue } from "../../config/index.ts";
import type { ToChild } from "../../worker/index.ts";

/**
 * What a worker process needs to know to start. Sent over IPC, so that no password of a command
 * line is in its arguments or environment. Files and environment it reads by itself, as its parent
 * did.
 */
export interface WorkerStart {
  /** The settings that the command line gave, by key. */
  readonly settingFlags: Readonly<Record<string, FlagValue>>;
  /** Instead of the setting `work.handlers`. */
  readonly handlersFile?: string | undefined;
  /** Whether to end when nothing is left to do. */
  readonly isDraining: boolean;
  /** How errors are printed. */
  readonly errors: { readonly isJson: boolean; readonly isVerbose: boolean };
}

/** What a worker process gets: how to start, which comes first, then what its supervisor says. */
export type ToWorker = ToChild | { readonly kind: "start"; readonly start: WorkerStart };
