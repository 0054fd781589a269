import type { Metrics } from "../../base/metrics.ts";
import type { VisitOutcome } from "../../crawl/index.ts";

/** Metrics of visits. Created once per registry. */
export interface EnrichCounts {
  pageRead(contacts: number): void;
  visitEnded(outcome: VisitOutcome, reason: string): void;
}

export function createEnrichCounts(metrics: Metrics): EnrichCounts {
  const pages = metrics.counter({
    name: "forager_pages_read_total",
    help: "Pages that were searched for facts, by whether they contained a contact.",
    labels: ["contacts"],
  });
  const contacts = metrics.counter({
    name: "forager_contacts_seen_total",
    help: "E-mail addresses, phone numbers and profiles found on pages, including known ones.",
  });
  const visits = metrics.counter({
    name: "forager_visits_total",
    help: "Visits of websites by outcome, and by the reason why a site was not read.",
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
