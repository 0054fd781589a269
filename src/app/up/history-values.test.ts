import { expect, test } from "vitest";
import { createMetrics } from "../../base/metrics.ts";
import { createCallPercentiles, metricCounters, metricGauges } from "./history-values.ts";

test("charts get sums over kinds and caches, and percentiles of the calls since the last point", () => {
  const metrics = createMetrics();
  const caches = metrics.counter({
    name: "forager_cache_requests_total",
    help: "x",
    labels: ["cache", "result"],
  });
  caches.of("robots", "hit").add(3);
  caches.of("gates", "hit").add(4);
  caches.of("gates", "miss").add(1);
  metrics
    .gauge({ name: "forager_worker_slots", help: "x", labels: ["state"] })
    .of("idle")
    .set(6);
  const calls = metrics.histogram({
    name: "forager_queue_call_duration_seconds",
    help: "x",
    labels: ["operation"],
    bounds: [0.001, 0.01, 0.1],
  });
  expect(metricCounters(metrics.snapshot())).toMatchObject({ cacheHits: 7, cacheMisses: 1 });
  expect(metricGauges(metrics.snapshot())).toMatchObject({ slotsIdle: 6, slotsActive: 0 });
  const percentiles = createCallPercentiles();
  expect(percentiles(metrics.snapshot())).toEqual({});
  calls.of("claim").observe(0.0005, 90);
  calls.of("finish").observe(0.05, 10);
  expect(percentiles(metrics.snapshot())).toEqual({ callP50Ms: 1, callP95Ms: 100, callP99Ms: 100 });
  calls.of("claim").observe(0.005, 5);
  expect(percentiles(metrics.snapshot())).toEqual({ callP50Ms: 10, callP95Ms: 10, callP99Ms: 10 });
});
