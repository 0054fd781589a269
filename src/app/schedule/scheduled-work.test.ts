import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { openCampaignFolder } from "../../campaign/index.ts";
import { createPaths } from "../../config/index.ts";
import { openSqliteRecordIndex } from "../../records/adapters/sqlite/sqlite-record-index.ts";
import type { RecordQuery } from "../../records/index.ts";
import { openTestRecords } from "../../records/testing/test-records.ts";
import { createScheduledWork, type ScheduledWorkOptions } from "./scheduled-work.ts";

test("B28: an export of a schedule has only new companies, each run in a file of its own", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-scheduled-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = createPaths(folder);
  await openCampaignFolder(paths).create("munich");
  const index = openSqliteRecordIndex({ file: ":memory:", log: silentLogger });
  await using at = await openTestRecords({ index });
  const add = (name: string) =>
    at.records.create({
      source: "place:osm/1",
      fields: { name, "found/48.1_11.5/plumber": { campaign: "munich", at: "2026-11-18" } },
    });
  const published: unknown[] = [];
  const work = createScheduledWork({
    settings: { bucket: {}, node: {}, legal: {} },
    paths,
    node: {
      ledger: at.ledger,
      records: { search: async (query: RecordQuery) => index.search(query) },
    },
    publisher: { publish: async (event: unknown) => void published.push(event) },
    clock: systemClock,
    log: silentLogger,
  } as unknown as ScheduledWorkOptions);
  const run = async (more: object = { onlyNew: "crm" }) => {
    const action = { kind: "export", campaign: "munich", ...more } as const;
    const { signal } = new AbortController();
    const how = { schedule: "s", occurrence: "2026-11-18T06:00:00.000Z", signal, progress() {} };
    const { file } = (await work.runScheduled(action, how)) as { readonly file: string };
    return readFileSync(file, "utf8").match(/(?:Acme|Bolt)/g) ?? [];
  };
  await add("Acme");
  expect(await run()).toEqual(["Acme"]);
  await add("Bolt");
  // The same occurrence again, as after a crash: the first file is not replaced.
  expect(await run()).toEqual(["Bolt"]);
  expect(await run()).toEqual([]);
  const files = readdirSync(join(folder, "campaigns", "munich", "exports"));
  expect(files.filter((name) => /^crm-.*\.csv$/.test(name))).toHaveLength(3);
  expect(published).toHaveLength(3);
  // A feed of changes with a separate position.
  expect(await run({ changes: "crm" })).toEqual(["Acme", "Bolt"]);
  expect(await run({ changes: "crm" })).toEqual([]);
  expect(published.at(-1)).toMatchObject({ data: { format: "jsonl", rows: 0 } });
});
