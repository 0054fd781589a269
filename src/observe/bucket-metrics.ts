import type { Metrics } from "../base/metrics.ts";
import type { Meter } from "../bucket/index.ts";

/** Counts this process's requests to buckets, by the part of the program that makes them. */
export function registerBucketMetrics(metrics: Metrics, meter: Pick<Meter, "follow">): void {
  const requests = metrics.counter({
    name: "forager_bucket_requests_total",
    help: "Requests sent to buckets, including retries.",
    labels: ["caller", "operation", "result"],
  });
  const bytes = metrics.counter({
    name: "forager_bucket_bytes_total",
    help: "Bytes of objects sent to and received from buckets.",
    labels: ["caller", "operation", "direction"],
  });
  const dollars = metrics.counter({
    name: "forager_bucket_dollars_total",
    help: "Price of the requests: S3 Standard, us-east-1.",
    labels: ["caller", "operation"],
  });
  meter.follow((caller, operation, used) => {
    const answered = used.requests - used.failed;
    if (answered > 0) requests.of(caller, operation, "answered").add(answered);
    if (used.failed > 0) requests.of(caller, operation, "failed").add(used.failed);
    if (used.bytesSent > 0) bytes.of(caller, operation, "sent").add(used.bytesSent);
    if (used.bytesReceived > 0) bytes.of(caller, operation, "received").add(used.bytesReceived);
    if (used.dollars > 0) dollars.of(caller, operation).add(used.dollars);
  });
}
