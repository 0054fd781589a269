import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { silentLogger } from "../../../base/log/logger.ts";
import { watchThreads } from "../../../base/testing/watch-threads.ts";
import { company } from "../../testing/sample-records.ts";
import { manyRecords, startIndexLoader } from "./index-loader.ts";
import { openSqliteRecordIndex } from "./sqlite-record-index.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-loader-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const many = (from: number) =>
  Array.from({ length: manyRecords }, (_, at) => company(`c${from + at}`, { name: `C ${at}` }));

test("large batches are applied by a thread, in order, while this one does other work", async () => {
  using threads = watchThreads();
  using index = openSqliteRecordIndex({ file: join(folder, "records.db"), log: silentLogger });
  index.setMark("kept");
  await using replacement = index.startReplacement();
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const first = replacement.load({ put: many(0) });
  const second = replacement.load({
    put: [company("c7", { name: "Seven" })],
    drop: ["company/c8"],
  });
  await first;
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(10);
  expect(threads.running()).toBe(1);
  await second;
  await replacement.commit();
  await expect.poll(() => threads.running()).toBe(0);
  expect(index.find("company/c7")).toEqual(company("c7", { name: "Seven" }));
  expect(index.find("company/c8")).toBeUndefined();
  expect(index.count({ kind: "company" }, 9_999)).toBe(manyRecords - 1);
  expect(index.mark()).toBe("kept");
  expect(readdirSync(folder).filter((name) => name.includes(".new"))).toEqual([]);
});

test("small batches need no thread", async () => {
  using threads = watchThreads();
  using index = openSqliteRecordIndex({ file: join(folder, "records.db"), log: silentLogger });
  await using replacement = index.startReplacement();
  await replacement.load({ put: [company("a")] });
  expect(threads.started()).toBe(0);
  expect(replacement.lookup.find("company/a")).toEqual(company("a"));
});

test("a batch that the thread cannot write is rejected with the reason, and the next one too", async () => {
  const file = join(folder, "folder");
  mkdirSync(file);
  const loader = startIndexLoader({ file, update: () => {} });
  for (const from of [0, manyRecords]) {
    await expect(loader.load({ put: many(from) })).rejects.toMatchObject({
      name: "AppError",
      code: "index_read_only",
    });
  }
  await loader.end();
});
