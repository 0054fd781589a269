// inputs: src/records/** src/base/** src/ledger/**
import Database from "better-sqlite3";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger, type Logger } from "../../../base/log/logger.ts";
import { company, person } from "../../testing/sample-records.ts";
import { openSqliteRecordIndexForReading } from "./open-for-reading.ts";
import { openSqliteRecordIndex } from "./sqlite-record-index.ts";

let folder = "";
let file = "";
let temporary = "";
let notes: string[] = [];
const envBefore = process.env["TMPDIR"];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-reading-"));
  chmodSync(folder, 0o755);
  file = join(folder, "index", "records.db");
  temporary = join(folder, "tmp");
  mkdirSync(temporary);
  chmodSync(temporary, 0o777);
  process.env["TMPDIR"] = temporary;
  notes = [];
});
afterEach(() => {
  if (envBefore === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = envBefore;
  rmSync(folder, { recursive: true, force: true });
});

const log: Logger = { ...silentLogger, info: (message) => void notes.push(message) };
const read = () => openSqliteRecordIndexForReading({ file, log });
const position = { checkpoint: 1, parts: "", vector: {}, aside: [] };
const acme = company("a", {
  name: "Acme",
  texts: { domain: "acme.example", place: "osm/1" },
  emails: [{ value: "info@acme.example" }],
  people: [{ id: "anna" }],
});
const mark = { target: "company/a", folder: "companies/a", rev: "1" };
const problem = { path: "companies/b/_index.md", target: undefined, reason: "r", foundAt: "t" };

function writeIndex(): void {
  using index = openSqliteRecordIndex({ file, log });
  index.setMark("of the ledger");
  index.update({
    put: [acme, company("b", { name: "Beta", texts: { domain: "acme.example" } }), person("anna")],
    renders: [mark],
    problems: [{ path: problem.path, problem }],
    position,
  });
}

const copies = () => readdirSync(temporary).filter((name) => name.startsWith("forager-read-"));
const program = fileURLToPath(new URL("./testing/index-program.ts", import.meta.url));
const run = (role: string) =>
  spawnSync(process.execPath, ["--import", "tsx", program, role, file], { encoding: "utf8" });

/** Names, modes, times and bytes. */
const state = (of: string) =>
  readdirSync(of).map((name) => {
    const { mode, mtimeNs, ino, size } = statSync(join(of, name), { bigint: true });
    return { name, mode, mtimeNs, ino, size, bytes: readFileSync(join(of, name), "hex") };
  });

/** Runs as another user, in a folder that nobody may write to. */
function asStranger<T>(work: () => T): T {
  const isRoot = process.geteuid!() === 0;
  const of = join(folder, "index");
  for (const name of readdirSync(of)) chmodSync(join(of, name), 0o444);
  chmodSync(of, 0o555);
  const before = state(of);
  if (isRoot) process.seteuid!(65_534);
  try {
    expect(() => writeFileSync(join(of, "x"), "")).toThrow("EACCES");
    return work();
  } finally {
    if (isRoot) process.seteuid!(0);
    expect(state(of)).toEqual(before);
    chmodSync(of, 0o755);
  }
}

function expectAnswers(): void {
  using reader = read();
  expect(reader.position()).toEqual(position);
  expect(reader.mark()).toBe("of the ledger");
  expect(reader.find("company/a")).toEqual(acme);
  expect(reader.render("company/a")).toEqual(mark);
  expect(reader.problems()).toEqual([problem]);
  expect(reader.bySlug("company", "acme")).toBe("company/a");
  expect(reader.byDomain("acme.example")).toEqual(["company/a", "company/b"]);
  expect(reader.byPlace("osm/1")).toEqual(["company/a"]);
  expect(reader.byEmail("info@acme.example")).toEqual(["company/a"]);
  expect(reader.byPerson("anna")).toEqual(["company/a"]);
  expect(reader.targets({ kind: "company", limit: 9 })).toEqual(["company/a", "company/b"]);
  expect(reader.search({ kind: "company", words: "beta", limit: 9 }).rows).toHaveLength(1);
  expect(reader.search({ kind: "company", sort: "rating", limit: 9 }).rows).toHaveLength(2);
  expect(reader.count({ kind: "company" }, 9)).toBe(2);
  expect(reader.emailUsage("info@acme.example").companies).toEqual(["company/a"]);
  expect(reader.domainUsage("acme.example").companies).toHaveLength(2);
}

describe("an index that is read", () => {
  test("after it was closed: by anyone, and nothing in its folder changes", () => {
    writeIndex();
    asStranger(expectAnswers);
    expect(notes).toEqual([]);
    expect(copies()).toEqual([]);
  });

  test("after its writer was killed: from a copy, which is said and removed", () => {
    writeIndex();
    expect(run("die").signal).toBe("SIGKILL");
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    asStranger(() => {
      using reader = read();
      expect(reader.isCopy).toBe(true);
      expect(reader.find("company/c7")).toMatchObject({ company: { numbers: { reviews: 1 } } });
      expect(reader.find("company/a")).toEqual(acme);
    });
    expect(notes).toEqual(["the index was not closed: reading a temporary copy of it"]);
    {
      using _reader = read();
      const [copy = ""] = copies();
      expect(statSync(join(temporary, copy)).mode & 0o777).toBe(0o700);
    }
    expect(copies()).toEqual([]);
    // The next writer uses what the killed one has written, and readers do not need a copy any
    // more.
    openSqliteRecordIndex({ file, log })[Symbol.dispose]();
    using reader = read();
    expect(reader.isCopy).toBe(false);
    expect(reader.count({ kind: "company" }, 99)).toBe(12);
  });

  test("with a log that is empty, after a kill right after a checkpoint", () => {
    writeIndex();
    const db = new Database(file);
    db.pragma("journal_mode = wal");
    db.close();
    expect(existsSync(`${file}-wal`)).toBe(false);
    asStranger(expectAnswers);
    expect(notes).toHaveLength(1);
  });

  test("by a process that ends without closing it: no copy is left", () => {
    writeIndex();
    run("die");
    const { stdout, stderr } = run("read");
    expect(stderr).toBe("");
    expect(stdout).toBe("true 12\n");
    expect(copies()).toEqual([]);
  });

  test("while a process writes: each copy is whole", async () => {
    const child = spawn(process.execPath, ["--import", "tsx", program, "write", file]);
    try {
      await once(child.stdout, "data");
      const seen = new Set<number>();
      for (let opened = 0; seen.size < 5 && opened < 500; opened++) {
        using reader = read();
        const { rows } = reader.search({ kind: "company", limit: 99 });
        const numbers = rows.map((row) => row.kind === "company" && row.company.numbers.reviews);
        expect(numbers).toHaveLength(10);
        expect(new Set(numbers).size).toBe(1);
        seen.add(Number(numbers[0]));
      }
      expect(seen.size).toBe(5);
    } finally {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
});

describe("an index that cannot be read", () => {
  const rebuild = "`forager records rebuild`";

  test("because there is none, or an empty file, or it was never filled", () => {
    expect(read).toThrow(expect.objectContaining({ code: "index_missing" }));
    expect(existsSync(join(folder, "index"))).toBe(false);
    mkdirSync(join(folder, "index"));
    writeFileSync(file, "");
    expect(read).toThrow(rebuild);
    rmSync(file);
    openSqliteRecordIndex({ file, log })[Symbol.dispose]();
    expect(read).toThrow(expect.objectContaining({ code: "index_missing" }));
  });

  test("because it is of another version", () => {
    writeIndex();
    const db = new Database(file);
    db.pragma("user_version = 999");
    db.close();
    expect(read).toThrow(expect.objectContaining({ code: "index_version" }));
    expect(read).toThrow(rebuild);
  });

  test("because it is damaged", () => {
    writeIndex();
    writeFileSync(file, readFileSync(file).fill(0x5a, 100, 4_096));
    expect(read).toThrow(expect.objectContaining({ code: "index_corrupt" }));
    expect(read).toThrow(rebuild);
    writeFileSync(file, "some text that is long enough, but no database\n".repeat(9));
    expect(read).toThrow(expect.objectContaining({ code: "index_corrupt" }));
  });

  test("because the copy has no room", () => {
    writeIndex();
    run("die");
    process.env["TMPDIR"] = join(folder, "gone");
    expect(read).toThrow(expect.objectContaining({ code: "database_unreadable" }));
  });
});

test("the writer uses a log while it is open, and leaves a single file", () => {
  const modes = () => [...readFileSync(file).subarray(18, 20)];
  const index = openSqliteRecordIndex({ file, log });
  index.update({ put: [acme], position });
  expect(modes()).toEqual([2, 2]);
  index[Symbol.dispose]();
  expect(modes()).toEqual([1, 1]);
  expect(readdirSync(join(folder, "index"))).toEqual(["records.db"]);
});
