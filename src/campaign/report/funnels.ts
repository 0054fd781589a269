import { isVisitRead, type Company, type FoundBy } from "../../records/index.ts";
import type { Question, Witness } from "../witness.ts";
import type { CampaignFunnel, CampaignReport } from "./report-schema.ts";

/** Counts the steps of a campaign, in total and by phrase and source. */
export interface Funnels {
  /** Counts a question of the plan, with its witness if it has one. */
  look(question: Question & { readonly tile: { readonly id: string } }, witness?: Witness): void;
  add(company: Company, finds: readonly FoundBy[]): void;
  all(): CampaignFunnel;
  rows(): CampaignReport["rows"];
}

type Counts = { -readonly [step in keyof CampaignFunnel]: number };

export function createFunnels(sourceOfName: (name: string | undefined) => string): Funnels {
  const all = noCounts();
  const lookedAt = new Set<string>();
  type Row = { readonly question: Question; readonly counts: Counts };
  const inOrder: Row[] = [];
  /** By source, then by phrase. */
  const rows = new Map<string, Map<string, Row>>();
  const rowOf = ({ phrase, source }: Question): Counts => {
    let ofSource = rows.get(source);
    if (!ofSource) rows.set(source, (ofSource = new Map()));
    let row = ofSource.get(phrase);
    if (!row) {
      row = { question: { phrase, source }, counts: noCounts() };
      ofSource.set(phrase, row);
      inOrder.push(row);
    }
    return row.counts;
  };
  return {
    look(question, witness) {
      const row = rowOf(question);
      if (!witness) return;
      lookedAt.add(question.tile.id);
      row.tiles += 1;
      row.places += witness.found;
      all.places += witness.found;
    },
    add(company, finds) {
      count(all, company);
      const found = finds.map(({ phrase, source }) =>
        rowOf({ phrase, source: sourceOfName(source) }),
      );
      for (const counts of found.length === 1 ? found : new Set(found)) count(counts, company);
    },
    // While a tile is being searched, companies are stored before its witness.
    all: () => ({ ...all, tiles: lookedAt.size, places: Math.max(all.places, all.companies) }),
    rows: () => inOrder.map(({ question, counts }) => ({ ...question, ...counts })),
  };
}

const noCounts = (): Counts => ({
  tiles: 0,
  places: 0,
  companies: 0,
  withWebsite: 0,
  visited: 0,
  enriched: 0,
  withContact: 0,
  withEmail: 0,
  withPhone: 0,
});

function count(counts: Counts, { texts, visit, emails, phones }: Company): void {
  counts.companies += 1;
  if (texts.website !== undefined || texts.domain !== undefined) counts.withWebsite += 1;
  if (visit) counts.visited += 1;
  const isRead = visit !== undefined && isVisitRead(visit);
  if (isRead) counts.enriched += 1;
  // Contacts are written during a visit, and places may have phones, so only companies with a
  // completed visit count.
  if (isRead && emails.length + phones.length > 0) counts.withContact += 1;
  if (emails.length > 0) counts.withEmail += 1;
  if (phones.length > 0) counts.withPhone += 1;
}
