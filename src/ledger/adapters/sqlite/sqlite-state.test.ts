import Database from "better-sqlite3";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { silentLogger } from "../../../base/log/logger.ts";
import { emptyHead } from "../../replica/replica.ts";
import { describeStateStore } from "../../testing/state-suite.ts";
import { openSqliteStateForReading } from "./read-sqlite-state.ts";
import { openSqliteState } from "./sqlite-state.ts";

const log = silentLogger;

describeStateStore("sqlite", () => {
  const folder = mkdtempSync(join(tmpdir(), "state-"));
  return {
    open: () => openSqliteState({ file: join(folder, "index", "ledger.db"), log }),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
});

describe("the file of the state", () => {
  let folder = "";
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "state-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const fileOf = () => join(folder, "ledger.db");
  const open = () => openSqliteState({ file: fileOf(), log });
  const read = () => openSqliteStateForReading({ file: fileOf(), log });
  const one = { target: "a/1", text: "one", isConflicted: false };
  const filled = () => {
    using store = open();
    store.apply({ head: emptyHead, targets: [one] });
  };

  test("of another version, of another program or damaged, it is rebuilt", () => {
    filled();
    const db = new Database(fileOf());
    db.pragma("user_version = 99");
    db.close();
    {
      using store = open();
      expect(store.head()).toBeUndefined();
    }
    writeFileSync(fileOf(), "something else that is no database at all, and long enough to see");
    using store = open();
    expect(store.head()).toBeUndefined();
    store.apply({ head: emptyHead });
    expect(store.head()).toEqual(emptyHead);
  });

  test("is closed as one file, which can be read where nothing may be written", () => {
    filled();
    expect(readdirSync(folder)).toEqual(["ledger.db"]);
    chmodSync(fileOf(), 0o400);
    const before = statSync(fileOf()).mtimeMs;
    {
      using store = read()!;
      expect(store.isReadOnly).toBe(true);
      expect([store.head(), store.read("a/1")]).toEqual([emptyHead, "one"]);
      expect(() => store.apply({ head: emptyHead })).toThrow("only to read");
    }
    expect(readdirSync(folder)).toEqual(["ledger.db"]);
    expect(statSync(fileOf()).mtimeMs).toBe(before);
  });

  test("is read from a copy while a process writes it, or after one was killed", () => {
    filled();
    using writer = open();
    writer.apply({ targets: [{ ...one, text: "two" }] });
    using store = read()!;
    writer.apply({ targets: [{ ...one, text: "three" }] });
    expect(store.read("a/1")).toBe("two");
  });

  test("a reader does not mix what was before a change with what is after it", () => {
    filled();
    using store = read()!;
    expect(store.read("a/1")).toBe("one");
    {
      using writer = open();
      writer.apply({ targets: [{ ...one, text: "two" }] });
    }
    expect(() => store.read("a/1")).toThrow(
      expect.objectContaining({ code: "ledger_state_changed" }),
    );
  });

  test("there is none to read: no file, of another version, or damaged", () => {
    expect(read()).toBeUndefined();
    writeFileSync(fileOf(), "not a database, though it has some length to it, more than twenty");
    expect(read()).toBeUndefined();
  });
});
