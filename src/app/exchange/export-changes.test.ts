import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createPaths } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import { openSqliteRecordIndex } from "../../records/adapters/sqlite/sqlite-record-index.ts";
import {
  addSuppressed,
  createCompanyWriter,
  ledgerSuppression,
  type RecordQuery,
} from "../../records/index.ts";
import { openTestRecords } from "../../records/testing/test-records.ts";
import { exportChanges } from "./export-changes.ts";
import { openNamedExport } from "./export-names.ts";
import { openExportPosition } from "./export-position.ts";
import { exportCompanies } from "./export-records.ts";
import { targetOfKey } from "../../records/testing/company-targets.ts";

const { signal } = new AbortController();
const source = "hand:anna";

async function openSample() {
  const folder = mkdtempSync(join(tmpdir(), "forager-changes-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = createPaths(folder);
  const index = openSqliteRecordIndex({ file: ":memory:", log: silentLogger });
  const at = await openTestRecords({ index });
  const records = {
    search: async (query: RecordQuery) => index.search(query),
    emailUsage: async (address: string) => index.emailUsage(address),
  } as unknown as NodeReadApi["records"];
  const add = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
    at.records.create({
      source,
      fields: { name, domain: `${name.toLowerCase()}.example`, ...more },
    });
  for (const name of ["Acme", "Bolt", "Core"]) await add(name);
  const suppressed = ledgerSuppression(at.ledger);
  const common = { records, suppressed, signal, query: { filters: { isExcluded: false } } };
  const settings = { bucket: {}, node: {} };
  const where = { paths, settings, clock: systemClock, signal };
  const feed = async ({ isKept = true } = {}) => {
    let text = "";
    const write = async (piece: string) => void (text += piece);
    await using position = await openExportPosition(where, "crm");
    const done = await exportChanges({ ...common, write, position, nowMs: at.clock.nowMs() });
    if (isKept) await done.commit();
    const lines = text.split("\n").filter((line) => line !== "");
    const rows = lines.map((line) => JSON.parse(line) as { change: string; id: string });
    return { ...done, said: rows.map(({ change, id }) => `${change} ${id}`), rows };
  };
  const onlyNew = async (isCommitted = true) => {
    await using named = await openNamedExport(where, "weekly");
    const writer = createCompanyWriter({ format: "csv", columns: ["name"] });
    let text = "";
    const write = async (piece: string) => void (text += piece);
    await exportCompanies({ ...common, writer, write, choice: named.companies });
    if (isCommitted) await named.commit(at.clock.nowMs());
    return text.split("\r\n").slice(1, -1);
  };
  const set = (name: string, field: string, value: unknown) =>
    at.records.write({
      source,
      changes: [{ target: targetOfKey(`${name.toLowerCase()}.example`), field, value }],
    });
  return { ...at, folder, where, add, feed, onlyNew, set };
}

test("only new: what an export of the name had is left out; a crash before the end repeats", async () => {
  await using at = await openSample();
  expect(await at.onlyNew(false)).toEqual(["Acme", "Bolt", "Core"]);
  expect(await at.onlyNew()).toEqual(["Acme", "Bolt", "Core"]);
  expect(await at.onlyNew()).toEqual([]);
  await at.add("Aaa"); // sorts before all exported rows
  await at.set("Bolt", "city", "Austin");
  expect(await at.onlyNew()).toEqual(["Aaa"]);
  expect(await at.onlyNew()).toEqual([]);
});

test("a feed says what is new, changed, closed and removed since the last one, and nothing else", async () => {
  await using at = await openSample();
  const first = await at.feed({ isKept: false });
  expect(first.since).toBeUndefined();
  expect(first.said).toEqual(["Acme", "Bolt", "Core"].map((name) => `new ${targetOfKey(`${name.toLowerCase()}.example`)}`)); // prettier-ignore
  expect((await at.feed()).said).toHaveLength(3); // not committed, so repeated
  expect((await at.feed()).said).toEqual([]);

  await at.set("Acme", "city", "Austin");
  await at.set("Bolt", "status", "CLOSED_PERMANENTLY");
  await at.set("Core", "excluded", "a customer");
  await at.add("Dune");
  // A visit without new results is not a change.
  await at.set("Acme", "enrichedAt", "2026-11-18T00:00:00.000Z");
  const next = await at.feed();
  expect(next.said.sort()).toEqual([
    `changed ${targetOfKey("acme.example")}`,
    `closed ${targetOfKey("bolt.example")}`,
    `new ${targetOfKey("dune.example")}`,
    `removed ${targetOfKey("core.example")}`,
  ]);
  expect(next.rows.find(({ change }) => change === "removed")).not.toHaveProperty("company");
  expect(next.counts.changes).toEqual({ new: 1, changed: 1, closed: 1, removed: 1 });

  await at.set("Bolt", "city", "Waco"); // already reported as closed, so changed
  const keys = ["domain:acme.example"] as const;
  await addSuppressed(at.ledger, { keys, source, random: createSeededRandom(1) });
  expect((await at.feed()).said.sort()).toEqual([
    `changed ${targetOfKey("bolt.example")}`,
    `removed ${targetOfKey("acme.example")}`,
  ]);
});

test("a damaged position and a wrong name are reported; nothing is exported", async () => {
  await using at = await openSample();
  await at.feed();
  const kept = join(at.folder, "bucket", "exports", "positions", "crm.jsonl");
  writeFileSync(kept, '{"format":"forager-export-state/1","at":"2026","count":9}\n');
  await expect(at.feed()).rejects.toMatchObject({ code: "export_state", kind: "corrupt" });
  await expect(openNamedExport(at.where, "../x")).rejects.toThrow(
    /is not a valid name of an export/,
  );
});

test("a position that an earlier version kept in a file counts, until it is in the bucket", async () => {
  await using at = await openSample();
  const file = join(at.folder, "exports", "weekly.jsonl");
  mkdirSync(join(at.folder, "exports"));
  const head = { format: "forager-export-state/1", at: "2026-11-01T00:00:00.000Z", count: 1 };
  writeFileSync(file, `${JSON.stringify(head)}\n["${targetOfKey("acme.example")}","0"]\n`);
  expect(await at.onlyNew()).toEqual(["Bolt", "Core"]);
  expect(existsSync(file)).toBe(false);
  expect(await at.onlyNew()).toEqual([]);
});
