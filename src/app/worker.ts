/**
 * The entry point of `forager/worker`: handlers, outcomes, and the worker that runs them on a
 * queue.
 */
import "../base/process/require-node.ts";
export * from "../worker/index.ts";
export { AppError, type ErrorKind } from "../base/app-error.ts";
export { createMetrics, type Metrics, type MetricsSnapshot } from "../base/metrics.ts";
export { silentLogger, type LogFields, type Logger } from "../base/log/logger.ts";
export type { Service } from "../base/service.ts";
export type { Got, ListedObject, ListOptions, StoredObject } from "../bucket/index.ts";
export type { FileHandler, HandlerBucket, HandlerServices } from "./work/handler-services.ts";
