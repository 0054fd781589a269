import type { Metrics } from "../base/metrics.ts";
import type { Fetcher } from "./fetcher.ts";

/** Counts the outcomes of fetches, and their bytes. One counter serves several fetchers. */
export function createFetchCounter(metrics: Metrics): (fetcher: Fetcher) => Fetcher {
  const fetches = metrics.counter({
    name: "forager_fetches_total",
    help: "Fetches by result: found, not_modified, stopped, or the reason of the failure.",
    labels: ["outcome"],
  });
  const requests = metrics.counter({
    name: "forager_fetch_requests_total",
    help: "Requests sent, including redirects and parts of pages.",
    labels: ["method"],
  });
  const bytes = metrics.counter({
    name: "forager_fetch_bytes_total",
    help: "Bytes of pages that were found, as transferred and as unpacked.",
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
