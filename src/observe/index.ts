export type { AlertEvent } from "./alert-book.ts";
export { registerBucketMetrics } from "./bucket-metrics.ts";
export { isOwnHost } from "./is-own-host.ts";
export { differencesOf } from "./differences.ts";
export {
  createMetricHistory,
  historySchema,
  pointsOf,
  type HistoryPoint,
  type MetricHistory,
  type StoredHistory,
} from "./metric-history.ts";
export { answerHealth, healthPaths, type HealthSource } from "./health-pages.ts";
export { createHealthServer, type HealthServer } from "./health-server.ts";
export {
  heartbeatEveryMs,
  heartbeatMsMax,
  parseHeartbeat,
  type Heartbeat,
  type WorkerBeat,
} from "./heartbeat.ts";
export {
  createHeartbeatFile,
  readHeartbeats,
  type HeartbeatFile,
  type HeartbeatFolder,
} from "./heartbeat-files.ts";
export { alertWords, troublesOf, unreadyOf, yieldsOf, type WorkerState } from "./node-health.ts";
export { createNodeObserver, type NodeObserver, type Observed } from "./node-observer.ts";
export {
  readMachine,
  readTemperature,
  registerMachineMetrics,
  registerProcessMetrics,
  type MachineReading,
} from "./process-metrics.ts";
export { toPrometheusText } from "./prometheus-text.ts";
export { queueMetrics, registerConnectionMetrics } from "./queue-metrics.ts";
export type { WorkerReading } from "./zombie.ts";
export type { YieldReading } from "./yield-stall.ts";
