import type { Change, TargetView } from "../../ledger/index.ts";
import type { FoundPage } from "./ask-site.ts";
import {
  contactsIn,
  pageChanges,
  sitemapChange,
  sourceOf,
  type SitemapSaid,
} from "./page-changes.ts";
import type { EndedVisit } from "./first-visits.ts";
import { personChanges } from "./person-changes.ts";
import type { EnrichServices } from "./services.ts";
import {
  isVisitRead,
  mentionedKeys,
  numbersIn,
  regionOf,
  suppressionKeyOf,
  visitField,
  withoutMentions,
  type VisitRecord,
} from "../../records/index.ts";
import { extractorVersion } from "./visit-freshness.ts";
import type { VisitState } from "./visit-task.ts";

/** Writes the facts of a page that are new; returns the contacts on it. */
export async function writePage(
  services: EnrichServices,
  view: TargetView,
  page: FoundPage,
): Promise<readonly string[]> {
  const { ledger, write, counts, keepPage } = services;
  const { facts } = page;
  const source = sourceOf(facts.url);
  const people = await personChanges(ledger, { company: view, people: facts.people, source });
  const all = [...pageChanges(view, page, source), ...people];
  const country = view.fields.find(({ field }) => field === "country")?.value;
  const names = [...view.fields, ...all].map(({ field }) => field);
  const changes = await withoutSuppressed(services, all, regionOf(country, numbersIn(names)));
  await write({ source, changes });
  await keepPage?.({ target: view.target, url: facts.url, body: page.body });
  const { target } = view;
  const shown = contactsIn(facts).map((field) => ({ target, field, value: true }));
  const seen = (await withoutSuppressed(services, shown)).map(({ field }) => field);
  counts.pageRead(seen.length);
  return seen;
}

export async function writeSitemap(
  { write }: EnrichServices,
  { target }: TargetView,
  said: SitemapSaid,
): Promise<void> {
  const change = sitemapChange(target, said);
  if (change) await write({ source: sourceOf(said.url), changes: [change] });
}

/** Removes suppressed addresses and numbers, also from labels, descriptions and other texts. */
async function withoutSuppressed(
  { ledger }: EnrichServices,
  changes: readonly Change[],
  country?: string,
): Promise<readonly Change[]> {
  const keys = changes.flatMap((change) => {
    const own = suppressionKeyOf(change.field);
    const mentioned = "value" in change ? mentionedKeys(change.value, country) : [];
    return own === undefined ? mentioned : [own, ...mentioned];
  });
  const listed = new Set(await ledger.suppressed([...new Set(keys)]));
  if (listed.size === 0) return changes;
  return changes
    .filter(({ field }) => !listed.has(suppressionKeyOf(field) ?? ""))
    .map((change) =>
      "value" in change
        ? { ...change, value: withoutMentions(change.value, listed, country) }
        : change,
    );
}

/**
 * Writes the outcome of a visit. Its time is the start of the visit, so that a repetition writes
 * the same.
 */
export async function writeEnd(
  { write, counts }: EnrichServices,
  { target }: TargetView,
  { visit, seen, requests }: Pick<VisitState, "visit" | "seen" | "requests">,
): Promise<Omit<EndedVisit, "host">> {
  const outcome = visit.outcome ?? "unreachable";
  const isEmpty = outcome === "done" && visit.needsScripts === true && seen.length === 0;
  const reason = visit.reason ?? (isEmpty ? "needs_scripts" : undefined);
  const why = reason === undefined ? {} : { reason };
  const at = new Date(visit.startedAtMs).toISOString();
  const pages = visit.pages.filter(({ state }) => state === "found").length;
  const record: VisitRecord = {
    at,
    outcome,
    ...why,
    version: extractorVersion,
    pages,
    ...(requests !== undefined && { requests }),
    ...(visit.bytes > 0 && { bytes: visit.bytes }),
    seen,
  };
  await write({
    source: sourceOf(visit.home),
    changes: [
      { target, field: visitField, value: record },
      ...(isVisitRead(record) ? [{ target, field: "enrichedAt", value: at }] : []),
    ],
  });
  counts.visitEnded(outcome, reason ?? "");
  return { outcome, ...why };
}
