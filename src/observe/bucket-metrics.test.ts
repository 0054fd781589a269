import { expect, test } from "vitest";
import { createMetrics } from "../base/metrics.ts";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createMemoryBucket } from "../bucket/adapters/memory/memory-bucket.ts";
import { createMeter } from "../bucket/index.ts";
import { registerBucketMetrics } from "./bucket-metrics.ts";
import { toPrometheusText } from "./prometheus-text.ts";

test("requests, bytes and dollars by caller and operation, also from before it was asked", async () => {
  const metrics = createMetrics();
  const meter = createMeter();
  const bucket = createMemoryBucket({ clock: createTestClock() });
  await meter.meter(bucket, "queue").put("a", Buffer.from("12345"));
  registerBucketMetrics(metrics, meter);
  await meter.meter(bucket, "queue").put("a", Buffer.from("123"));
  await meter.meter(bucket, "hub", { isFree: true }).get("a");
  meter.add("hub", "list", {
    requests: 1,
    failed: 1,
    bytesSent: 0,
    bytesReceived: 0,
    dollars: 0,
  });
  const lines = toPrometheusText(metrics.snapshot())
    .split("\n")
    .filter((line) => line.startsWith("forager_bucket"));
  expect(lines).toEqual([
    'forager_bucket_requests_total{caller="queue",operation="put",result="answered"} 2',
    'forager_bucket_requests_total{caller="hub",operation="get",result="answered"} 1',
    'forager_bucket_requests_total{caller="hub",operation="list",result="failed"} 1',
    'forager_bucket_bytes_total{caller="queue",operation="put",direction="sent"} 8',
    'forager_bucket_bytes_total{caller="hub",operation="get",direction="received"} 3',
    'forager_bucket_dollars_total{caller="queue",operation="put"} 0.00001',
  ]);
});
