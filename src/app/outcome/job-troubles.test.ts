import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { createPaths, loadSettings } from "../../config/index.ts";
import { createMemoryQueueStore } from "../../queue/adapters/memory/memory-queue-store.ts";
import { createQueue } from "../../queue/index.ts";
import { openOrMakeQueue } from "../queue/configured-queue.ts";
import type { WorkOutcome } from "../work/work-outcome.ts";
import { isPartial, jobTroubleTexts } from "./job-troubles.ts";
import { createJobPauser, pausedFor } from "./paused-jobs.ts";
import { readJobTroubles } from "./read-job-troubles.ts";

const well: WorkOutcome = {
  done: 1,
  skipped: 1,
  retried: 1,
  failed: 0,
  released: 0,
  releasedKinds: [],
  lost: 0,
  contacts: 0,
  visits: [
    { outcome: "done", reason: "", count: 1 },
    { outcome: "blocked", reason: "http_403", count: 9 },
  ],
  failures: [],
  undone: [],
  stopped: [],
  paused: [],
  unread: [],
};

test("work is incomplete if something failed, is left, is paused, or no website was read", () => {
  const blocked = { outcome: "blocked", reason: "http_403", count: 80 };
  expect(isPartial(well)).toBe(false);
  expect(isPartial({ ...well, visits: [] })).toBe(false);
  const troubles: readonly Partial<WorkOutcome>[] = [
    { failed: 1 },
    { undone: [{ kind: "k", count: 1, why: "no_handler" }] },
    { stopped: [{ campaign: "austin", text: "" }] },
    { paused: [{ job: "leads", left: 1 }] },
    { unread: [{ job: "leads", visits: [blocked], left: 0 }] },
    { visits: [blocked] },
    { visits: [{ outcome: "parked", reason: "parked", count: 1 }] },
    { visits: [{ outcome: "done", reason: "needs_scripts", count: 1 }] },
    { held: { state: "paused", revision: 1, node: "pi" } },
  ];
  for (const trouble of troubles) expect(isPartial({ ...well, ...trouble })).toBe(true);
});

test("a paused job with tasks left is reported, whoever paused it, but not one that its budget stopped", async () => {
  const store = createMemoryQueueStore({ clock: systemClock });
  const queue = createQueue({ store, clock: systemClock, random: systemRandom });
  const folder = mkdtempSync(join(tmpdir(), "forager-job-troubles-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const paths = createPaths(folder);
  mkdirSync(join(folder, "work"));
  writeFileSync(
    join(folder, "work", "paused-jobs.json"),
    '[{"job":"alike","reason":"http_403","atMs":1},{"job":"gone","reason":"dns","atMs":1}]',
  );
  for (const job of ["alike", "byhand", "budget", "running"]) {
    await queue.add([{ kind: "k", job, payload: null }]);
    if (job !== "running") await queue.pause(job);
  }
  await queue.openJob("empty");
  await queue.pause("empty");
  const troubles = await readJobTroubles({ queue, paths, stopped: ["budget"] });
  expect(jobTroubleTexts(troubles)).toEqual([
    "job alike is paused: none of its first 20 websites could be read (http_403); they refuse this " +
      "machine: check crawl.contact and its network, or raise crawl.delayMs; 1 task left; continue " +
      "with: forager queue resume alike",
    "job byhand is paused: 1 task left; continue with: forager queue resume byhand",
  ]);
});

test("a job that was resumed and is paused again by hand is not said to be unreadable", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-job-troubles-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const settings = (await loadSettings({ cwd: folder, env: {}, home: folder, flags: {} })).settings;
  const paths = createPaths(folder);
  await using queue = await openOrMakeQueue({ settings, paths });
  await queue.add([{ kind: "k", job: "leads", payload: null }]);
  const pause = createJobPauser({ paths, queue, clock: systemClock, log: silentLogger });
  await pause("leads", "dns");
  const texts = async () => jobTroubleTexts(await readJobTroubles({ queue, paths, stopped: [] }));
  expect(await texts()).toEqual([expect.stringContaining("could be read (dns)")]);
  expect(pausedFor(paths, "leads")).toContain("could be read (dns)");

  await queue.resume("leads");
  await queue.pause("leads");
  expect(await texts()).toEqual([
    "job leads is paused: 1 task left; continue with: forager queue resume leads",
  ]);
  expect(pausedFor(paths, "leads")).toBeUndefined();
  // Its first visits pause it only once.
  await queue.resume("leads");
  await pause("leads", "dns");
  expect(await texts()).toEqual([]);
});
