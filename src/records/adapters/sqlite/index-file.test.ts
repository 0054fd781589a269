import Database from "better-sqlite3";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger, type Logger } from "../../../base/log/logger.ts";
import type { Indexed } from "../../search/record-index.ts";
import { company } from "../../testing/sample-records.ts";
import { openSqliteRecordIndex } from "./sqlite-record-index.ts";

let folder = "";
let file = "";
let warnings: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-index-"));
  file = join(folder, "index", "records.db");
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log: Logger = { ...silentLogger, warn: (message) => void warnings.push(message) };
const open = () => openSqliteRecordIndex({ file, log });
const position = { checkpoint: 1, parts: "", vector: {}, aside: [] };
const raw = (name: string) => (existsSync(name) ? readFileSync(name, "latin1") : "");
const names = (rows: readonly Indexed[]) =>
  rows.map((row) => (row.kind === "company" ? row.company.name : row.person.name));

describe("the file of the index", () => {
  test("keeps what was put, for the next process and for one beside", () => {
    using first = open();
    first.update({ put: [company("a", { name: "A" })], position });
    using second = open();
    expect(second.position()).toEqual(position);
    second.update({ put: [company("b", { name: "B" })] });
    expect(names(first.search({ kind: "company", limit: 9 }).rows)).toEqual(["A", "B"]);
    expect(warnings).toEqual([]);
  });

  test("a batch that fails half-way, in whatever way, leaves nothing behind", () => {
    using index = open();
    index.update({ put: [company("a", { name: "A" })], position });
    const broken = company("c", { emails: [{ value: 5 as never }] });
    expect(() => index.update({ put: [company("b", { name: "B" }), broken] })).toThrow();
    expect(names(index.search({ kind: "company", limit: 9 }).rows)).toEqual(["A"]);
    expect(index.find("company/b")).toBeUndefined();
  });

  test("joined batches are committed together: by settle, when it is closed, or not at all", () => {
    const index = open();
    using other = open();
    const seen = () => names(other.search({ kind: "company", limit: 9 }).rows);
    index.update({ put: [company("a", { name: "A" })], position });
    index.update({ put: [company("b", { name: "B" })] }, { isJoined: true });
    expect(seen()).toEqual(["A"]);
    index.settle();
    expect(seen()).toEqual(["A", "B"]);
    const next = { ...position, checkpoint: 2 };
    index.update({ put: [company("c", { name: "C" })], position: next }, { isJoined: true });
    const broken = company("d", { emails: [{ value: 5 as never }] });
    expect(() => index.update({ put: [broken] }, { isJoined: true })).toThrow();
    // The position was rolled back too, so a reader that follows it repeats these changes.
    expect(index.position()).toEqual(position);
    expect(index.find("company/c")).toBeUndefined();
    index.update({ put: [company("c", { name: "C" })], position: next }, { isJoined: true });
    index[Symbol.dispose]();
    expect(seen()).toEqual(["A", "B", "C"]);
    expect(other.position()).toEqual(next);
  });

  test("scrubbed, its files hold nothing of what was dropped", () => {
    using index = open();
    const others = Array.from({ length: 50 }, (_, at) => company(`other${at}`, { name: "Other" }));
    const gone = (name: string) =>
      company("gone", { name, emails: [{ value: "xylophon@qwertz.example" }] });
    const found = () =>
      ["", "-wal"].filter((suffix) => /xylophon|qwertz|zanzibar/i.test(raw(`${file}${suffix}`)));
    index.update({ put: [...others, gone("Zanzibar Tiles")], position });
    index.update({ put: [gone("Other")] });
    index.scrub();
    expect(found()).toEqual([""]);
    index.update({ drop: ["company/gone"] });
    index.scrub();
    expect(found()).toEqual([]);
    expect(index.search({ kind: "company", words: "other", limit: 99 }).rows).toHaveLength(50);
  });

  test("of another version, it is rebuilt, and that is reported", () => {
    open()[Symbol.dispose]();
    const db = new Database(file);
    db.pragma("user_version = 999");
    db.close();
    using index = open();
    expect(index.position()).toBeUndefined();
    expect(warnings).toEqual(["the index is of another version and is rebuilt"]);
    index.update({ put: [company("a")] });
    expect(index.find("company/a")).toBeDefined();
  });

  test.each([
    ["no database at all", () => Buffer.from("not a database, but long enough to be one\n")],
    ["its first bytes lost", (bytes: Buffer) => bytes.fill(0, 0, 100)],
    ["cut short", (bytes: Buffer) => bytes.subarray(0, 3 * 4096)],
    ["its first page overwritten", (bytes: Buffer) => bytes.fill(0x5a, 100, 4096)],
  ])("damaged (%s), it is made anew, and that is told", (_, damage) => {
    const index = open();
    index.update({ put: Array.from({ length: 300 }, (__, at) => company(`c${at}`)), position });
    index.optimize();
    index[Symbol.dispose]();
    writeFileSync(file, damage(readFileSync(file)));
    using again = open();
    expect(again.position()).toBeUndefined();
    expect(warnings).toEqual(["the index is damaged and is rebuilt"]);
    again.update({ put: [company("a", { name: "A" })] });
    expect(names(again.search({ kind: "company", words: "a", limit: 9 }).rows)).toEqual(["A"]);
  });

  test("damaged while in use, it says what to do", () => {
    using index = open();
    using other = open();
    index.update({
      put: Array.from({ length: 2_000 }, (_, at) => company(`c${at}`, { name: `Name ${at}` })),
    });
    index.optimize();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0x5a, 20 * 4096));
    expect(() => {
      for (let at = 0; at < 2_000; at++) other.find(`company/c${at}`);
    }).toThrow("`forager records rebuild` rebuilds it");
  });

  test("a folder that cannot be made is reported with what to do", () => {
    writeFileSync(join(folder, "index"), "");
    expect(open).toThrow(/cannot create the folder .*index is not a folder/);
  });

  test("names in one gap, one after the other, never run out of room", () => {
    using index = open();
    index.update({ put: [company("0", { name: "a" }), company("z", { name: "z" })] });
    // Each insertion halves the gap before the last name: after forty, it is used up.
    const count = 130;
    for (let at = 1; at <= count; at++) {
      index.update({ put: [company(`m${at}`, { name: `m ${1_000 - at}` })] });
    }
    const { rows } = index.search({ kind: "company", limit: 1_000 });
    const expected = Array.from({ length: count }, (_, at) => `m ${1_000 - count + at}`);
    expect(names(rows)).toEqual(["a", ...expected, "z"]);
    index.update({ put: [company("z", { name: "b" })], drop: ["company/0"] });
    const found = index.search({ kind: "company", words: "b", limit: 9 });
    expect(names(found.rows)).toEqual(["b"]);
    expect(names(index.search({ kind: "company", limit: 1 }).rows)).toEqual(["b"]);
  });
});
