/**
 * One worker process of the demo: what `forager work` does, with one difference. The region's names
 * are nobody's, so each of them leads to this machine. Works until its parent says "stop", goes
 * away, or it is killed. Its settings are JSON in the first argument.
 */
import { openBuiltInWork, openQueue } from "../../app/index.ts";
import { systemClock } from "../../base/clock.ts";
import { createMetrics } from "../../base/metrics.ts";
import { createPinoLogger } from "../../base/pino-logger.ts";
import { createPaths, type Settings } from "../../config/index.ts";
import { createWorker } from "../../worker/index.ts";

export interface DemoWorkerSettings {
  readonly worker: string;
  readonly folder: string;
  readonly address: string;
  readonly crawl: Settings["crawl"];
  readonly version: string;
}

const concurrency = 20;
const leaseMs = 10_000;

const settings = JSON.parse(process.argv[2] ?? "") as DemoWorkerSettings;
process.on("message", () => void worker.stop());
process.on("disconnect", () => process.exit(1)); // the parent is gone: nobody would stop us
// Ctrl-C reaches all processes of a terminal, and it is the parent who says when to stop.
process.on("SIGINT", () => {});

const { worker: name, folder, address, crawl, version } = settings;
const log = createPinoLogger({ level: "error" });
const metrics = createMetrics();
const queue = await openQueue(address);
const work = await openBuiltInWork({
  paths: createPaths(folder),
  clock: systemClock,
  log,
  queue,
  crawl,
  metrics,
  user: "demo",
  version,
  resolve: async () => ["127.0.0.1"],
});
const worker = createWorker({
  queue,
  name,
  handlers: work.handlers,
  services: work.services,
  concurrency,
  leaseMs,
  graceMs: 2_000,
  metrics,
  logger: log,
});
await worker.start();
await worker.ended;
await work[Symbol.asyncDispose]();
await queue[Symbol.asyncDispose]();
process.exit(0);
