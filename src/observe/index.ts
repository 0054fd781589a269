export type { AlertEvent } from "./alert-book.ts";
export { registerBucketMetrics } from "./bucket-metrics.ts";
export { isOwnHost } from "./is-own-host.ts";
export {
  createMetricHistory,
  historySchema,
  pointsOf,
  type HistoryPoint,
  type MetricHistory,
  type StoredHistory,
} from "./metric-history.ts";
export { answerHealth, healthPaths, type HealthSource } from "./health-pages.ts";
export { createHealthServer } from "./health-server.ts";
export { parseHeartbeat, type Heartbeat, type WorkerHeartbeat } from "./heartbeat.ts";
export { createHeartbeatFile, readHeartbeats } from "./heartbeat-files.ts";
export { alertWords, troublesOf, unreadyOf, yieldsOf } from "./node-health.ts";
export { createNodeObserver } from "./node-observer.ts";
export { readMachine, registerMachineMetrics, registerProcessMetrics } from "./process-metrics.ts";
export { queueMetrics, registerConnectionMetrics } from "./queue-metrics.ts";
export type { WorkerReading } from "./zombie.ts";
