/** The entry point of `forager/queue`: the queue's words, the way to open one, and what its parts take. */
import "../base/process/require-node.ts";
export * from "../queue/index.ts";
export { AppError, type ErrorKind } from "../base/app-error.ts";
export { systemClock, type Clock, type Timer } from "../base/clock.ts";
export { silentLogger, type LogFields, type Logger } from "../base/log/logger.ts";
export type { Service } from "../base/service.ts";
export { openQueue, type OpenQueueOptions, type PostgresOptions } from "./queue/open-queue.ts";
