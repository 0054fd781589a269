import type { Change, TargetView } from "../../ledger/index.ts";
import { readEmail, readPhone } from "../exchange/read-values.ts";
import { listPrefixes } from "../fields/fields.ts";
import type { Facts } from "../page/page.ts";
import { tokenOf, type RenderBase } from "../page/side-file.ts";

export interface HandEdit {
  readonly target: string;
  /** What the render showed that the edit began with. */
  readonly base: RenderBase | undefined;
  /** What the file says now. */
  readonly facts: Facts;
  /** What is known now: other writes may have come since the render. */
  readonly view: TargetView;
}

/**
 * The facts that a hand has changed: what differs from the render it began with, and nothing else,
 * so that saving an old text over a newer one takes nothing back. Each says which write it saw.
 */
export function changesOf({ target, base, facts, view }: HandEdit): readonly Change[] {
  const shown = base?.fields ?? new Map<string, never>();
  const now = new Set(view.fields.map(({ field }) => field));
  const changes: Change[] = [];
  const added = new Set<string>();
  const country = facts.get("country");
  for (const [written, value] of facts) {
    const before = shown.get(written);
    if (before && before.token !== "" && before.token === tokenOf(value)) continue;
    const isElement = value === true;
    const field = isElement ? tidyElement(written, country) : written;
    // Someone else added it meanwhile, with more to tell about it.
    if (isElement && (now.has(field) || shown.get(field)?.token || added.has(field))) continue;
    added.add(field);
    changes.push({ target, field, value, seen: before?.reference ?? "" });
  }
  for (const [field, { reference, token }] of shown) {
    if (token === "" || facts.has(field)) continue;
    changes.push({ target, field, unset: true, seen: reference });
  }
  return changes;
}

/** The facts of a file that is new, with elements of lists as the ledger spells them. */
export const tidyFacts = (facts: Facts): Facts =>
  new Map(
    [...facts].map(([field, value]) => [
      value === true ? tidyElement(field, facts.get("country")) : field,
      value,
    ]),
  );

/** People write numbers with spaces and addresses with capitals; both are one and the same. */
function tidyElement(field: string, country: unknown): string {
  const [emails, phones] = [listPrefixes.emails, listPrefixes.phones];
  const text = field.slice(field.indexOf("/") + 1).trim();
  if (field.startsWith(emails)) return emails + (readEmail(text) ?? text.toLowerCase());
  if (!field.startsWith(phones)) return field.trim();
  return phones + (readPhone(text, typeof country === "string" ? country : undefined) ?? text);
}
