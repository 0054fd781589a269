export { browseAll, byName, endedAll } from "./read/browse-all.ts";
export { archiveOld, createMaintenance, type MaintenanceOptions } from "./maintenance.ts";
export { createQueue, type QueueOptions } from "./create-queue.ts";
export type { JobCounts, KindCounts, QueueCounts, ReasonCount } from "./read/counts.ts";
export { failureGroup, groupFailures } from "./read/failure-groups.ts";
export type { FailureGroup, FailureGroups } from "./read/failure-groups.ts";
export { gateDefaults } from "./gate.ts";
export type * from "./gate.ts";
export { readPacing, type GateHolder, type GatePacing } from "./read/gate-pacing.ts";
export type { PacingEnd, PacingOutcome } from "./read/gate-pacing.ts";
export type * from "./job.ts";
export { openLateQueueStore } from "./late-queue-store.ts";
export type { KeptKey, LogEntry, LogStats } from "./read/log-entry.ts";
export type { NamePage } from "./names.ts";
export type * from "./operation.ts";
export type * from "./queue.ts";
export type * from "./queue-store.ts";
export { createRaiseDebouncer, type RaiseCounts, type RaiseDebouncer } from "./raise-debouncer.ts";
export { auditedQueue } from "./audited-state.ts";
export { raiseTask, type RaiseTaskOptions } from "./raise-task.ts";
export type { KindStats, QueueStats, ReasonStats, ShardStats } from "./read/stats.ts";
export {
  createWaitingReader,
  searchTasks,
  type TaskPage,
  type TaskSearch,
} from "./read/search-tasks.ts";
export { endedAttempts, isRetriedByHand, lastReason } from "./task.ts";
export type * from "./task.ts";
export { addTasksMax, createValidator, payloadBytesMax } from "./validate.ts";
export { bucketOf, percentiles, type WaitPercentiles } from "./read/wait-histogram.ts";
export { readWaitingAges, type WaitingAges } from "./read/waiting-ages.ts";
export { waitingReasons, type Waiting, type WaitingReason } from "./waiting.ts";
export {
  createWaker,
  type ClaimMark,
  type Waker,
  type WakeReason,
  type WakerOptions,
} from "./waker.ts";
