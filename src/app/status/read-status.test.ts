import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createPaths, loadSettings } from "../../config/index.ts";
import { openOrMakeQueue } from "../queue/configured-queue.ts";
import { createMissingBucket } from "../bucket/create-bucket.ts";
import { openFleetBucket } from "../bucket/fleet-bucket.ts";
import { openExclusiveLedger } from "../node/open-ledger.ts";
import type { StatusOptions } from "./gather-status.ts";
import { openStatusReader, readStatus } from "./read-status.ts";

async function setUp(flags: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "forager-status-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const given = Object.entries({ ...flags, data: join(folder, "data") });
  const { settings } = await loadSettings({
    cwd: folder,
    env: {},
    home: folder,
    flags: Object.fromEntries(given.map(([key, value]) => [key, { flag: `--${key}`, value }])),
  });
  const options: StatusOptions = {
    settings,
    paths: createPaths(settings.data),
    clock: systemClock,
    log: silentLogger,
    signal: new AbortController().signal,
    isCluster: true,
  };
  return options;
}

const ledgerOf = ({ paths, log }: StatusOptions) => openExclusiveLedger({ paths, log });

test("where nothing is, it says so and makes nothing", async () => {
  const options = await setUp();
  const status = await readStatus(options);
  expect(status).toMatchObject({ queue: null, hub: null, checkpoint: null, gossipKey: "off" });
  expect(status.nodes).toMatchObject([{ node: "-", isSelf: true, beat: null }]);
  expect(status.attention).toEqual([]);
  expect(existsSync(options.paths.root())).toBe(false);
});

test("what it says of ledger, fleet and queue is the same after JSON", async () => {
  const options = await setUp({ "bucket.url": "dir:bucket" });
  await using ledger = await ledgerOf(options);
  const changes = [{ target: "company/a", field: "name", value: "A" }];
  await ledger.write({ source: "hand:test", changes });
  await createMissingBucket(options);
  await using bucket = await openFleetBucket(options, "command");
  await ledger.withBucket(bucket).sync();
  await using queue = await openOrMakeQueue(options);
  await queue.add([{ kind: "page", gate: "a.example", key: "a", payload: {} }]);
  const status = await readStatus(options);
  expect(JSON.parse(JSON.stringify(status))).toEqual(status);
  expect(status.ledger).toMatchObject({ node: ledger.node(), unpublished: 0, conflicts: 0 });
  expect(status.nodes).toMatchObject([{ node: ledger.node(), isSelf: true }]);
  expect(status.queue?.states.pending).toBe(1);
  expect(status.attention).toContain("1 task could run, but no node is working");
});

test("a reader that is kept open sees what others write later", async () => {
  const options = await setUp();
  await using reader = await openStatusReader({ ...options, isCluster: false });
  expect((await reader.read()).queue).toBeNull();
  await using queue = await openOrMakeQueue(options);
  await queue.add([{ kind: "page", gate: "a.example", key: "a", payload: {} }]);
  await using ledger = await ledgerOf(options);
  const changes = [{ target: "company/a", field: "name", value: "A" }];
  await ledger.write({ source: "hand:test", changes });
  const status = await reader.read();
  expect(status.queue?.states.pending).toBe(1);
  expect(status.ledger.datagramsSinceCheckpoint).toBe(1);
});
