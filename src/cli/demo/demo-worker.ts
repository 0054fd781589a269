/**
 * One worker process of the demo: makes visits until its parent says "stop", goes away, or it is
 * killed. Its settings are JSON in the first argument.
 */
import { openQueue } from "../../app/index.ts";
import { AppError } from "../../base/app-error.ts";
import { sleep, systemClock } from "../../base/clock.ts";
import { createWorker, defineHandler, done, retry } from "../../worker/index.ts";
import { leaseMs, slotsPerWorker, type DemoKinds } from "./scenario.ts";
import { createVisitLog } from "./visit-log.ts";
import { refOf, witnessed } from "./witnessed-queue.ts";

export interface DemoWorkerSettings {
  readonly worker: string;
  readonly address: string;
  readonly logFile: string;
}

const retryDelayMs = 500;

const { worker: name, address, logFile } = JSON.parse(process.argv[2] ?? "") as DemoWorkerSettings;
process.on("message", () => void worker.stop());
process.on("disconnect", () => process.exit(1)); // the parent is gone: nobody would stop us
// Ctrl-C reaches all processes of a terminal, and it is the parent who says when to stop.
process.on("SIGINT", () => {});

const queue = await openQueue(address);
const log = createVisitLog(logFile, name, (event) => process.send?.(event));
const visit = defineHandler(
  "visit",
  { parse: (payload) => payload as DemoKinds["visit"] },
  async ({ task, signal }) => {
    log({ event: "start", ...refOf(task) });
    try {
      await sleep(systemClock, task.payload.takesMs, signal);
    } catch (error) {
      if (error instanceof AppError && error.kind === "aborted") return; // another has it now
      throw error;
    } finally {
      log({ event: "end", ...refOf(task) });
    }
    if (task.used > task.payload.failures) return done({ bytes: 1_000 + task.id });
    return retry("503 Service Unavailable", { delayMs: retryDelayMs });
  },
);
const worker = createWorker({
  queue: witnessed(queue, log),
  name,
  handlers: [visit],
  concurrency: slotsPerWorker,
  leaseMs,
});
await worker.start();
await worker.ended;
await queue[Symbol.asyncDispose]();
process.exit(0);
