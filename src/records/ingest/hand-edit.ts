import type { Change, TargetView } from "../../ledger/index.ts";
import { readEmail, readPhone } from "../exchange/read-values.ts";
import { listPrefixes } from "../fields/fields.ts";
import type { Facts } from "../page/page.ts";
import { tokenOf, type RenderBase } from "../page/side-file.ts";

export interface HandEdit {
  readonly target: string;
  /** The render on which the edit is based. */
  readonly base: RenderBase | undefined;
  /** The current content of the file. */
  readonly facts: Facts;
  /** The current state of the ledger: there may be newer writes than the render. */
  readonly view: TargetView;
}

/**
 * The facts that the user changed: the differences from the render on which the edit is based, so
 * that saving an old text over a newer one reverts nothing. Each change names the write that it
 * saw.
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
    for (const field of isElement ? tidyElements(written, country) : [written]) {
      // Somebody else added it meanwhile, with more details.
      if (isElement && (now.has(field) || shown.get(field)?.token || added.has(field))) continue;
      added.add(field);
      changes.push({ target, field, value, seen: before?.reference ?? "" });
    }
  }
  for (const [field, { reference, token }] of shown) {
    if (token === "" || facts.has(field)) continue;
    changes.push({ target, field, unset: true, seen: reference });
  }
  return changes;
}

/** The facts of a new file, with list elements in the form of the ledger. */
export const tidyFacts = (facts: Facts): Facts =>
  new Map(
    [...facts].flatMap(([field, value]) => {
      const fields = value === true ? tidyElements(field, facts.get("country")) : [field];
      return fields.map((one) => [one, value] as const);
    }),
  );

/**
 * Normalizes elements: users write numbers with spaces and addresses with capitals, and several of
 * them on one line.
 */
function tidyElements(field: string, country: unknown): readonly string[] {
  const [emails, phones] = [listPrefixes.emails, listPrefixes.phones];
  const text = field.slice(field.indexOf("/") + 1).trim();
  const region = typeof country === "string" ? country : undefined;
  if (field.startsWith(emails)) {
    return severalIn(text, emails, readEmail) ?? [emails + (readEmail(text) ?? text.toLowerCase())];
  }
  if (!field.startsWith(phones)) return [field.trim()];
  const read = (part: string) => readPhone(part, region);
  return severalIn(text, phones, read) ?? [phones + (read(text) ?? text)];
}

/** Undefined unless each part of the line can be read. */
function severalIn(
  text: string,
  prefix: string,
  read: (part: string) => string | undefined,
): readonly string[] | undefined {
  const parts = text.split(/[,;]/).flatMap((part) => part.trim() || []);
  const found = parts.flatMap((part) => read(part) ?? []);
  return parts.length > 1 && found.length === parts.length ? found.map((one) => prefix + one) : undefined; // prettier-ignore
}
