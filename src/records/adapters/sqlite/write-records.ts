import type Database from "better-sqlite3";
import type { Indexed } from "../../search/record-index.ts";
import { compareRanked, evenRanks, rankStatements, ranksFor } from "./name-rank.ts";
import { elementsOf, rowOf, termTextOf, type RecordRow } from "./record-rows.ts";

interface Stored {
  readonly key: bigint;
  readonly kind: Indexed["kind"];
  readonly sort: string;
  readonly rank: bigint | null;
}

/** A record that has no rank yet. */
interface Waiting {
  readonly indexed: Indexed;
  readonly row: RecordRow;
  readonly before: Stored | undefined;
}

/** Puts records into the tables, and removes them. Call it within a transaction. */
export function recordWriter(db: Database.Database) {
  const stored = db
    .prepare<[string], Stored>("select key, kind, sort, seat as rank from record where target = ?")
    .safeIntegers();
  const insert = db.prepare<RecordRow & { readonly rank: bigint | null }>(
    `insert into record (target, kind, slug, sort, seat, changed, rating, reviews, callback, domain)
     values (@target, @kind, @slug, @sort, @rank, @changed, @rating, @reviews, @callback, @domain)`,
  );
  const update = db.prepare<RecordRow & { readonly rank: bigint | null }>(
    `update record set slug = @slug, sort = @sort, seat = @rank, changed = @changed,
       rating = @rating, reviews = @reviews, callback = @callback, domain = @domain
     where target = @target`,
  );
  const setRank = db.prepare<[bigint | null, number]>("update record set seat = ? where key = ?");
  const setBody = db.prepare("insert or replace into body (key, json) values (?, ?)");
  const addElement = db.prepare(
    "insert or ignore into element (kind, value, key) values (?, ?, ?)",
  );
  const dropElement = db.prepare("delete from element where kind = ? and value = ? and key = ?");
  const bodyOf = db.prepare<[bigint], string>("select json from body where key = ?").pluck();
  const addTerms = db.prepare("insert into search (rowid, terms) values (?, ?)");
  const dropTerms = db.prepare("delete from search where rowid = ?");
  const dropBody = db.prepare("delete from body where key = ?");
  const dropRecord = db.prepare("delete from record where key = ?");
  const inOrder = db.prepare<[], { key: number; kind: Indexed["kind"]; json: string }>(
    "select r.key, r.kind, b.json from record r join body b using (key) order by r.sort, r.target",
  );
  const countAll = db.prepare<[], number>("select count(*) from record").pluck();
  const statements = rankStatements(db);

  /**
   * Assigns new even ranks to all records, and rewrites all terms: happens once in many thousands
   * of records.
   */
  const renumber = () => {
    db.exec("insert into search (search) values ('delete-all'); update record set seat = null");
    const ranks = evenRanks(countAll.get()!);
    for (const [index, { key, kind, json }] of inOrder.all().entries()) {
      setRank.run(ranks[index]!, key);
      addTerms.run(ranks[index]!, termTextOf(indexedOf(kind, json)));
    }
  };

  const dropElements = (kind: Indexed["kind"], key: bigint) => {
    const json = bodyOf.get(key);
    if (json === undefined) return;
    for (const element of elementsOf(indexedOf(kind, json))) dropElement.run(...element, key);
  };

  /** Without a rank its terms are not written; that happens when it gets a rank. */
  const write = ({ indexed, row, before }: Waiting, rank: bigint | null) => {
    const ranked = { ...row, rank };
    const key = before ? before.key : BigInt(insert.run(ranked).lastInsertRowid);
    if (before) {
      update.run(ranked);
      dropElements(indexed.kind, key);
      if (before.rank !== null) dropTerms.run(before.rank);
    }
    setBody.run(key, jsonOf(indexed));
    for (const [kind, value] of elementsOf(indexed)) addElement.run(kind, value, key);
    if (rank !== null) addTerms.run(rank, termTextOf(indexed));
  };

  return {
    put(records: readonly Indexed[]): void {
      const last = new Map(records.map((indexed) => [targetOf(indexed), indexed]));
      const all = [...last.values()].map((indexed): Waiting => {
        const row = rowOf(indexed);
        return { indexed, row, before: stored.get(row.target) };
      });
      const isStaying = ({ row, before }: Waiting) =>
        before !== undefined && before.rank !== null && before.sort === row.sort;
      for (const one of all) if (isStaying(one)) write(one, one.before!.rank);
      const moving = all
        .filter((one) => !isStaying(one))
        .sort(({ row: a }, { row: b }) => compareRanked(a, b));
      if (moving.length === 0) return;
      const ranks = ranksFor(
        statements,
        moving.map(({ row }) => row),
      );
      for (const [index, one] of moving.entries()) write(one, ranks?.[index] ?? null);
      if (!ranks) renumber();
    },
    drop(targets: readonly string[]): void {
      for (const target of targets) {
        const before = stored.get(target);
        if (!before) continue;
        if (before.rank !== null) dropTerms.run(before.rank);
        dropElements(before.kind, before.key);
        for (const statement of [dropBody, dropRecord]) statement.run(before.key);
      }
    },
  };
}

const targetOf = (indexed: Indexed): string =>
  indexed.kind === "company" ? indexed.company.target : indexed.person.target;

const jsonOf = (indexed: Indexed): string =>
  JSON.stringify(indexed.kind === "company" ? indexed.company : indexed.person);

export function indexedOf(kind: Indexed["kind"], json: string): Indexed {
  const record = JSON.parse(json) as never;
  return kind === "company" ? { kind, company: record } : { kind, person: record };
}
