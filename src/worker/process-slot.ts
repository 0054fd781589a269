import type { MetricsSnapshot } from "../base/metrics.ts";
import type { Concurrency } from "./concurrency.ts";
import type { EndedCount, CrashedWork } from "./crash-record.ts";
import type { WorkerView } from "./worker-view.ts";

/** A worker process that should run. */
export interface ProcessSlot {
  readonly name: string;
  /** Absent: all that there are handlers for. */
  readonly kinds?: readonly string[];
  /** But not these: other slots do them, or none. */
  readonly except?: readonly string[];
  /** By a command from afar: a kind that this node has no handler for must not end it. */
  readonly isWanted?: true;
  /** Can be changed while it runs. */
  readonly concurrency: Concurrency;
  /** Whatever else the process depends on: when it changes, a new process takes its place. */
  readonly version: string;
}

export type ToChild =
  | { readonly kind: "begin"; readonly slot: ProcessSlot }
  | { readonly kind: "configure"; readonly concurrency: Concurrency }
  /** Ends in good order; the second time at once. */
  | { readonly kind: "stop" };

export type FromChild =
  | { readonly kind: "beat"; readonly view: WorkerView; readonly metrics: MetricsSnapshot }
  /** Nothing is left to do; the process ends by itself. */
  | { readonly kind: "drained" };

/** A process, or what stands for one in a test. */
export interface Child {
  readonly pid: number | undefined;
  send(message: ToChild): void;
  /** Without a chance to give anything back. */
  kill(): void;
}

/** What a process that is gone had recorded; undefined: nothing is known. */
export interface DeadProcess {
  readonly inFlight: CrashedWork;
  /** Ends its leases in the queue it worked on, and says how many of its tasks ended how. */
  readonly endLeases: () => Promise<readonly EndedCount[]>;
}

export interface ChildEvents {
  readonly onMessage: (message: FromChild) => void;
  /** Called once, when it is gone or could not be started. */
  readonly onExit: (how: string, dead?: DeadProcess) => void;
}
