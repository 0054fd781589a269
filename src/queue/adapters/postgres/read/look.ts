import type { FoundInStep } from "../../../in-steps.ts";
import { endedOrder } from "../../../model/read.ts";
import type { EndedCursor, EndedQuery } from "../../../queue-store.ts";

/**
 * One step of a list (see in-steps.ts): the statement reads at most `$1` rows in the order of an
 * index, and returns those that match and the position at which it stopped. It reads no other rows.
 */

/** A matching row, or, if `isFound` is false, only the position at which the step stopped. */
export type LookedRow<Row> = Row & {
  readonly lookedAtMs: number | null;
  readonly lookedId: number | null;
  readonly isFull: boolean;
  readonly isFound: boolean;
};

export interface LookParts {
  /** Query for the rows to read, with `id` and `finished_at`, ordered by `finished_at` and `id`. */
  readonly step: string;
  readonly columns: string;
  /** The matching rows of `step u`; at most `$2` are returned. */
  readonly from: string;
  readonly order: string;
}

export const lookSql = ({ step, columns, from, order }: LookParts): string => {
  const back = order === "asc" ? "desc" : "asc";
  return `with step as materialized (${step}),
    looked as (select
      (select finished_at from step order by finished_at ${back}, id ${back} limit 1) as "lookedAtMs",
      (select id from step order by finished_at ${back}, id ${back} limit 1) as "lookedId",
      (select count(*) from step) = $1::int as "isFull")
  select looked.*, found.id is not null as "isFound", found.*
  from looked left join lateral (
    select ${columns} from ${from} order by u.finished_at ${order}, u.id ${order} limit $2) found
  on true`;
};

/** SQL conditions on kind, job and gate, and on the end of the previous page. */
export function endedConditions(query: EndedQuery, first: readonly unknown[], lane: string) {
  const values = [...first];
  const where = ["true"];
  for (const name of ["kind", "job", "gate"] as const) {
    if (query[name] === undefined) continue;
    values.push(query[name]);
    where.push(`${lane}.${name} = $${values.length}`);
  }
  const [isLater, order] = query.isNewestFirst ? ["<", "desc"] : [">", "asc"];
  let isBehind = "";
  if (query.after) {
    values.push(query.after.finishedAtMs, query.after.id);
    isBehind = `${isLater} ($${values.length - 1}, $${values.length})`;
  }
  return { values, where, order, isBehind };
}

export function stepOf<Row extends object, T extends EndedCursor>(
  looked: readonly LookedRow<Row>[],
  query: EndedQuery,
  toItem: (row: Row) => T,
): FoundInStep<T, EndedCursor> {
  const [first] = looked;
  const found = looked
    .filter(({ isFound }) => isFound)
    .map(({ lookedAtMs: _atMs, lookedId: _id, isFull: _isFull, isFound: _isFound, ...row }) =>
      toItem(row as unknown as Row),
    )
    .sort(endedOrder(query));
  const last = first?.isFull ? { finishedAtMs: first.lookedAtMs!, id: first.lookedId! } : undefined;
  return { found, last };
}
