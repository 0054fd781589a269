import type { MetricsSnapshot } from "../../base/metrics.ts";
import type { Concurrency } from "../concurrency.ts";
import type { EndedCount, CrashedWork } from "./crash-record.ts";
import type { WorkerView } from "../worker-view.ts";

/** A worker process that should run. */
export interface ProcessSlot {
  readonly name: string;
  /** Absent: all kinds that have handlers. */
  readonly kinds?: readonly string[];
  /** Kinds that other processes work on, or none. */
  readonly except?: readonly string[];
  /**
   * Set by a command for the fleet: a kind without a handler on this node must not end the process.
   */
  readonly isWanted?: true;
  /** Can be changed while the process runs. */
  readonly concurrency: Concurrency;
  /** Identifies all other settings of the process: when it changes, a new process replaces it. */
  readonly version: string;
}

export type ToChild =
  | { readonly kind: "begin"; readonly slot: ProcessSlot }
  | { readonly kind: "configure"; readonly concurrency: Concurrency }
  /** The first one stops the process gracefully, the second one at once. */
  | { readonly kind: "stop" };

export type FromChild =
  | { readonly kind: "heartbeat"; readonly view: WorkerView; readonly metrics: MetricsSnapshot }
  /** No task is left; the process ends itself. */
  | { readonly kind: "drained" };

/** A process, or a replacement for one in tests. */
export interface Child {
  readonly pid: number | undefined;
  send(message: ToChild): void;
  /** Kills it at once, so that it cannot release its tasks. */
  kill(): void;
}

/** What a process that has died had recorded; undefined: nothing is known. */
export interface DeadProcess {
  readonly inFlight: CrashedWork;
  /** Ends its leases in its queue, and returns how many of its tasks ended in which way. */
  readonly endLeases: () => Promise<readonly EndedCount[]>;
}

export interface ChildEvents {
  readonly onMessage: (message: FromChild) => void;
  /** Called once, when it has ended or could not be started. */
  readonly onExit: (how: string, dead?: DeadProcess) => void;
}
