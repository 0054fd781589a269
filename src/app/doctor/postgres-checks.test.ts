import { expect, test } from "vitest";
import type { PostgresFacts } from "../queue/examine-queue.ts";
import { AppError } from "../../base/app-error.ts";
import { checkPostgres, judgePostgres } from "./postgres-checks.ts";

const well: PostgresFacts = {
  version: 180_000,
  versionText: "18.0",
  isReadOnly: false,
  canMake: false,
  tables: {
    version: 2,
    usableFrom: 2,
    lacking: [],
    isOwner: true,
    sizes: [
      { name: "job", live: 3, dead: 30 },
      { name: "task", live: 1_000_000, dead: 90_000 },
    ],
  },
  tablesKnown: 2,
  settings: { fsync: "on", synchronousCommit: "on", autovacuum: "on", connectionsMax: 100 },
  connections: 12,
  clockAheadMs: -40,
  clockErrorMs: 2,
  oldest: { pid: 7, application: "psql", state: "idle in transaction", ageS: 20 },
  hearsOthers: true,
};
const tables = well.tables!;

test("a server that is well passes every check, with what was found", () => {
  const rows = judgePostgres(well, { poolMax: 70 });
  expect(rows.filter(({ state }) => state !== "ok")).toEqual([]);
  expect(Object.fromEntries(rows.map(({ check, detail }) => [check, detail]))).toEqual({
    postgres: "version 18.0",
    "postgres rights": "may use and change the tables",
    "postgres tables": "at version 2, this program knows 2",
    "postgres safety": "fsync on, synchronous_commit on",
    "postgres autovacuum": "autovacuum on",
    "postgres connections": "12 of 100 in use, at most 70 by a process",
    "postgres clock": "40 ms behind this machine's, within 2 ms",
    "postgres bloat": "90000 dead rows in task (8 %), the most of all tables",
    "postgres transactions": "the oldest is open for 20 s (psql, process 7, idle in transaction)",
    "postgres notifications": "notifications between sessions arrive",
  });
});

const setting = (changed: Partial<PostgresFacts["settings"]>): Partial<PostgresFacts> => ({
  settings: { ...well.settings, ...changed },
});

test.each<readonly [string, Partial<PostgresFacts>, "fail" | "warn", string]>([
  ["postgres", { version: 140_009 }, "fail", "PostgreSQL 15 or newer"],
  ["postgres rights", { isReadOnly: true }, "fail", "name the primary server"],
  ["postgres rights", { tables: undefined }, "fail", "grant create on the database"],
  [
    "postgres rights",
    { tables: { ...tables, lacking: ["update on task"] } },
    "fail",
    "grant all rights on the tables",
  ],
  ["postgres rights", { tables: { ...tables, isOwner: false } }, "warn", "by their owner"],
  ["postgres tables", { tables: { ...tables, version: 3, usableFrom: 2 } }, "warn", "update this"],
  ["postgres tables", { tables: { ...tables, version: 3, usableFrom: 3 } }, "fail", "update this"],
  ["postgres safety", setting({ fsync: "off" }), "fail", "set fsync = on"],
  ["postgres safety", setting({ synchronousCommit: "off" }), "warn", "synchronous_commit = on"],
  ["postgres autovacuum", setting({ autovacuum: "off" }), "warn", "set autovacuum = on"],
  ["postgres connections", setting({ connectionsMax: 25 }), "warn", "raise the server's"],
  ["postgres connections", { connections: 95 }, "warn", "lower queue.postgres.poolMax"],
  ["postgres clock", { clockAheadMs: 2_100 }, "warn", "time synchronisation"],
  ["postgres clock", { clockAheadMs: -2_100 }, "warn", "time synchronisation"],
  [
    "postgres bloat",
    { tables: { ...tables, sizes: [{ name: "claim", live: 9_000, dead: 11_000 }] } },
    "warn",
    "vacuum (analyze)",
  ],
  ["postgres transactions", { oldest: { ...well.oldest!, ageS: 301 } }, "warn", "(7)"],
  ["postgres notifications", { hearsOthers: false }, "warn", "queue.postgres.listenUrl"],
])("%s with %j is a %s: %s", (check, changed, state, advice) => {
  const rows = judgePostgres({ ...well, ...changed }, { poolMax: 70 });
  const bad = rows.filter((row) => row.state !== "ok");
  expect(bad).toEqual([expect.objectContaining({ check, state })]);
  expect(bad[0]!.advice).toContain(advice);
});

test("tables that are not made yet are fine for who may make them", () => {
  const rows = judgePostgres({ ...well, tables: undefined, canMake: true }, { poolMax: 70 });
  expect(rows.filter(({ state }) => state !== "ok")).toEqual([]);
});

test("a server that does not answer is one finding; a bug is none", async () => {
  const fail = (kind: "unavailable" | "internal") => async () => {
    throw new AppError(kind, "code", "the queue cannot be reached");
  };
  const options = { poolMax: 70 };
  expect(await checkPostgres({ ...options, examine: fail("unavailable") })).toEqual([
    expect.objectContaining({ state: "fail", detail: "the queue cannot be reached" }),
  ]);
  await expect(checkPostgres({ ...options, examine: fail("internal") })).rejects.toThrow();
  expect(await checkPostgres({ ...options, examine: async () => undefined })).toEqual([]);
});
