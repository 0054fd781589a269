import { countOf } from "../../../../base/text/count-words.ts";
import type { RecordKind } from "../../../../records/index.ts";

/** The noun for a kind of record in messages. */
export const nounOf = (kind: RecordKind): string => kind;

/** `1 company`, `2 companies`, `3 people`. */
export function countRecords(kind: RecordKind, count: number): string {
  if (count === 1) return countOf(1, kind);
  return countOf(count, kind).replace(
    /companys$|persons$/,
    kind === "company" ? "companies" : "people",
  );
}
