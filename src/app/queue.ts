/** The door of `forager/queue`: the queue's words, and the way to open one. */
export * from "../queue/index.ts";
export { openQueue, type OpenQueueOptions } from "./open-queue.ts";
