import { AppError } from "../../base/app-error.ts";
import type { Datagram, TargetView } from "../../ledger/index.ts";
import type { RecordKind, Records } from "../records.ts";

/** The parts of a node that deletion needs; its records may be open in another process. */
export interface DeletingNode {
  readonly ledger: { read(target: string): Promise<TargetView> };
  readonly records: Pick<Records, "write">;
}

export interface DeleteRequest {
  readonly target: string;
  readonly source: string;
}

export interface DeletedRecord {
  /** The number of fields it had. */
  readonly fields: number;
  /** A time at which it still existed: restoring it as of then undoes the deletion. */
  readonly before: string;
}

/** Removes all fields of a record, its notes and its folder. The history is kept. */
export async function deleteRecord(
  { ledger, records }: DeletingNode,
  { target, source }: DeleteRequest,
): Promise<DeletedRecord> {
  const { fields } = await ledger.read(target);
  const changes = fields.map(({ field }) => ({ target, field, unset: true as const }));
  const { datagrams } = await records.write({ source, changes });
  const [first = ""] = datagrams.map(({ stamp }) => stamp.slice(0, isoLength)).toSorted();
  return { fields: changes.length, before: new Date(Date.parse(first) - 1).toISOString() };
}

const isoLength = "2026-11-15T19:02:03.004Z".length;

/** The parts of a node that are needed to find a deleted record. */
export interface DeletedSource {
  read(target: string): Promise<TargetView>;
  log(page: { readonly from: number; readonly limit: number }): Promise<readonly Datagram[]>;
}

export interface FoundDeleted {
  readonly target: string;
  /** The time of the last write before its deletion: it was complete then. */
  readonly wholeAt: string;
}

const pageSize = 1_000;

/**
 * Finds the deleted record that had this folder or name; undefined if there is none. Searches only
 * the journal: a record that was deleted before the last checkpoint can be found only by its id.
 */
export async function findDeleted(
  ledger: DeletedSource,
  kind: RecordKind,
  name: string,
): Promise<FoundDeleted | undefined> {
  const named = new Set<string>();
  const lastSet = new Map<string, string>();
  const wanted = name.toLowerCase();
  for (let from = 0; ; from += pageSize) {
    const page = await ledger.log({ from, limit: pageSize });
    for (const { target, field, value, stamp } of page) {
      if (value === undefined || !target.startsWith(`${kind}/`)) continue;
      if (stamp > (lastSet.get(target) ?? "")) lastSet.set(target, stamp);
      const isName = field === "slug" || field === "name";
      if (isName && String(JSON.parse(value)).toLowerCase() === wanted) named.add(target);
    }
    if (page.length < pageSize) break;
  }
  const deleted: string[] = [];
  for (const target of named) {
    const { fields, isForgotten, mergedInto } = await ledger.read(target);
    if (fields.length === 0 && !isForgotten && mergedInto === undefined) deleted.push(target);
  }
  if (deleted.length > 1) throw ambiguous(kind, name, deleted);
  const [target] = deleted;
  return target === undefined
    ? undefined
    : { target, wholeAt: lastSet.get(target)!.slice(0, isoLength) };
}

const ambiguous = (kind: RecordKind, name: string, targets: readonly string[]) =>
  new AppError(
    "invalid",
    "record_ambiguous",
    `several deleted ${kind} records were called '${name}': give one of ${targets.join(", ")}`,
  );
