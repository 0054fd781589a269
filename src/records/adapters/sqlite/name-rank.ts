import type Database from "better-sqlite3";

/**
 * The rank of a record is a number. Ranks have the order of the names, with gaps that leave room
 * for many more. Records that are inserted into the same gap share it evenly; at both ends there is
 * always room. If a gap is full, all records get new ranks. Stored in the column `seat`.
 */
const step = 2n ** 40n;
const rankMax = 2n ** 62n;

export interface Unranked {
  readonly sort: string;
  readonly target: string;
}

/** Returns ranks for the new records, which are sorted; undefined if there is no room. */
export function ranksFor(
  db: Pick<Statements, "before" | "after">,
  sorted: readonly Unranked[],
): readonly bigint[] | undefined {
  const ranks: bigint[] = [];
  for (let from = 0; from < sorted.length;) {
    const previous = db.before.get(sorted[from]!);
    const next = db.after.get(sorted[from]!);
    let to = from + 1;
    // Collect neighbours in the batch with no stored record between them.
    while (to < sorted.length && (!next || compareRanked(sorted[to]!, next) < 0)) to += 1;
    const found = share(previous?.rank, next?.rank, BigInt(to - from));
    if (!found) return undefined;
    ranks.push(...found);
    from = to;
  }
  return ranks;
}

interface Ranked extends Unranked {
  readonly rank: bigint;
}

export interface Statements {
  readonly before: Database.Statement<Unranked, Ranked>;
  readonly after: Database.Statement<Unranked, Ranked>;
}

export const rankStatements = (db: Database.Database): Statements => ({
  before: db
    .prepare<Unranked, Ranked>(
      `select sort, target, seat as rank from record indexed by record_by_sort
       where (sort, target) < (@sort, @target) and seat is not null
       order by sort desc, target desc limit 1`,
    )
    .safeIntegers(),
  after: db
    .prepare<Unranked, Ranked>(
      `select sort, target, seat as rank from record indexed by record_by_sort
       where (sort, target) > (@sort, @target) and seat is not null
       order by sort, target limit 1`,
    )
    .safeIntegers(),
});

/** Ranks for `count` records in an empty table. */
export const evenRanks = (count: number): readonly bigint[] =>
  share(undefined, undefined, BigInt(count))!;

function share(
  previous: bigint | undefined,
  next: bigint | undefined,
  count: bigint,
): readonly bigint[] | undefined {
  const index = Array.from({ length: Number(count) }, (_, at) => BigInt(at));
  if (previous !== undefined && next !== undefined) {
    const gap = (next - previous) / (count + 1n);
    return gap < 1n ? undefined : index.map((at) => previous + gap * (at + 1n));
  }
  const first =
    previous !== undefined
      ? previous + step
      : next !== undefined
        ? next - step * count
        : (-step * count) / 2n;
  const last = first + step * count;
  if (first < -rankMax || last > rankMax) return undefined;
  return index.map((at) => first + step * at);
}

/** Compares texts like SQLite: by their UTF-8 bytes. */
export const compareRanked = (a: Unranked, b: Unranked): number =>
  compareBytes(a.sort, b.sort) || compareBytes(a.target, b.target);

function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  // The orders differ only for surrogate pairs.
  if (!hasSurrogate.test(a) && !hasSurrogate.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const hasSurrogate = /[\ud800-\udfff]/;
