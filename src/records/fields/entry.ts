import type { FieldView } from "../../ledger/index.ts";
import { entryKinds, type EntryKind } from "./fields.ts";

/** A note, a meeting or a call: written once, and shown as a file of its own. */
export interface RecordEntry {
  readonly kind: EntryKind;
  readonly id: string;
  /** ISO moment. */
  readonly at: string;
  readonly text: string;
  readonly title?: string;
  readonly by?: string;
  /** Of a call: `reached`, `voicemail`, `no answer`, or what people like. */
  readonly outcome?: string;
  /** When to call again: an ISO moment. */
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

/** The oldest first; at the same moment by id, so that every node shows one order. */
export function entriesOf(fields: readonly FieldView[]): readonly RecordEntry[] {
  return fields
    .flatMap((field): RecordEntry[] => {
      const entry = entryOf(field);
      return entry ? [entry] : [];
    })
    .sort((a, b) => compare(a.at, b.at) || compare(a.id, b.id));
}

/** Undefined for a field that is no entry. */
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
    // Written by someone who left out when: then it is when it was written.
    ...entryValue({
      at: text("at") ?? stamp.slice(0, isoLength),
      text: text("text") ?? "",
      ...textEntries(text, ["title", "by", "outcome", "callback"]),
    }),
  };
}

/**
 * Whether what was promised was kept: somebody called at that moment or later. The call in which it was
 * promised does not count, also if it was logged late. A callback that cannot be read as a moment stays
 * until a person takes it away.
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

/** A talk settles what it was about, also before the moment that was agreed. */
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
