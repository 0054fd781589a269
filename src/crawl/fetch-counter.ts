import type { Metrics } from "../base/metrics.ts";
import type { Fetcher } from "./fetcher.ts";

/** Counts the outcomes of fetches, and their bytes. One counter serves several fetchers. */
export function createFetchCounter(metrics: Metrics): (fetcher: Fetcher) => Fetcher {
  const fetches = metrics.counter({
    name: "forager_fetches_total",
    help: "Fetches by how they ended: found, not_modified, stopped, or why they failed.",
    labels: ["outcome"],
  });
  const requests = metrics.counter({
    name: "forager_fetch_requests_total",
    help: "Requests that went out, redirects and the parts of pages included.",
    labels: ["method"],
  });
  const bytes = metrics.counter({
    name: "forager_fetch_bytes_total",
    help: "Bytes of pages that were found, as they came and as they were unpacked.",
    labels: ["form"],
  });
  return (fetcher) => ({
    async fetch(request) {
      const outcome = await fetcher.fetch({
        ...request,
        onSent(hop) {
          requests.of(hop.method).add(1);
          request.onSent?.(hop);
        },
      });
      fetches.of(outcome.kind === "failed" ? outcome.reason : outcome.kind).add(1);
      if (outcome.kind === "found") {
        bytes.of("wire").add(outcome.bytes.wire);
        bytes.of("unpacked").add(outcome.bytes.unpacked);
      }
      return outcome;
    },
    [Symbol.asyncDispose]: () => fetcher[Symbol.asyncDispose](),
  });
}
