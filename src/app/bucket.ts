/**
 * The entry point of `forager/bucket`: the types, the function that opens a bucket, and their
 * dependencies.
 */
import "../base/process/require-node.ts";
export * from "../bucket/index.ts";
export { AppError, type ErrorKind } from "../base/app-error.ts";
export { systemClock, type Clock, type Timer } from "../base/clock.ts";
export { systemRandom, type Random } from "../base/random.ts";
export { openBucket } from "./bucket/open-bucket.ts";
