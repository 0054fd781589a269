import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../base/log/logger.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { noContact } from "../../campaign/index.ts";
import { createPaths } from "../../config/index.ts";
import { createReleaseRecords, currentReleases, readReleaseRecords } from "./release-records.ts";

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "forager-released-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = createPaths(folder);
  const clock = createTestClock();
  const open = () => createReleaseRecords({ paths, clock, log: silentLogger });
  const files = () => {
    try {
      // Without the files that are being written.
      const names = readdirSync(join(folder, "work", "released"));
      return names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
    } catch {
      return [];
    }
  };
  const job = (pending: number) => ({ job: async () => ({ pending }) as never });
  return { paths, clock, open, files, job };
}

const visits = { kind: "enrich", job: "leads" };

const without = { crawl: { contact: undefined } };

test("a contact that was set since then is not missing any more", async () => {
  const { paths, open, files, job } = setUp();
  open().released(visits, noContact);
  await expect.poll(files).toHaveLength(1);
  expect(await readReleaseRecords(paths, job(3), without)).toHaveLength(1);
  const set = { crawl: { contact: "me@example.org" } };
  expect(await readReleaseRecords(paths, job(3), set)).toEqual([]);
});

test("why tasks are released is kept until one is done, or none waits", async () => {
  const { paths, clock, open, files, job } = setUp();
  open().released(visits, `crawl.contact is not set${"!".repeat(2_000)}`);
  await expect.poll(files).toHaveLength(1);
  const [found] = await readReleaseRecords(paths, job(3), without);
  expect(found).toMatchObject({ ...visits, atMs: clock.nowMs() });
  expect(found?.reason).toMatch(/^crawl\.contact is not set!+$/);
  expect(found?.reason.length).toBe(500);
  expect(await readReleaseRecords(paths, job(0), without)).toEqual([]);
  expect(currentReleases(paths, clock.nowMs() + 1_000)).toHaveLength(1);
  expect(currentReleases(paths, clock.nowMs() + 61_000)).toEqual([]);

  // Another process of the folder runs such a task, so nothing is missing any more.
  const other = open();
  other.ended({ kind: "enrich", job: "another" });
  expect(files()).toHaveLength(1);
  other.ended(visits);
  expect(files()).toEqual([]);
});

test("a folder keeps at most a hundred of them", async () => {
  const { open, files } = setUp();
  const records = open();
  for (let at = 0; at < 120; at++) records.released({ kind: "enrich", job: `j${at}` }, "no");
  await expect.poll(files).toHaveLength(100);
});
