import type Database from "better-sqlite3";
import { statSync } from "node:fs";
import { getDomain } from "tldts";
import type { Logger } from "../../../base/logger.ts";
import type { Position } from "../../../ledger/index.ts";
import type { IndexBatch, Indexed, RecordProblem, RenderMark } from "../../record-index.ts";
import type { RecordSearch, Twins, Usage } from "../../record-search.ts";
import { guarded } from "./index-error.ts";
import { manyRecords, startIndexLoader } from "./index-loader.ts";
import { cacheKib, openIndexFile } from "./open-index-file.ts";
import { joined, named, type ElementKind } from "./record-rows.ts";
import { recordSearcher } from "./search-records.ts";
import { openTurnLock } from "./turn-lock.ts";
import { indexedOf, recordWriter } from "./write-records.ts";

export interface SqliteRecordIndex extends RecordSearch {
  /** A note for whoever keeps this index up to date; `clear` leaves it, a new file has none. */
  mark(): string | undefined;
  setMark(text: string): void;
}

export interface SqliteRecordIndexOptions {
  /** `:memory:` for one that nobody else sees. */
  readonly file: string;
  readonly log: Logger;
}

/** RecordIndex and search in one SQLite file, which all processes of a machine share. */
export function openSqliteRecordIndex({ file, log }: SqliteRecordIndexOptions): SqliteRecordIndex {
  let opened = openTables(file, log);
  const lock = openTurnLock(file, log);
  let inode = inodeOf(file);
  let reopened = 0;
  /** Another process may have found the file damaged, and put an empty one in its place. */
  const followFile = () => {
    const now = inodeOf(file);
    if (now === inode) return;
    opened[Symbol.dispose]();
    opened = openTables(file, log);
    inode = inodeOf(file);
    // Of the new file, versions are counted anew; none of them may look like one of the old.
    reopened += 1;
  };
  const names = Object.keys(opened) as (keyof Tables)[];
  const passed = Object.fromEntries(
    names.map((name) => [name, (...given: never[]) => (opened[name] as Call)(...given)]),
  ) as unknown as Tables;

  return {
    ...passed,
    version: () => opened.version() + reopened * 2 ** 32,
    startLoading: () => startIndexLoader({ file, update: (batch) => opened.update(batch) }),
    async takeTurn(clock, signal) {
      const turn = await lock.take(clock, signal);
      try {
        followFile();
        return turn;
      } catch (error) {
        turn[Symbol.dispose]();
        throw error;
      }
    },
    [Symbol.dispose]() {
      opened[Symbol.dispose]();
      lock[Symbol.dispose]();
    },
  };
}

type Tables = Omit<SqliteRecordIndex, "takeTurn" | "startLoading">;
type Call = (...given: never[]) => unknown;

const inodeOf = (file: string): bigint | undefined =>
  file === ":memory:" ? undefined : statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;

function openTables(file: string, log: Logger): Tables {
  const db = guarded(file, () => openIndexFile(file, log));
  const writer = recordWriter(db);
  const searcher = recordSearcher(db);
  const reader = recordReader(db);
  const state = stateTables(db);

  const apply = (batch: IndexBatch) => {
    if (batch.put) writer.put(batch.put);
    if (batch.drop) writer.drop(batch.drop);
    state.apply(batch);
  };
  const inTransaction = db.transaction(apply);

  return {
    ...guardedAll(file, { ...reader, ...searcher }),
    version: () => guarded(file, () => db.pragma("data_version", { simple: true }) as number),
    position: () => guarded(file, () => state.position()),
    mark: () => guarded(file, () => state.mark()),
    setMark: (text) => guarded(file, () => state.setMark(text)),
    render: (target) => guarded(file, () => state.render(target)),
    problems: () => guarded(file, () => state.problems()),
    update: (batch) =>
      guarded(file, () => withCache(db, batch, () => inTransaction.immediate(batch))),
    clear: () => guarded(file, () => db.transaction(() => db.exec(emptying)).immediate()),
    // Dropped words stay in the full text until its parts are joined, and all of it in the log.
    scrub: () =>
      guarded(file, () => {
        db.exec("insert into search (search) values ('optimize')");
        db.pragma("wal_checkpoint(truncate)");
      }),
    optimize: () =>
      guarded(file, () => {
        db.exec("insert into search (search) values ('optimize'); analyze");
        db.pragma("wal_checkpoint(truncate)");
      }),
    [Symbol.dispose]: () => void db.close(),
  };
}

/** Names come in any order, so a large batch touches most pages of every index. */
function withCache(db: Database.Database, { put = [] }: IndexBatch, work: () => void): void {
  if (put.length < manyRecords) return work();
  db.pragma(`cache_size = -${4 * cacheKib}`);
  try {
    work();
  } finally {
    db.pragma(`cache_size = -${cacheKib}`);
  }
}

/** The mark stays: what it tells is of the ledger, and without a position nobody trusts it. */
const emptying = `
  delete from meta where name <> 'mark'; delete from record; delete from body; delete from element; delete from render;
  delete from problem; insert into search (search) values ('delete-all');`;

/** Every function of it, with SQLite's errors made ours. */
function guardedAll<Functions extends object>(file: string, functions: Functions): Functions {
  const entries = Object.entries(functions) as [string, (...given: unknown[]) => unknown][];
  return Object.fromEntries(
    entries.map(([name, call]) => [
      name,
      (...given: unknown[]) => guarded(file, () => call(...given)),
    ]),
  ) as Functions;
}

function recordReader(db: Database.Database) {
  const byTarget = db.prepare<[string], { kind: Indexed["kind"]; json: string }>(
    "select r.kind, b.json from record r join body b using (key) where r.target = ?",
  );
  /** Its own folder before an alias, and the smaller target before the other. */
  const bySlug = db
    .prepare<{ readonly kind: string; readonly slug: string; readonly named: string }, string>(
      `select target from (
         select 0 as rank, target from record indexed by record_by_slug
         where kind = @kind and slug = @slug
         union all
         select 1, r.target from element e join record r using (key)
         where e.kind = 'alias' and e.value = @named)
       order by rank, target limit 1`,
    )
    .pluck();
  const byElement = db
    .prepare<[ElementKind, string], string>(
      `select r.target from element e join record r using (key)
       where e.kind = ? and e.value = ? order by r.target`,
    )
    .pluck();
  const users = db.prepare<
    { readonly value: string; readonly first: ElementKind; readonly second: ElementKind },
    { target: string; kind: Indexed["kind"]; domain: string | null }
  >(
    `select distinct r.target, r.kind, r.domain from element e join record r using (key)
     where e.kind in (@first, @second) and e.value = @value order by r.target`,
  );
  const targets = db
    .prepare<{ after: string; end: string; limit: number }, string>(
      "select target from record where target > @after and target < @end order by target limit @limit",
    )
    .pluck();
  const all = (kind: ElementKind, value: string) => byElement.all(kind, value);

  const usage = (value: string, first: ElementKind, second = first): Usage => {
    const found = users.all({ value, first, second });
    const companies = found.filter(({ kind }) => kind === "company");
    // Two hosts of one registrable domain belong together: shop.acme.com and acme.com.
    const sites = new Set(
      companies.flatMap(({ domain }) => (domain === null ? [] : [getDomain(domain) ?? domain])),
    );
    return {
      companies: companies.map(({ target }) => target),
      people: found.filter(({ kind }) => kind === "person").map(({ target }) => target),
      sites: sites.size,
    };
  };

  const shared = db.prepare<[number], { kind: ElementKind; value: string; targets: string }>(
    `select e.kind, e.value, json_group_array(r.target order by r.target) as targets
     from element e join record r using (key)
     where e.kind in ('domain', 'place', 'nameAndAddress')
     group by e.kind, e.value having count(*) > 1 order by e.kind, e.value limit ?`,
  );

  return {
    twins: (limit: number): readonly Twins[] =>
      shared.all(limit).map(({ kind, value, targets: found }) => ({
        because: kind === "domain" || kind === "place" ? kind : "name and address",
        value,
        targets: JSON.parse(found) as readonly string[],
      })),
    find(target: string): Indexed | undefined {
      const row = byTarget.get(target);
      return row && indexedOf(row.kind, row.json);
    },
    bySlug: (kind: Indexed["kind"], slug: string) =>
      bySlug.get({ kind, slug, named: named(kind, slug) }),
    wanting: (kind: Indexed["kind"], slug: string) => all("wanted", named(kind, slug)),
    byDomain: (domain: string) => all("domain", domain.toLowerCase()),
    byPlace: (place: string) => all("place", place),
    byEmail: (address: string) => all("email", address.toLowerCase()),
    byPerson: (personId: string) => all("person", personId),
    byNameAndAddress: (key: { readonly name: string; readonly address: string }) =>
      all("nameAndAddress", joined(key)),
    // Targets of a kind begin alike: `company/` to `company0`, which is the next text after it.
    targets: ({
      kind,
      after = `${kind}/`,
      limit,
    }: {
      readonly kind: Indexed["kind"];
      readonly after?: string;
      readonly limit: number;
    }) => targets.all({ after, end: `${kind}0`, limit }),
    emailUsage: (address: string) => usage(address.toLowerCase(), "email"),
    domainUsage: (domain: string) => usage(domain.toLowerCase(), "domain", "emailDomain"),
  };
}

/** What is not a record: how far it has come, files, and files that cannot be used. */
function stateTables(db: Database.Database) {
  const meta = db.prepare<[string], string>("select value from meta where name = ?").pluck();
  const setMeta = db.prepare("insert or replace into meta (name, value) values (?, ?)");
  const render = db.prepare<[string], RenderMark>(
    "select target, folder, rev from render where target = ?",
  );
  const setRender = db.prepare(
    "insert or replace into render (target, folder, rev) values (@target, @folder, @rev)",
  );
  const dropRender = db.prepare("delete from render where target = ?");
  const problems = db.prepare<[], RecordProblem & { readonly target: string | null }>(
    "select path, target, reason, found_at as foundAt from problem order by path",
  );
  const setProblem = db.prepare(
    "insert or replace into problem (path, target, reason, found_at) values (?, ?, ?, ?)",
  );
  const dropProblem = db.prepare("delete from problem where path = ?");

  return {
    position(): Position | undefined {
      const text = meta.get("position");
      return text === undefined ? undefined : (JSON.parse(text) as Position);
    },
    mark: () => meta.get("mark"),
    setMark: (text: string) => void setMeta.run("mark", text),
    render: (target: string) => render.get(target),
    problems: () => problems.all().map((row) => ({ ...row, target: row.target ?? undefined })),
    apply(batch: IndexBatch): void {
      for (const { target, folder, rev } of batch.renders ?? []) {
        setRender.run({ target, folder, rev });
      }
      for (const target of batch.unrendered ?? []) dropRender.run(target);
      for (const { path, problem } of batch.problems ?? []) {
        if (!problem) dropProblem.run(path);
        else setProblem.run(path, problem.target ?? null, problem.reason, problem.foundAt);
      }
      if (batch.position) setMeta.run("position", JSON.stringify(batch.position));
    },
  };
}
