import { AppError } from "../../base/app-error.ts";
import {
  dotOf,
  erasedPrefix,
  hideErased,
  isWithoutContent,
  referenceOf,
  viewAt,
  type Change,
  type Datagram,
  type FieldView,
  type Ledger,
  type TargetView,
} from "../../ledger/index.ts";
import { aliasPrefix, entryKinds } from "../fields/fields.ts";
import { visitField } from "../fields/visit-record.ts";
import type { HistoryEntry } from "../records.ts";

export interface HistorySource {
  readonly ledger: Pick<Ledger, "read" | "writtenOf">;
  readonly archive?: AsyncIterable<Datagram> | undefined;
}

/** All known datagrams of some targets, by dot. */
async function datagramsOf(
  { ledger, archive }: HistorySource,
  targets: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Datagram>> {
  const found = new Map<string, Datagram>();
  if (archive) {
    for await (const one of archive) if (targets.has(one.target)) found.set(dotOf(one), one);
  }
  for (const one of await ledger.writtenOf([...targets])) found.set(dotOf(one), one);
  for (const one of hideErased(found.values())) found.set(dotOf(one), one);
  hideExpired(found);
  // Current values from the checkpoint whose datagrams are in no log any more.
  for (const target of targets) {
    for (const field of (await ledger.read(target)).fields) {
      if (!found.has(field.dot)) found.set(field.dot, datagramOf(target, field));
    }
  }
  return found;
}

/** The source of deletions by retention. It has the rank of a person. */
export const retentionSource = "hand:retention";
/** Replaces the name of the field, which contains the address itself. */
const expiredField = "expired";
/** The value of the marker of an erased address. */
const erasedEmail = JSON.stringify("email");

/**
 * Hides what retention has removed: values and field names are neither shown nor restored. Versions up
 * to 0.2 only unset the field.
 */
function hideExpired(found: Map<string, Datagram>): void {
  const keyOf = ({ target, field }: Datagram) => `${target}\n${field}`;
  const removedAt = new Map<string, string>();
  for (const one of found.values()) {
    const isRemoval = one.source === retentionSource && one.value === undefined;
    if (isRemoval && one.stamp > (removedAt.get(keyOf(one)) ?? "")) {
      removedAt.set(keyOf(one), one.stamp);
    }
  }
  for (const [dot, one] of found) {
    if (one.field.startsWith(erasedPrefix) && one.value === erasedEmail)
      found.set(dot, { ...one, field: expiredField, value: undefined, causality: "" });
    const removed = removedAt.get(keyOf(one));
    if (removed === one.stamp) found.set(dot, { ...one, field: expiredField, causality: "" });
    else if (removed !== undefined && one.stamp < removed) found.delete(dot);
    else if (one.field === "visit") found.set(dot, withoutSeen(one, removedAt));
  }
}

/** A visit contains a list of what it found. */
function withoutSeen(one: Datagram, removedAt: ReadonlyMap<string, string>): Datagram {
  const visit = JSON.parse(one.value ?? "null") as { readonly seen?: unknown } | null;
  if (!Array.isArray(visit?.seen)) return one;
  const isKept = (field: unknown) =>
    one.stamp > (removedAt.get(`${one.target}\n${String(field)}`) ?? "");
  return { ...one, value: JSON.stringify({ ...visit, seen: visit.seen.filter(isKept) }) };
}

/** The checkpoint does not contain what was there before. */
const notKnown = "?";

function datagramOf(target: string, { field, value, source, stamp, dot }: FieldView): Datagram {
  const [node = "", session = "", number = ""] = dot.split("/");
  const count = Number(number);
  const json = JSON.stringify(value);
  const place = { stamp, node, session, number: count, commit: count };
  return { ...place, target, field, value: json, source, causality: notKnown };
}

/** The target and those that were merged into it. */
export const targetsOf = (view: TargetView): ReadonlySet<string> =>
  new Set([
    view.target,
    ...view.fields.flatMap(({ field }) =>
      field.startsWith(mergedPrefix) ? [field.slice(mergedPrefix.length)] : [],
    ),
  ]);
export const mergedPrefix = "merged/";

/** Newest first. */
export async function historyOf(
  source: HistorySource,
  { target, field }: { readonly target: string; readonly field?: string | undefined },
): Promise<readonly HistoryEntry[]> {
  const view = await source.ledger.read(target);
  const shown = new Set(view.fields.map(({ dot }) => dot));
  const all = [...(await datagramsOf(source, targetsOf(view))).values()];
  return all
    .filter((one) => !isWithoutContent(one))
    .filter((one) => field === undefined || isOf(one.field, field))
    .sort((a, b) => (a.stamp < b.stamp ? 1 : a.stamp > b.stamp ? -1 : b.number - a.number))
    .map((one) => ({
      field: one.field,
      value: one.value === undefined ? undefined : (JSON.parse(one.value) as unknown),
      source: one.source,
      stamp: one.stamp,
      node: one.node,
      target: one.target,
      isShown: shown.has(dotOf(one)),
    }));
}

const isOf = (name: string, wanted: string): boolean =>
  name === wanted || name.startsWith(`${wanted}/`);

export interface RestoreJob {
  readonly target: string;
  readonly field?: string | undefined;
  readonly atMs: number;
}

/** The changes that restore a record, or one of its fields, to an earlier state. */
export async function restoreChanges(
  source: HistorySource,
  { target, field, atMs }: RestoreJob,
): Promise<readonly Change[]> {
  const now = await source.ledger.read(target);
  const known = await datagramsOf(source, new Set([target]));
  const then = viewAt(target, known.values(), atMs);
  // For a deleted record everything is restored, including folder and notes.
  const isDeleted = now.fields.length === 0;
  const isWanted = (name: string) =>
    field === undefined ? isDeleted || !staysAsItIs(name) : isOf(name, field);
  checkComplete(known, { isWanted, atMs });
  if (then.fields.length === 0) throw notYet(known.values(), atMs);
  const before = new Map(then.fields.map((one) => [one.field, one.value]));
  const after = new Map(now.fields.map((one) => [one.field, one.value]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter(isWanted)
    .flatMap((name): Change[] => {
      const value = before.get(name);
      // Earlier visits may have been erased, because they list what they saw.
      if (value === undefined && name === visitField) return [];
      if (value === undefined) return [{ target, field: name, unset: true }];
      return JSON.stringify(value) === JSON.stringify(after.get(name))
        ? []
        : [{ target, field: name, value }];
    });
}

/** Refuses a time before the record existed: it would empty the record, and is probably a typo. */
function notYet(known: Iterable<Datagram>, atMs: number): AppError {
  const [first = ""] = [...known].map(({ stamp }) => stamp.slice(0, isoLength)).toSorted();
  const words = `nothing was known about it at ${new Date(atMs).toISOString()}`;
  return new AppError("invalid", "records_not_yet", `${words}: its history begins at ${first}`);
}

/** A field with its current value and its value after a change; undefined: no value. */
export interface FieldDifference {
  readonly target: string;
  readonly field: string;
  readonly now: unknown;
  readonly after: unknown;
}

/** The differences that some changes would make, for the user to review. */
export async function differencesOf(
  ledger: Pick<Ledger, "readAll">,
  changes: readonly Change[],
): Promise<readonly FieldDifference[]> {
  const targets = [...new Set(changes.map(({ target }) => target))];
  const views = await ledger.readAll(targets);
  const fields = views.map((view) => new Map(view.fields.map((one) => [one.field, one.value])));
  const known = new Map(targets.map((target, at) => [target, fields[at]!]));
  return changes.map((change) => ({
    target: change.target,
    field: change.field,
    now: known.get(change.target)?.get(change.field),
    after: change.unset ? undefined : change.value,
  }));
}

/** The folder and the notes of a record are not restored to their earlier state. */
const staysAsItIs = (field: string): boolean =>
  field === "slug" ||
  field === "mergedInto" ||
  field.startsWith(aliasPrefix) ||
  field.startsWith(mergedPrefix) ||
  entryKinds.some((kind) => field.startsWith(`${kind}/`));

/** A later value names the one it replaced: if that one is unknown, the past is unknown. */
function checkComplete(
  known: ReadonlyMap<string, Datagram>,
  { isWanted, atMs }: { readonly isWanted: (field: string) => boolean; readonly atMs: number },
): void {
  const references = new Set([...known.values()].map(referenceOf));
  for (const { field, stamp, causality } of known.values()) {
    if (!isWanted(field) || Date.parse(stamp.slice(0, isoLength)) <= atMs) continue;
    if (causality === "" || references.has(causality)) continue;
    const message =
      `what ${field} was at that time is not on this node any more: ` +
      `give the archive in the bucket to look in`;
    throw new AppError("invalid", "records_history_short", message);
  }
}

const isoLength = "2026-11-15T19:02:03.004Z".length;
