import type { Change, TargetView } from "../ledger/index.ts";
import { listPrefixes } from "./fields.ts";
import type { Facts } from "./page.ts";
import { tokenOf, type RenderBase } from "./side-file.ts";

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
  for (const [written, value] of facts) {
    const before = shown.get(written);
    if (before && before.token !== "" && before.token === tokenOf(value)) continue;
    const isElement = value === true;
    const field = isElement ? tidyElement(written) : written;
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

/** People write numbers with spaces and addresses with capitals; both are one and the same. */
function tidyElement(field: string): string {
  const [emails, phones] = [listPrefixes.emails, listPrefixes.phones];
  if (field.startsWith(emails)) {
    return (
      emails +
      field
        .slice(emails.length)
        .trim()
        .toLowerCase()
        .replace(/^mailto:/, "")
    );
  }
  if (field.startsWith(phones)) {
    const text = field.slice(phones.length).trim();
    return phones + (/^\+[\d\s()./-]+$/.test(text) ? text.replaceAll(/[^\d+]/g, "") : text);
  }
  return field.trim();
}
