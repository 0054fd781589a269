import type { FieldView } from "../../ledger/index.ts";
import { entryKinds, type EntryKind } from "./fields.ts";

/** A note, a meeting or a call: written once, and stored as a separate file. */
export interface RecordEntry {
  readonly kind: EntryKind;
  readonly id: string;
  /** ISO moment. */
  readonly at: string;
  readonly text: string;
  readonly title?: string;
  readonly by?: string;
  /** For a call: `reached`, `voicemail`, `no answer`, or any other text. */
  readonly outcome?: string;
  /** When to call again: an ISO time. */
  readonly callback?: string;
}

/** Its field in the ledger: `note/<id>`. */
export const entryField = ({ kind, id }: Pick<RecordEntry, "kind" | "id">): string =>
  `${kind}/${id}`;

/** Its value in the ledger. */
export function entryValue({
  at,
  text,
  title,
  by,
  outcome,
  callback,
}: Omit<RecordEntry, "kind" | "id">) {
  return {
    at,
    text,
    ...(title !== undefined && { title }),
    ...(by !== undefined && { by }),
    ...(outcome !== undefined && { outcome }),
    ...(callback !== undefined && { callback }),
  };
}

/** Oldest first, then by id, so that every node shows the same order. */
export function entriesOf(fields: readonly FieldView[]): readonly RecordEntry[] {
  return fields
    .flatMap((field): RecordEntry[] => {
      const entry = entryOf(field);
      return entry ? [entry] : [];
    })
    .sort((a, b) => compare(a.at, b.at) || compare(a.id, b.id));
}

/** Undefined if the field is not an entry. */
export function entryOf({ field, value, stamp }: FieldView): RecordEntry | undefined {
  const slash = field.indexOf("/");
  const kind = entryKinds.find((one) => one === field.slice(0, slash));
  if (slash < 0 || !kind || typeof value !== "object" || value === null) return undefined;
  const given = value as Readonly<Record<string, unknown>>;
  const text = (key: string) => {
    const one = given[key];
    return typeof one === "string" ? one : undefined;
  };
  return {
    kind,
    id: field.slice(slash + 1),
    // If the author left out the time, it is the time of writing.
    ...entryValue({
      at: text("at") ?? stamp.slice(0, isoLength),
      text: text("text") ?? "",
      ...textEntries(text, ["title", "by", "outcome", "callback"]),
    }),
  };
}

/**
 * True if the callback was made: there was a call at that time or later. The call in which it was
 * agreed does not count, even if it was logged late. A callback that cannot be parsed as a time
 * stays until a user removes it.
 */
export function isCallbackOver(
  callback: string,
  entries: readonly Pick<RecordEntry, "kind" | "at" | "callback">[],
): boolean {
  const dueMs = Date.parse(callback);
  return entries.some(
    ({ kind, at, callback: promised }) =>
      kind === "call" && promised !== callback && Date.parse(at) >= dueMs,
  );
}

/** A conversation settles the callback, even if it took place before the agreed time. */
export const isTalk = ({ kind, outcome = "" }: Pick<RecordEntry, "kind" | "outcome">): boolean =>
  kind === "call" &&
  ["reached", "interested", "not-interested", "not interested"].includes(outcome);

const isoLength = "2026-11-15T19:02:03.004Z".length;

const textEntries = (text: (key: string) => string | undefined, keys: readonly string[]) =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = text(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
