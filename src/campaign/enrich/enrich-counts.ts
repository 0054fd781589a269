import type { Metrics } from "../../base/metrics.ts";
import type { VisitOutcome } from "../../crawl/index.ts";

/** What visits count. Made once for each registry. */
export interface EnrichCounts {
  pageRead(contacts: number): void;
  visitEnded(outcome: VisitOutcome, reason: string): void;
}

export function createEnrichCounts(metrics: Metrics): EnrichCounts {
  const pages = metrics.counter({
    name: "forager_pages_read_total",
    help: "Pages that were read for facts, by whether they showed a contact.",
    labels: ["contacts"],
  });
  const contacts = metrics.counter({
    name: "forager_contacts_seen_total",
    help: "Addresses, numbers and profiles that pages showed, known ones among them.",
  });
  const visits = metrics.counter({
    name: "forager_visits_total",
    help: "Visits of websites by how they ended, and why a site was not read.",
    labels: ["outcome", "reason"],
  });
  return {
    pageRead(count) {
      pages.of(count > 0 ? "some" : "none").add(1);
      contacts.of().add(count);
    },
    visitEnded: (outcome, reason) => visits.of(outcome, reason).add(1),
  };
}
