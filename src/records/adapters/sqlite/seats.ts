import type Database from "better-sqlite3";

/**
 * A seat is a number that stands to others as the names stand: between two there is room for many
 * more. What comes together into one gap shares it evenly; at both ends there is no need to share.
 * Where a gap is full, all seats are given anew.
 */
const step = 2n ** 40n;
const seatMax = 2n ** 62n;

export interface Unseated {
  readonly sort: string;
  readonly target: string;
}

/** The seats, in the order of what is to be placed, which is sorted; undefined: no room. */
export function seatsFor(
  db: Pick<Statements, "before" | "after">,
  sorted: readonly Unseated[],
): readonly bigint[] | undefined {
  const seats: bigint[] = [];
  for (let from = 0; from < sorted.length;) {
    const previous = db.before.get(sorted[from]!);
    const next = db.after.get(sorted[from]!);
    let to = from + 1;
    // Neighbours in the batch that no stored record parts.
    while (to < sorted.length && (!next || compareSeated(sorted[to]!, next) < 0)) to += 1;
    const found = share(previous?.seat, next?.seat, BigInt(to - from));
    if (!found) return undefined;
    seats.push(...found);
    from = to;
  }
  return seats;
}

interface Seated extends Unseated {
  readonly seat: bigint;
}

export interface Statements {
  readonly before: Database.Statement<Unseated, Seated>;
  readonly after: Database.Statement<Unseated, Seated>;
}

export const seatStatements = (db: Database.Database): Statements => ({
  before: db
    .prepare<Unseated, Seated>(
      `select sort, target, seat from record indexed by record_by_sort
       where (sort, target) < (@sort, @target) and seat is not null
       order by sort desc, target desc limit 1`,
    )
    .safeIntegers(),
  after: db
    .prepare<Unseated, Seated>(
      `select sort, target, seat from record indexed by record_by_sort
       where (sort, target) > (@sort, @target) and seat is not null
       order by sort, target limit 1`,
    )
    .safeIntegers(),
});

/** Where `count` records go that nothing stands before or after. */
export const evenSeats = (count: number): readonly bigint[] =>
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
  if (first < -seatMax || last > seatMax) return undefined;
  return index.map((at) => first + step * at);
}

/** As SQLite compares texts: by their UTF-8 bytes. */
export const compareSeated = (a: Unseated, b: Unseated): number =>
  compareBytes(a.sort, b.sort) || compareBytes(a.target, b.target);

function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  // Only pairs of surrogates sort elsewhere as bytes than as a string's units.
  if (!hasSurrogate.test(a) && !hasSurrogate.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const hasSurrogate = /[\ud800-\udfff]/;
