import type { MetricsSnapshot } from "../../base/metrics.ts";
import type { VisitCount } from "../outcome/visit-counts.ts";

/** Attempts by outcome, over all kinds and processes. */
export interface WorkSummary {
  readonly done: number;
  readonly skipped: number;
  readonly retried: number;
  readonly failed: number;
  readonly released: number;
  /** Kinds with released tasks. */
  readonly releasedKinds: readonly string[];
  readonly lost: number;
  /** The number of contacts found by visits. */
  readonly contacts: number;
  /** Visits of websites: how many ended with each outcome, and why sites were not read. */
  readonly visits: readonly VisitCount[];
}

export function summaryOf(snapshot: MetricsSnapshot): WorkSummary {
  const family = snapshot.find(({ name }) => name === "forager_tasks_ended_total");
  const of = (end: string) =>
    (family?.series ?? [])
      .filter(({ values }) => values[1] === end)
      .reduce((sum, { value }) => sum + value, 0);
  return {
    done: of("done"),
    skipped: of("skipped"),
    retried: of("retried"),
    failed: of("failed"),
    released: of("released"),
    releasedKinds: (family?.series ?? [])
      .filter(({ values, value }) => values[1] === "released" && value > 0)
      .map(({ values }) => values[0] ?? ""),
    lost: of("lost"),
    contacts: contactsIn(snapshot),
    visits: visitsIn(snapshot),
  };
}

function contactsIn(snapshot: MetricsSnapshot): number {
  const family = snapshot.find(({ name }) => name === "forager_task_yield_total");
  return (family?.series ?? [])
    .filter(({ values }) => values[0] === "enrich")
    .reduce((sum, { value }) => sum + value, 0);
}

function visitsIn(snapshot: MetricsSnapshot): readonly VisitCount[] {
  const family = snapshot.find(({ name }) => name === "forager_visits_total");
  return (family?.series ?? [])
    .map(({ values: [outcome = "", reason = ""], value: count }) => ({ outcome, reason, count }))
    .toSorted((a, b) => b.count - a.count);
}
