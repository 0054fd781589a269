/**
 * One worker process of a load test: it crawls pages of the fake sites until its parent says "stop"
 * or is gone, or until it is killed. Its settings are JSON in the first argument; the options to
 * open the queue, which may contain a password, are the first message.
 */
import { writeFileSync } from "node:fs";
import { openQueue, openUsageRecord, type OpenQueueOptions } from "../../app/index.ts";
import { sleep, systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createMetrics } from "../../base/metrics.ts";
import { createPaths } from "../../config/index.ts";
import { registerProcessMetrics } from "../../observe/index.ts";
import {
  createWorker,
  defineHandler,
  done,
  SlowDownError,
  type Worker,
} from "../../worker/index.ts";
import { createStopSelf, whileHeld } from "./stop-self.ts";
import { createVisitLog } from "./visit-log.ts";
import { refOf, loggedQueue } from "./logged-queue.ts";
import type { LoadPayload } from "./load-jobs.ts";
import { Agent, request } from "node:http";

export interface LoadWorkerSettings {
  readonly worker: string;
  readonly address: string;
  /** The data folder, where bucket requests are counted. */
  readonly data: string;
  readonly siteUrl: string;
  readonly logFile: string;
  readonly metricsFile: string;
  /** See stop-self.ts. */
  readonly stopFile: string;
  readonly holdFile: string;
  readonly concurrency: number;
  readonly leaseMs: number;
}

/** Contains the token of the lease under which it was made, to detect results of another lease. */
export interface LoadResult {
  readonly bytes: number;
  readonly token: number;
}

const settings = JSON.parse(process.argv[2] ?? "") as LoadWorkerSettings;
const { worker: name, siteUrl, logFile, metricsFile, concurrency, leaseMs } = settings;
process.on("disconnect", () => process.exit(1)); // without its parent nobody would stop it
process.on("SIGINT", () => {}); // the parent decides when to stop
const options = await new Promise<OpenQueueOptions>((resolve) => {
  process.once("message", (message) => resolve(message as OpenQueueOptions));
});
let worker: Worker | undefined;
let isStopRequested = false;
const stopSelf = createStopSelf(settings.stopFile);
process.on("message", (message) => {
  if (message === "stop yourself") return stopSelf.arm();
  isStopRequested = true;
  void worker?.stop();
});

const paths = createPaths(settings.data);
const usage = openUsageRecord({ paths, clock: systemClock, log: silentLogger });
const queue = await openQueue(settings.address, options);
const log = createVisitLog(logFile, name, () => {});
const getPage = createGetPage(concurrency);
const page = defineHandler(
  "page",
  { parse: (payload) => payload as LoadPayload },
  async ({ task, signal }) => {
    log({ event: "start", ...refOf(task) });
    try {
      if (task.isSuspect) await whileHeld({ file: settings.holdFile, id: task.id, signal });
      const { workMs = 0 } = task.payload;
      if (workMs > 0) await sleep(systemClock, workMs, signal);
      const { status, retryAfterMs, bytes } = await getPage(
        `${siteUrl}${task.payload.path}`,
        signal,
      );
      if (status === 429) throw new SlowDownError("429", { retryAfterMs });
      if (status !== 200) throw new Error(`status ${status}`);
      return done({ bytes, token: task.token } satisfies LoadResult);
    } finally {
      log({ event: "end", ...refOf(task) });
    }
  },
  { timeoutMs: 10_000, retry: { delayMs: 300, delayMsMax: 2_000 } },
);
const metrics = createMetrics();
registerProcessMetrics(metrics);
worker = createWorker({
  queue: loggedQueue(queue, log, stopSelf.onFinishing),
  name,
  handlers: [page],
  concurrency,
  leaseMs,
  metrics,
});
const writeMetrics = () => writeFileSync(metricsFile, JSON.stringify(metrics.snapshot()));
function tick(): void {
  writeMetrics();
  systemClock.setTimer(500, tick, { background: true });
}
await worker.start();
if (isStopRequested) void worker.stop();
tick();
await worker.ended;
writeMetrics();
await queue[Symbol.asyncDispose]();
await usage[Symbol.asyncDispose]();
process.exit(0);

interface Page {
  readonly status: number;
  readonly retryAfterMs: number;
  readonly bytes: number;
}

/** Half the work of `fetch`: the load test measures the queue and its workers, not HTTP. */
function createGetPage(connectionsMax: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax });
  return (url: string, signal: AbortSignal): Promise<Page> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { agent, signal }, (answer) => {
        let bytes = 0;
        answer.on("data", (chunk: Buffer) => (bytes += chunk.length));
        answer.once("error", reject);
        answer.once("end", () => {
          const retryAfterMs = Number(answer.headers["retry-after"] ?? 0) * 1_000;
          resolve({ status: answer.statusCode ?? 0, retryAfterMs, bytes });
        });
      });
      sent.once("error", reject);
      sent.end();
    });
}
