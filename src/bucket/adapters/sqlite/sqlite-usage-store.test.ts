import Database from "better-sqlite3";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestClock } from "../../../base/testing/test-clock.ts";
import type { DayUsage } from "../../usage-store.ts";
import { createSqliteUsageStore } from "./sqlite-usage-store.ts";

const dayMs = 86_400_000;

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "forager-usage-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "usage.db");
  const clock = createTestClock();
  const aside: string[] = [];
  const open = () =>
    createSqliteUsageStore({ file, clock, onDamaged: (path) => void aside.push(path) });
  const today = () => new Date(clock.nowMs()).toISOString().slice(0, 10);
  return { folder, file, clock, aside, open, today };
}

const row = (day: string, requests: number, more: Partial<DayUsage> = {}): DayUsage => ({
  day,
  caller: "queue",
  operation: "get",
  requests,
  failed: 1,
  bytesSent: 2,
  bytesReceived: 3,
  dollars: Math.round(requests * 400) / 1e9,
  ...more,
});

test("adds up by day, caller and operation, whoever adds", () => {
  const { open, today } = setUp();
  const day = today();
  open().add([row(day, 10), row(day, 5, { operation: "list" }), row(day, 7, { caller: "hub" })]);
  open().add([row(day, 3)]);
  expect(open().read(day)).toEqual([
    row(day, 7, { caller: "hub" }),
    row(day, 13, { failed: 2, bytesSent: 4, bytesReceived: 6 }),
    row(day, 5, { operation: "list" }),
  ]);
});

test("keeps 400 days, and its size is bounded by that", () => {
  const { open, today, clock, file } = setUp();
  const dayBefore = (count: number) =>
    new Date(clock.nowMs() - count * dayMs).toISOString().slice(0, 10);
  const rowsOf = (day: string) =>
    ["get", "list", "put", "delete"].map((operation) => row(day, 1, { operation }));
  open().add(Array.from({ length: 430 }, (_, count) => rowsOf(dayBefore(count))).flat());
  const days = open()
    .read("")
    .map(({ day }) => day);
  expect(new Set(days).size).toBe(400);
  expect(days[0]).toBe(dayBefore(399));
  expect(days.at(-1)).toBe(today());
  expect(statSync(file).size).toBeLessThan(200_000);
});

test.each([
  ["no database", (file: string) => writeFileSync(file, "x".repeat(5_000))],
  [
    "a database of something else",
    (file: string) => void new Database(file).exec("create table other (a)").close(),
  ],
  [
    "a page that is garbled",
    (file: string) => {
      createSqliteUsageStore({
        file,
        clock: createTestClock(),
        onDamaged() {},
      }).add([row("2026-01-01", 1)]);
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xff, bytes.length / 2)); // the table; the header stays
    },
  ],
])("%s is set aside under another name, and counting goes on", (_, damage) => {
  const { open, today, file, aside, folder } = setUp();
  damage(file);
  open().add([row(today(), 4)]);
  expect(aside).toHaveLength(1);
  expect(aside[0]).toMatch(/usage\.db\.damaged-\d{8}T\d{6}$/);
  expect(readdirSync(folder)).toHaveLength(2);
  expect(open().read(today())).toEqual([row(today(), 4)]);
});

test("a file of a newer version and a pipe are refused and left as they are", () => {
  const { open, today, file, folder, aside } = setUp();
  const db = new Database(file);
  db.exec("create table usage (a); pragma user_version = 2");
  db.close();
  const refused = (code: string) => expect.objectContaining({ kind: "invalid", code }) as Error;
  expect(() => open().add([row(today(), 1)])).toThrow(refused("usage_newer"));
  expect(() => open().read(today())).toThrow("upgrade this program");
  rmSync(file);
  expect(spawnSync("mkfifo", [file]).status).toBe(0);
  expect(() => open().add([row(today(), 1)])).toThrow(refused("not_a_regular_file"));
  expect(aside).toEqual([]);
  expect(readdirSync(folder)).toEqual(["usage.db"]);
});

test("a file that another process holds is unavailable for now", () => {
  const { open, today, file } = setUp();
  open().add([row(today(), 1)]);
  const db = new Database(file);
  db.exec("begin exclusive");
  const busy = expect.objectContaining({ kind: "unavailable", code: "usage_unavailable" }) as Error;
  expect(() => open().add([row(today(), 1)])).toThrow(busy);
  db.exec("rollback");
  db.close();
  open().add([row(today(), 1)]);
  expect(open().read(today())).toMatchObject([{ requests: 2 }]);
});
