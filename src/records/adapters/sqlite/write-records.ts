import type Database from "better-sqlite3";
import type { Indexed } from "../../record-index.ts";
import { compareBytes, evenPlaces, placeStatements, placesFor } from "./places.ts";
import { elementsOf, rowOf, termTextOf, type RecordRow } from "./record-rows.ts";

interface Stored {
  readonly key: number;
  readonly sort: string;
  readonly place: bigint | null;
}

/** Puts records into the tables, and takes them out. To be called within a transaction. */
export function recordWriter(db: Database.Database) {
  const stored = db
    .prepare<[string], Stored>("select key, sort, place from record where target = ?")
    .safeIntegers();
  const insert = db.prepare(
    `insert into record (target, kind, slug, sort, place, changed, rating, reviews, callback, domain)
     values (@target, @kind, @slug, @sort, null, @changed, @rating, @reviews, @callback, @domain)`,
  );
  const update = db.prepare(
    `update record set slug = @slug, sort = @sort, changed = @changed, rating = @rating,
       reviews = @reviews, callback = @callback, domain = @domain where target = @target`,
  );
  const setPlace = db.prepare("update record set place = ? where key = ?");
  const setBody = db.prepare(
    "insert into body (key, json) values (?, ?) on conflict (key) do update set json = excluded.json",
  );
  const addElement = db.prepare(
    "insert or ignore into element (kind, value, key) values (?, ?, ?)",
  );
  const dropElements = db.prepare("delete from element where key = ?");
  const addTerms = db.prepare("insert into search (rowid, terms) values (?, ?)");
  const dropTerms = db.prepare("delete from search where rowid = ?");
  const dropBody = db.prepare("delete from body where key = ?");
  const dropRecord = db.prepare("delete from record where key = ?");
  const inOrder = db.prepare<[], { key: number; kind: Indexed["kind"]; json: string }>(
    "select r.key, r.kind, b.json from record r join body b using (key) order by r.sort, r.target",
  );
  const countAll = db.prepare<[], number>("select count(*) from record").pluck();
  const statements = placeStatements(db);

  /** All places anew, evenly, and so all terms: once in many thousands of records. */
  const renumber = () => {
    db.exec("insert into search (search) values ('delete-all'); update record set place = null");
    const places = evenPlaces(countAll.get()!);
    for (const [index, { key, kind, json }] of inOrder.all().entries()) {
      setPlace.run(places[index]!, key);
      addTerms.run(places[index]!, termTextOf(indexedOf(kind, json)));
    }
  };

  const place = (waiting: readonly Waiting[]) => {
    const sorted = [...waiting].sort(
      (a, b) => compareBytes(a.sort, b.sort) || compareBytes(a.target, b.target),
    );
    const places = placesFor(statements, sorted);
    if (!places) return renumber();
    for (const [index, { key, terms }] of sorted.entries()) {
      setPlace.run(places[index]!, key);
      addTerms.run(places[index]!, terms);
    }
  };

  /** Answers the key, and what is left to do where it needs a place. */
  const putRow = (row: RecordRow, terms: string) => {
    const before = stored.get(row.target);
    if (!before) {
      const key = Number(insert.run(row).lastInsertRowid);
      return { key, waiting: { key, sort: row.sort, target: row.target, terms } };
    }
    const key = Number(before.key);
    update.run(row);
    dropElements.run(key);
    if (before.place !== null) dropTerms.run(before.place);
    if (before.sort === row.sort && before.place !== null) {
      addTerms.run(before.place, terms);
      return { key, waiting: undefined };
    }
    setPlace.run(null, key);
    return { key, waiting: { key, sort: row.sort, target: row.target, terms } };
  };

  return {
    put(records: readonly Indexed[]): void {
      const waiting = new Map<string, Waiting>();
      for (const indexed of records) {
        const row = rowOf(indexed);
        const put = putRow(row, termTextOf(indexed));
        if (put.waiting) waiting.set(row.target, put.waiting);
        setBody.run(put.key, jsonOf(indexed));
        for (const [kind, value] of elementsOf(indexed)) addElement.run(kind, value, put.key);
      }
      if (waiting.size > 0) place([...waiting.values()]);
    },
    drop(targets: readonly string[]): void {
      for (const target of targets) {
        const before = stored.get(target);
        if (!before) continue;
        if (before.place !== null) dropTerms.run(before.place);
        for (const statement of [dropElements, dropBody, dropRecord]) statement.run(before.key);
      }
    },
  };
}

interface Waiting {
  readonly key: number;
  readonly sort: string;
  readonly target: string;
  readonly terms: string;
}

const jsonOf = (indexed: Indexed): string =>
  JSON.stringify(indexed.kind === "company" ? indexed.company : indexed.person);

export function indexedOf(kind: Indexed["kind"], json: string): Indexed {
  const record = JSON.parse(json) as never;
  return kind === "company" ? { kind, company: record } : { kind, person: record };
}
