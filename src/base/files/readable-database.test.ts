import Database from "better-sqlite3";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { prepareToRead, type ReadableDatabase } from "./readable-database.ts";

vi.mock("node:fs", { spy: true });

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-database-"));
  file = join(folder, "data.db");
});
afterEach(() => {
  vi.mocked(copyFileSync).mockReset();
  rmSync(folder, { recursive: true, force: true });
});

/** In WAL mode, with everything in its log. */
function openWriter() {
  const db = new Database(file);
  db.pragma("journal_mode = wal");
  db.exec("create table number (value integer); insert into number values (1)");
  return db;
}
function rowsIn(readable: ReadableDatabase | undefined): readonly unknown[] {
  const db = new Database(readable!.path, readable!.isCopy ? {} : { readonly: true });
  try {
    return db.prepare("select value from number order by value").pluck().all();
  } finally {
    db.close();
  }
}

test("a file that a process writes is read as a copy; closed, it is read where it is", () => {
  const db = openWriter();
  using copy = prepareToRead(file);
  expect(copy?.isCopy).toBe(true);
  expect(rowsIn(copy)).toEqual([1]);
  db.pragma("journal_mode = delete");
  db.close();
  const before = readdirSync(folder);
  using direct = prepareToRead(file);
  expect(direct).toMatchObject({ path: file, isCopy: false });
  expect(rowsIn(direct)).toEqual([1]);
  expect(readdirSync(folder)).toEqual(before);
});

test("a copy can be written, though its original cannot: SQLite moves the log into it", () => {
  using _writer = closing(openWriter());
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
  using copy = prepareToRead(file);
  const copies = readdirSync(dirname(copy!.path)).map((name) => join(dirname(copy!.path), name));
  expect(copies).toHaveLength(2);
  expect(copies.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(rowsIn(copy)).toEqual([1]);
});

const closing = (db: Database.Database) => ({ [Symbol.dispose]: () => void db.close() });

test("a log that is started again while the file is copied: it is copied once more", () => {
  const db = openWriter();
  let copies = 0;
  vi.mocked(copyFileSync).mockImplementation((from, to) => {
    writeFileSync(to, readFileSync(String(from)));
    copies += 1;
    if (copies > 1) return;
    // The file now has the contents of the log, and there is a copy of it already.
    db.pragma("wal_checkpoint(truncate)");
    db.exec("insert into number values (2)");
  });
  using copy = prepareToRead(file);
  expect(rowsIn(copy)).toEqual([1, 2]);
  expect(copies).toBeGreaterThan(2);
  db.close();
});

test("a file that is never quiet is not read, and says so", () => {
  const db = openWriter();
  vi.mocked(copyFileSync).mockImplementation((from, to) => {
    writeFileSync(to, readFileSync(String(from)));
    if (from !== file) return;
    db.pragma("wal_checkpoint(truncate)");
    db.exec("insert into number values (2)");
  });
  expect(() => prepareToRead(file)).toThrow(expect.objectContaining({ code: "database_busy" }));
  db.close();
});

test("a write that was interrupted without a log is undone in the copy", () => {
  const db = new Database(file);
  db.exec("create table number (value integer); insert into number values (1)");
  // As after a kill: the pages of a transaction are in the file, and its journal beside it.
  db.pragma("cache_size = 1");
  db.pragma("cache_spill = 1");
  db.exec("begin; create table filler (text text)");
  const fill = db.prepare("insert into filler values (?)");
  for (let at = 0; at < 200; at++) fill.run("x".repeat(2_000));
  const killed = join(folder, "killed.db");
  for (const end of ["", "-journal"]) {
    writeFileSync(`${killed}${end}`, readFileSync(`${file}${end}`));
  }
  db.exec("rollback");
  db.close();
  using copy = prepareToRead(killed);
  expect(copy?.isCopy).toBe(true);
  expect(rowsIn(copy)).toEqual([1]);
});

test("no file, and an empty one, are nothing to read", () => {
  expect(prepareToRead(file)).toBeUndefined();
  writeFileSync(file, "");
  expect(prepareToRead(file)).toBeUndefined();
});
