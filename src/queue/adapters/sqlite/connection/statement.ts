import type { Database, Statement } from "better-sqlite3";

const prepared = new WeakMap<Database, Map<string, Statement>>();

/** Prepares a statement once per connection; for statements that are not on the hottest path. */
export function statement(db: Database, sql: string): Statement {
  let own = prepared.get(db);
  if (!own) prepared.set(db, (own = new Map()));
  let known = own.get(sql);
  if (!known) own.set(sql, (known = db.prepare(sql)));
  return known;
}
