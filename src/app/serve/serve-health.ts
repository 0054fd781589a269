import { AppError } from "../../base/app-error.ts";
import { createMetrics, mergeSnapshots, type MetricsSnapshot } from "../../base/metrics.ts";
import {
  queueMetrics,
  registerBucketMetrics,
  registerProcessMetrics,
  type HealthSource,
} from "../../observe/index.ts";
import type { Queue } from "../../queue/index.ts";
import { processMeter } from "../bucket/open-bucket.ts";

/** Metrics of a process that serves and runs no tasks: its own, and those of the queue. */
export function createServeHealth(openQueue: () => Promise<Queue>): HealthSource {
  const metrics = createMetrics();
  registerProcessMetrics(metrics);
  registerBucketMetrics(metrics, processMeter);
  const ofQueue = async (): Promise<MetricsSnapshot> => {
    try {
      return queueMetrics(await (await openQueue()).stats());
    } catch (error) {
      if (error instanceof AppError && error.kind === "unavailable") return [];
      throw error;
    }
  };
  return {
    metrics: async () => mergeSnapshots([metrics.snapshot(), await ofQueue()]),
    troubles: () => [],
    unready: () => [],
  };
}
