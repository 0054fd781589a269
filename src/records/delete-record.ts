import type { TargetView } from "../ledger/index.ts";
import type { Records } from "./records.ts";

/** What deleting needs of a node, wherever its records are open. */
export interface DeletingNode {
  readonly ledger: { read(target: string): Promise<TargetView> };
  readonly records: Pick<Records, "write">;
}

export interface DeleteRequest {
  readonly target: string;
  readonly source: string;
}

export interface DeletedRecord {
  /** How many fields it had. */
  readonly fields: number;
  /** A moment at which it was still there: restoring it as of then undoes the deletion. */
  readonly before: string;
}

/** Removes all fields of a record, its notes and its folder. The history stays. */
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
