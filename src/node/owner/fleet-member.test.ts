import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openKeptLog } from "../../base/log/kept-log.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import { createTestClock, type TestClock } from "../../base/testing/test-clock.ts";
import { createMemoryBucket } from "../../bucket/adapters/memory/memory-bucket.ts";
import { campaignTemplate, openCampaignFolder, openSharedConfigs } from "../../campaign/index.ts";
import { createPaths } from "../../config/index.ts";
import { giveCommand, logKey, openDesiredObject } from "../../fleet/index.ts";
import { openTestLedger } from "../../ledger/testing/test-ledger.ts";
import { createFleetMember, type FleetMember } from "./fleet-member.ts";
import type { NodeGossip } from "./gossip-keeper.ts";
import type { ProcessReport } from "../node-api.ts";
import { createProcessRegistry } from "./process-registry.ts";

const noGossip: NodeGossip = {
  publish: () => {},
  subscribe: () => () => {},
  peers: () => [],
  counters: () => undefined,
  addresses: () => [],
};

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "forager-member-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = createPaths(folder);
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const ledger = await openTestLedger({ clock, random: systemRandom });
  const heads: Readonly<Record<string, unknown>>[] = [];
  const processes = createProcessRegistry({ clock, onChange: () => member.processesChanged() });
  const member: FleetMember = createFleetMember({
    paths,
    ledger,
    bucket,
    sync: { writeHeartbeat: async ({ beat }) => void heads.push(beat ?? {}) },
    gossip: noGossip,
    processes,
    hub: () => undefined,
    version: "0",
    label: "pi",
    pid: 1,
    config: () => "c",
    clock,
    random: systemRandom,
    log: silentLogger,
  });
  onTestFinished(() => member.stop());
  return { paths, clock, bucket, ledger, processes, member, heads };
}

/** Files are read from a real disk, which takes real time. */
async function pass(clock: TestClock, seconds: number) {
  for (let second = 0; second < seconds; second++) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const reportOf = (process: string, more: Partial<ProcessReport> = {}): ProcessReport => ({
  process,
  pid: 7,
  kinds: {},
  alerts: [],
  ...more,
});

test("the log lines of a node go to its bucket", async () => {
  const { paths, clock, bucket, ledger, member } = await setUp();
  await member.start();
  openKeptLog({ folder: paths.logs(), name: "1" }).write(
    `{"time":"${new Date().toISOString()}","msg":"x"}\n`,
  );
  await pass(clock, 130);
  expect(await bucket.get(logKey(ledger.node()))).toMatchObject({ status: "found" });
});

test("the heartbeat is that of all processes: kinds are summed, alerts are joined", async () => {
  const { member, processes } = await setUp();
  await member.start();
  expect((await member.view()).heartbeat).toMatchObject({ state: "idle", kinds: {} });
  const over = new AbortController();
  const { signal } = over;
  const first = reportOf("a", { kinds: { enrich: [10, 2], discover: [5, 0] }, alerts: ["x"] });
  const second = reportOf("b", { kinds: { enrich: [4, 1] }, alerts: ["x", "y"] });
  const attached = [first, second].map((one) => processes.attach(one, { signal }));
  const { heartbeat } = await member.view();
  expect(heartbeat).toMatchObject({
    state: "working",
    kinds: { enrich: [14, 3], discover: [5, 0] },
    alerts: ["x", "y"],
  });
  over.abort();
  await Promise.all(attached);
  expect((await member.view()).heartbeat).toMatchObject({ state: "idle", alerts: [] });
});

test("a process that comes or goes is in a heartbeat within a second, not within a minute", async () => {
  const { member, processes, clock, heads } = await setUp();
  await member.start();
  await pass(clock, 20);
  const over = new AbortController();
  const attached = ["a", "b"].map((one) => processes.attach(reportOf(one), over));
  const before = heads.length;
  await clock.advance(1_000);
  await expect.poll(() => heads.slice(before)).toMatchObject([{ state: "working" }]);
  over.abort();
  await Promise.all(attached);
  await clock.advance(1_000);
  await expect.poll(() => heads.slice(before + 1)).toMatchObject([{ state: "idle" }]);
  // Its reports are for the next minute.
  await processes.report(reportOf("a"));
  await pass(clock, 5);
  expect(heads).toHaveLength(before + 2);
});

test("a process that attaches may run tasks at once, if there is no desired state", async () => {
  const { member, processes } = await setUp();
  await member.start();
  const over = new AbortController();
  const reported: string[] = [];
  const attached = processes.attach(reportOf("a"), {
    onProgress: ({ state }) => void reported.push(state),
    signal: over.signal,
  });
  expect(reported).toEqual(["working"]);
  over.abort();
  await attached;
});

test("a configuration that the fleet changed is fetched; one that was edited here is reported, and left alone", async () => {
  const { paths, clock, bucket, ledger, member } = await setUp();
  const other = createPaths(mkdtempSync(join(tmpdir(), "forager-other-")));
  onTestFinished(() => rmSync(other.root(), { recursive: true, force: true }));
  const theirs = openSharedConfigs({ paths: other, bucket, clock, random: systemRandom });
  const desired = openDesiredObject({ bucket, session: "s", clock, random: systemRandom });
  const change = async (text: string) => {
    const how = { change: () => text, baseRevision: undefined, by: "hand:x" };
    const { revision } = await theirs.change("austin", how);
    const command = { scopes: ["all"], assignments: [{ key: "config.austin", value: revision }] };
    await giveCommand({ ledger, desired, nodes: [] }, { ...command, by: "hand:x", atMs: 1 });
  };
  const folder = openCampaignFolder(paths);
  await change(campaignTemplate({ phrases: ["roofer"] }));
  await member.start();
  await pass(clock, 30);
  await expect.poll(() => folder.load("austin").catch(() => undefined)).toMatchObject({ phrases: ["roofer"] }); // prettier-ignore
  await change(campaignTemplate({ phrases: ["tiler"] }));
  await pass(clock, 30);
  await expect.poll(async () => (await folder.load("austin")).phrases).toEqual(["tiler"]);

  await folder.writeConfig("austin", campaignTemplate({ phrases: ["mine"] }));
  await change(campaignTemplate({ phrases: ["painter"] }));
  await pass(clock, 30);
  await expect.poll(async () => (await member.view()).heartbeat.followed?.what).toContain("was edited in a file of this machine"); // prettier-ignore
  expect((await folder.load("austin")).phrases).toEqual(["mine"]);
});
