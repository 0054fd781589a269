/**
 * The entry point of `forager/queue`: the types, the function that opens a queue, and their
 * dependencies.
 */
import "../base/process/require-node.ts";
export * from "../queue/index.ts";
export { AppError, type ErrorKind } from "../base/app-error.ts";
export { systemClock, type Clock, type Timer } from "../base/clock.ts";
export { silentLogger, type LogFields, type Logger } from "../base/log/logger.ts";
export type { Service } from "../base/service.ts";
export { openQueue, type OpenQueueOptions, type PostgresOptions } from "./queue/open-queue.ts";
