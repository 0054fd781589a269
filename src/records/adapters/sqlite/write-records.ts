import type Database from "better-sqlite3";
import type { Indexed } from "../../record-index.ts";
import { comparePlaced, evenPlaces, placeStatements, placesFor } from "./places.ts";
import { elementsOf, rowOf, termTextOf, type RecordRow } from "./record-rows.ts";

interface Stored {
  readonly key: bigint;
  readonly sort: string;
  readonly place: bigint | null;
}

/** A record on its way to a place. */
interface Waiting {
  readonly indexed: Indexed;
  readonly row: RecordRow;
  readonly before: Stored | undefined;
}

/** Puts records into the tables, and takes them out. To be called within a transaction. */
export function recordWriter(db: Database.Database) {
  const stored = db
    .prepare<[string], Stored>("select key, sort, place from record where target = ?")
    .safeIntegers();
  const insert = db.prepare<RecordRow & { readonly place: bigint | null }>(
    `insert into record (target, kind, slug, sort, place, changed, rating, reviews, callback, domain)
     values (@target, @kind, @slug, @sort, @place, @changed, @rating, @reviews, @callback, @domain)`,
  );
  const update = db.prepare<RecordRow & { readonly place: bigint | null }>(
    `update record set slug = @slug, sort = @sort, place = @place, changed = @changed,
       rating = @rating, reviews = @reviews, callback = @callback, domain = @domain
     where target = @target`,
  );
  const setPlace = db.prepare<[bigint | null, number]>("update record set place = ? where key = ?");
  const setBody = db.prepare("insert or replace into body (key, json) values (?, ?)");
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

  /** Without a place its terms are not written: whoever gives it one does that. */
  const write = ({ indexed, row, before }: Waiting, place: bigint | null) => {
    const placed = { ...row, place };
    const key = before ? before.key : BigInt(insert.run(placed).lastInsertRowid);
    if (before) {
      update.run(placed);
      dropElements.run(key);
      if (before.place !== null) dropTerms.run(before.place);
    }
    setBody.run(key, jsonOf(indexed));
    for (const [kind, value] of elementsOf(indexed)) addElement.run(kind, value, key);
    if (place !== null) addTerms.run(place, termTextOf(indexed));
  };

  return {
    put(records: readonly Indexed[]): void {
      const last = new Map(records.map((indexed) => [rowOf(indexed).target, indexed]));
      const all = [...last.values()].map((indexed): Waiting => {
        const row = rowOf(indexed);
        return { indexed, row, before: stored.get(row.target) };
      });
      const isStaying = ({ row, before }: Waiting) =>
        before !== undefined && before.place !== null && before.sort === row.sort;
      for (const one of all) if (isStaying(one)) write(one, one.before!.place);
      const moving = all
        .filter((one) => !isStaying(one))
        .sort(({ row: a }, { row: b }) => comparePlaced(a, b));
      if (moving.length === 0) return;
      const places = placesFor(
        statements,
        moving.map(({ row }) => row),
      );
      for (const [index, one] of moving.entries()) write(one, places?.[index] ?? null);
      if (!places) renumber();
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

const jsonOf = (indexed: Indexed): string =>
  JSON.stringify(indexed.kind === "company" ? indexed.company : indexed.person);

export function indexedOf(kind: Indexed["kind"], json: string): Indexed {
  const record = JSON.parse(json) as never;
  return kind === "company" ? { kind, company: record } : { kind, person: record };
}
