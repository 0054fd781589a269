import type Database from "better-sqlite3";
import { partCount, partOf } from "../../fold/part-state.ts";
import type {
  FoldedFile,
  JournalRun,
  StateBatch,
  StateHead,
  StatePage,
  StateStore,
  StoredTarget,
} from "../../state/state-store.ts";

type Reads = Pick<
  StateStore,
  "head" | "read" | "list" | "listConflicted" | "files" | "runs" | "readStaged"
>;

interface TargetRow {
  readonly target: string;
  readonly text: string;
  readonly losers: number;
}

/** The name under which `heldBack` of the head is stored. */
const heldBackRow = "aside";

/** How many rows of replaced parts are deleted with each batch. */
const sweepMax = 100;

/** Reads and writes of an open database. Errors are SQLite's. */
export function stateTables(db: Database.Database): Reads & {
  apply(batch: StateBatch): void;
  dropOrphans(): void;
  clear(): void;
} {
  const gens = new Map<number, number>(
    db.prepare<[], [number, number]>("select part, gen from part").raw().all(),
  );
  const genOf = (part: number) => gens.get(part) ?? 0;
  const meta = db.prepare<[], { name: string; json: string }>("select name, json from meta");
  const setMeta = db.prepare("insert or replace into meta (name, json) values (?, ?)");
  const read = db
    .prepare<[number, number, string], string>(
      "select text from target where part = ? and gen = ? and target = ?",
    )
    .pluck();
  const list = db.prepare<[number, number, string, number], TargetRow>(
    "select target, text, losers from target where part = ? and gen = ? and target > ? order by target limit ?",
  );
  const listLosers = db.prepare<[string, number], TargetRow>(
    `select t.target, t.text, t.losers from target t left join part p using (part)
     where t.losers = 1 and t.gen = coalesce(p.gen, 0) and t.target > ? order by t.target limit ?`,
  );
  const put = db.prepare(
    `insert into target (part, gen, target, losers, text) values (?, ?, ?, ?, ?)
     on conflict (part, gen, target) do update set losers = excluded.losers, text = excluded.text`,
  );
  const setGen = db.prepare("insert or replace into part (part, gen) values (?, ?)");
  const files = db.prepare<[], Omit<FoldedFile, "last"> & { readonly last: string }>(
    "select name, bytes, mark, changed, last from file order by name",
  );
  const putFile = db.prepare(
    "insert or replace into file (name, bytes, mark, changed, last) values (?, ?, ?, ?, ?)",
  );
  const dropFile = db.prepare("delete from file where name = ?");
  const runs = db.prepare<[], JournalRun>(
    "select key, first, last, file, start, end, stamp from run order by file, start",
  );
  const putRun = db.prepare(
    `insert or replace into run (file, start, end, key, first, last, stamp)
     values (@file, @start, @end, @key, @first, @last, @stamp)`,
  );
  const dropRuns = db.prepare("delete from run where file = ?");
  const sweep = db.prepare(
    `delete from target where id in (select id from target where part = ? and gen < ? limit ?)`,
  );
  const dropOlder = db.prepare("delete from target where part = ? and gen < ?");
  const dropNewer = db.prepare("delete from target where part = ? and gen > ?");
  /** Parts with rows of an older generation. */
  const unswept = new Set<number>();

  const putAll = (all: readonly StoredTarget[], more: number) => {
    for (const { target, text, isConflicted } of all) {
      const part = partOf(target);
      put.run(part, genOf(part) + more, target, isConflicted ? 1 : 0, text);
    }
  };
  const sweepSome = () => {
    const [part] = unswept;
    if (part === undefined) return;
    if (sweep.run(part, genOf(part), sweepMax).changes < sweepMax) unswept.delete(part);
  };
  const stored = (rows: readonly TargetRow[]): readonly StoredTarget[] =>
    rows.map(({ target, text, losers }) => ({ target, text, isConflicted: losers === 1 }));
  /** Uses the index on part and generation, so the cost depends only on the rows to delete. */
  const dropOrphans = () => {
    for (let part = 0; part < partCount; part++) {
      for (const statement of [dropOlder, dropNewer]) statement.run(part, genOf(part));
    }
  };

  return {
    head() {
      const rows = meta.all();
      if (rows.length === 0) return undefined;
      const entries = rows.map(({ name, json }) => [
        name === heldBackRow ? "heldBack" : name,
        JSON.parse(json) as unknown,
      ]);
      return Object.fromEntries(entries) as StateHead;
    },
    read(target) {
      const part = partOf(target);
      return read.get(part, genOf(part), target);
    },
    readStaged(target) {
      const part = partOf(target);
      return read.get(part, genOf(part) + 1, target);
    },
    list: (part, { after = "", limit }: StatePage) =>
      stored(list.all(part, genOf(part), after, limit)),
    listConflicted: ({ after = "", limit }: StatePage) => stored(listLosers.all(after, limit)),
    files: () =>
      files.all().map(({ last, ...file }): FoldedFile => {
        return { ...file, last: JSON.parse(last) as FoldedFile["last"] };
      }),
    runs: () => runs.all(),
    apply(batch) {
      for (const name of batch.dropFiles ?? []) {
        dropFile.run(name);
        dropRuns.run(name);
      }
      putAll(batch.targets ?? [], 0);
      putAll(batch.staged ?? [], 1);
      for (const { name, bytes, mark, changed, last } of batch.files ?? []) {
        putFile.run(name, bytes, mark, changed, JSON.stringify(last));
      }
      for (const run of batch.runs ?? []) putRun.run(run);
      for (const part of batch.promote ?? []) {
        const gen = genOf(part) + 1;
        setGen.run(part, gen);
        gens.set(part, gen);
        unswept.add(part);
      }
      if (batch.dropStaged) dropOrphans();
      for (const [name, value] of Object.entries(batch.head ?? {})) {
        setMeta.run(name === "heldBack" ? heldBackRow : name, JSON.stringify(value));
      }
      sweepSome();
    },
    dropOrphans,
    clear() {
      db.exec(
        "delete from meta; delete from part; delete from target; delete from file; delete from run;",
      );
      gens.clear();
      unswept.clear();
    },
  };
}
