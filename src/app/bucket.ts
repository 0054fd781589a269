/** The entry point of `forager/bucket`: the bucket's words, the way to open one, and what its parts take. */
import "../base/process/require-node.ts";
export * from "../bucket/index.ts";
export { AppError, type ErrorKind } from "../base/app-error.ts";
export { systemClock, type Clock, type Timer } from "../base/clock.ts";
export { systemRandom, type Random } from "../base/random.ts";
export { openBucket } from "./bucket/open-bucket.ts";
