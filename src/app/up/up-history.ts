import { freemem, loadavg, totalmem } from "node:os";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Paths } from "../../config/index.ts";
import { createMetricHistory, type MetricHistory } from "../../observe/index.ts";
import { loadHistory, saveHistory } from "../history-file.ts";
import { processMeter } from "../bucket/open-bucket.ts";
import {
  createCallPercentiles,
  metricCounters,
  metricGauges,
  queueGauges,
} from "./history-values.ts";
import type { Work } from "../work/open-work.ts";

export interface UpHistoryOptions {
  readonly paths: Paths;
  readonly work: Pick<Work, "summary" | "metrics" | "queueStats" | "queueServer">;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The data of the dashboard's charts. It costs no extra request, because the queue is read anyway.
 */
export function createUpHistory({ paths, work, clock, log }: UpHistoryOptions): MetricHistory {
  const callPercentiles = createCallPercentiles();
  return createMetricHistory({
    clock,
    log,
    load: () => loadHistory(paths),
    save: (history) => saveHistory(paths, history),
    async read() {
      const { done, skipped, failed } = work.summary();
      const queue = work.queueStats();
      const metrics = work.metrics();
      const usage = Object.values(processMeter.usage());
      // While the server is unreachable, the point lacks its figures.
      const server = await work.queueServer().catch(() => undefined);
      return {
        gauges: {
          load1: loadavg()[0]!,
          memoryUsedBytes: totalmem() - freemem(),
          ...(queue && queueGauges(queue)),
          ...metricGauges(metrics),
          ...callPercentiles(metrics),
          ...server,
        },
        counters: {
          tasksDone: done + skipped,
          tasksFailed: failed,
          ...metricCounters(metrics),
          bucketRequests: usage.reduce((sum, { requests }) => sum + requests, 0),
          bucketDollars: usage.reduce((sum, { dollars }) => sum + dollars, 0),
        },
      };
    },
  });
}
