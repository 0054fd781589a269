export { activityOf, type Activity } from "./attempt-activity.ts";
export type { AttemptRecord, SeenAttempt } from "./attempt-record.ts";
export type { Concurrency } from "./concurrency.ts";
export {
  createCrashRecord,
  readInFlight,
  type CrashRecord,
  type EndedCount,
  type CrashedWork,
} from "./processes/crash-record.ts";
export {
  createWorker,
  type ReleaseListener,
  type Worker,
  type WorkerOptions,
} from "./create-worker.ts";
export { endLeases, type EndLeasesOptions } from "./processes/end-leases.ts";
export { PermanentError, SlowDownError, type RetryPolicy } from "./failure.ts";
export {
  defineHandler,
  type Cap,
  type HandledTask,
  type Handler,
  type HandlerContext,
  type HandlerOptions,
  type HandlerResult,
  type PayloadSchema,
  type RunHandler,
} from "./handler.ts";
export {
  done,
  fail,
  release,
  retry,
  skip,
  type HandlerOutcome,
  type SlowDown,
  type With,
} from "./outcome.ts";
export { pacingStarts, type PacingStart, type PacingStarts } from "./pacing-starts.ts";
export { workerNodeFlags } from "./processes/node-flags.ts";
export { createProcessLoad, type ProcessLoad } from "./processes/process-load.ts";
export type { Bounds } from "./politeness.ts";
export type { Decision, ScaleReason } from "./processes/scaler.ts";
export type {
  Child,
  ChildEvents,
  DeadProcess,
  FromChild,
  ProcessSlot,
  ToChild,
} from "./processes/process-slot.ts";
export { createSupervisor, type SlotView, type Supervisor } from "./processes/supervisor.ts";
export type { WorkerQueue } from "./tasks/timed-queue.ts";
export type { TaskAtWork, WorkerView } from "./worker-view.ts";
