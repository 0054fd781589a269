import type Database from "better-sqlite3";
import { AppError } from "../../../base/app-error.ts";
import { pageLimitMax, type RecordPage, type RecordQuery } from "../../search/record-search.ts";
import { termQueryOf, type TermQuery } from "../../search/search-words.ts";
import { decodeCursor, encodeCursor, type Cursor } from "./cursor.ts";
import { noCallback } from "./record-rows.ts";
import { indexedOf } from "./write-records.ts";

/** With fewer matches, all are sorted; with more, a walk in the requested order soon finds one. */
const sortedMax = 3_000;

type Row = {
  readonly kind: "company" | "person";
  readonly json: string;
  readonly target: string;
  readonly value: string | number;
  /** For the order "best": 0 if every word is in the name, otherwise 1. */
  readonly phase?: number;
};
type Values = Record<string, string | number | bigint>;

/**
 * The columns of each order. Records without a value are at the end in all orders: see
 * record-rows.ts.
 */
const sorts = {
  changed: { column: "changed", isDescending: true },
  rating: { column: "rating", isDescending: true },
  reviews: { column: "reviews", isDescending: true },
  callback: { column: "callback", isDescending: false },
} as const;

export function recordSearcher(db: Database.Database) {
  const run = (sql: string, values: Values) => prepared(db, sql).all(values) as readonly Row[];
  const rankBehind = db
    .prepare<Values, bigint | null>(
      `select seat from record indexed by record_by_sort
       where (sort, target) <= (@sort, @target) and seat is not null
       order by sort desc, target desc limit 1`,
    )
    .pluck()
    .safeIntegers();

  /** In the order of names, which is the order of ranks: `search` walks in this order. */
  const inOrder = (match: string, query: RecordQuery, from: Cursor | undefined, limit: number) => {
    const { conditions, values } = rangesOf(query);
    const rank = from && rankBehind.get({ sort: String(from.value), target: from.target });
    const isBehind = typeof rank === "bigint" ? [" and s.rowid > @rank"] : [];
    return run(
      `select r.kind, b.json, r.target, r.sort as value
       from search s cross join record r on r.seat = s.rowid cross join body b on b.key = r.key
       where search match @match ${[...isBehind, ...conditions].join("")}
       order by s.rowid limit @limit`,
      { ...values, match, limit, ...(typeof rank === "bigint" && { rank }) },
    );
  };

  /** First records with every word in their name, then the others; both in the order of names. */
  const best = (terms: TermQuery, query: RecordQuery, from: Cursor | undefined, limit: number) => {
    const rows: Row[] = [];
    for (const phase of [0, 1].filter((one) => one >= (from?.phase ?? 0))) {
      // Excluding the first group costs a walk over all of it, so do it only if it is not empty.
      const hasBefore = () => rows.length > 0 || countOf(inName(terms), 1) > 0;
      const match =
        phase === 0 ? inName(terms) : hasBefore() ? elsewhere(terms) : everywhere(terms);
      const behind = from?.phase === phase ? from : undefined;
      const found = inOrder(match, query, behind, limit - rows.length);
      rows.push(...found.map((row) => ({ ...row, phase })));
      if (rows.length >= limit) break;
    }
    return rows;
  };

  const sorted = (
    terms: TermQuery,
    query: RecordQuery,
    from: Cursor | undefined,
    limit: number,
  ) => {
    const { column, isDescending } = sorts[query.sort as keyof typeof sorts];
    const { conditions, values } = rangesOf(query);
    const behind = from
      ? [
          ` and (r.${column} ${isDescending ? "<" : ">"} @value
             or (r.${column} = @value and r.target > @after))`,
        ]
      : [];
    const order = `order by r.${column} ${isDescending ? "desc" : ""}, r.target limit @limit`;
    const all = [...behind, ...conditions].join("");
    const from_ = from ? { value: from.value, after: from.target } : {};
    const match = everywhere(terms);
    const isFew = countOf(match, sortedMax + 1) <= sortedMax;
    const columns = `r.key, r.kind, r.target, r.${column} as value`;
    const page = isFew
      ? `select ${columns} from search s cross join record r on r.seat = s.rowid
         where search match @match ${all} ${order}`
      : `select ${columns} from record r
         where r.kind = @kind ${all} ${isAll(terms) ? "" : memberOf} ${order}`;
    // Bodies are read for the page only, not for all sorted rows.
    const sql = `select p.kind, b.json, p.target, p.value from (${page}) p
      cross join body b on b.key = p.key order by p.value ${isDescending ? "desc" : ""}, p.target`;
    const bound = { ...values, ...from_, limit, kind: query.kind, match };
    return run(sql, only(bound, sql));
  };

  const countOf = (match: string, max: number) =>
    prepared(db, "select count(*) from (select 1 from search where search match @match limit @max)")
      .pluck()
      .get({ match, max }) as number;

  return {
    search(query: RecordQuery): RecordPage {
      if (!Number.isInteger(query.limit) || query.limit < 1 || query.limit > pageLimitMax) {
        throw new AppError("invalid", "index_limit", `a page has 1 to ${pageLimitMax} records`);
      }
      const terms = termQueryOf(query);
      if (terms.isNothing) return { rows: [], next: undefined };
      const order = query.sort ?? (terms.begins.length > 0 ? "best" : "name");
      const from = query.after === undefined ? undefined : decodeCursor(query.after, order);
      const limit = query.limit + 1; // one more shows if there is a next page
      const found =
        order === "best"
          ? best(terms, query, from, limit)
          : order === "name"
            ? inOrder(everywhere(terms), query, from, limit)
            : sorted(terms, query, from, limit);
      const shown = found.slice(0, query.limit);
      const last = shown.at(-1);
      return {
        rows: shown.map(({ kind, json }) => indexedOf(kind, json)),
        next:
          found.length > query.limit && last
            ? encodeCursor({
                order,
                phase: last.phase ?? 0,
                value: last.value,
                target: last.target,
              })
            : undefined,
      };
    },
    count(query: Omit<RecordQuery, "limit" | "after">, max: number): number {
      const terms = termQueryOf(query);
      if (terms.isNothing) return 0;
      const { conditions, values } = rangesOf(query);
      const match = everywhere(terms);
      if (conditions.length === 0) return countOf(match, max);
      const sql = `select count(*) from (select 1 from search s cross join record r
        on r.seat = s.rowid where search match @match ${conditions.join("")} limit @max)`;
      return prepared(db, sql)
        .pluck()
        .get({ ...values, match, max }) as number;
    },
  };
}

const statements = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/** There are only a few dozen different statements; each is prepared once. */
function prepared(db: Database.Database, sql: string): Database.Statement {
  const known = statements.get(db) ?? new Map<string, Database.Statement>();
  statements.set(db, known);
  const statement = known.get(sql) ?? db.prepare(sql);
  known.set(sql, statement);
  return statement;
}

const memberOf = " and exists (select 1 from search where search match @match and rowid = r.seat)";

/** True if the query selects all records of a kind. */
const isAll = ({ begins, facts }: TermQuery) => begins.length === 0 && facts.length === 1;

// Terms contain only letters, digits and our marks, so inside quotes none can be an operator.
const exactly = (term: string) => `"${term}"`;
const beginning = (term: string) => `"${term}"*`;
const all = (terms: readonly string[]) => terms.join(" AND ");

const everywhere = ({ begins, facts }: TermQuery) =>
  all([...begins.map(beginning), ...facts.map(exactly)]);
const inName = ({ nameBegins, facts }: TermQuery) =>
  all([...nameBegins.map(beginning), ...facts.map(exactly)]);
const elsewhere = (terms: TermQuery) =>
  `(${everywhere(terms)}) NOT (${all(terms.nameBegins.map(beginning))})`;

function rangesOf({ filters = {} }: Pick<RecordQuery, "filters">) {
  const conditions: string[] = [];
  const values: Values = {};
  const add = (condition: string, name: string, value: string | number | undefined) => {
    if (value === undefined) return;
    conditions.push(` and ${condition}`);
    values[name] = value;
  };
  add("r.callback <= @callbackUntil", "callbackUntil", filters.callbackUntil);
  add("r.changed >= @changedSince", "changedSince", filters.changedSince);
  add("r.rating >= @ratingMin", "ratingMin", filters.ratingMin);
  add("r.reviews >= @reviewsMin", "reviewsMin", filters.reviewsMin);
  if (filters.callbackUntil !== undefined) conditions.push(` and r.callback <> '${noCallback}'`);
  return { conditions, values };
}

/** SQLite rejects values that a statement does not use. */
const only = (values: Values, sql: string): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => sql.includes(`@${name}`)));
