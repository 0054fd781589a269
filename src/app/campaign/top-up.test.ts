// inputs: src/**
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import {
  createTopUpHandler,
  openCampaignFolder,
  planTiles,
  topUpKind,
} from "../../campaign/index.ts";
import { createLedgerCompanies } from "../../campaign/testing/ledger-companies.ts";
import { createPaths } from "../../config/index.ts";
import { openBucketQueueStore } from "../../queue/adapters/bucket/bucket-queue-store.ts";
import { createQueue, type Queue } from "../../queue/index.ts";
import { createWorker } from "../../worker/index.ts";
import { campaignHandlers, createCampaignServices } from "./campaign-services.ts";
import { openBucket } from "../bucket/open-bucket.ts";
import { openExclusiveLedger } from "../node/open-ledger.ts";
import { openPlaces } from "../places/open-places.ts";
import { addDueTasks, findDueTasks } from "./dispatch-campaign.ts";
import { createTopUpServices } from "./top-up-services.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-top-up-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const liveTasksMax = 150;
const clock = systemClock;

/** Opens the queue separately, as each node of a fleet does. */
async function openNodeQueue(): Promise<Queue> {
  const bucket = await openBucket(`dir:${join(folder, "fleet")}`);
  const store = await openBucketQueueStore({ bucket, liveTasksMax, clock, random: systemRandom });
  return createQueue({ store, clock, random: systemRandom });
}

test("a campaign with more targets than the queue holds is dispatched to its end by other nodes", async () => {
  const paths = createPaths(join(folder, "data"));
  const campaigns = openCampaignFolder(paths);
  await campaigns.create("wide", {
    phrases: ["plumber"],
    locations: [{ name: "Munich", latitude: 48.15, longitude: 11.55 }],
    proximityKm: 105,
    sourceFile: "places.jsonl",
  });
  const campaign = await campaigns.load("wide");
  const tiles = planTiles(campaign).map(({ tile }) => tile);
  const places = tiles.map(({ id }, at) => {
    const [south, west] = id.split("_").map(Number) as [number, number];
    return JSON.stringify({ id: `p/${at}`, name: "Plumber", lat: south + 0.05, lon: west + 0.05 });
  });
  writeFileSync(join(folder, "data", "campaigns", "wide", "places.jsonl"), places.join("\n"));
  await using ledger = await openExclusiveLedger({ paths, log: silentLogger });
  await using sources = await openPlaces({ paths });
  const loaded = { campaign, folder: campaigns, places: sources, ledger, clock };
  {
    await using queue = await openNodeQueue();
    const due = await findDueTasks(loaded);
    const nowMs = clock.nowMs();
    const answers = await addDueTasks({
      queue,
      campaign,
      due,
      topUp: { isRematch: false },
      nowMs,
    });
    expect(due.chosen.length).toBeGreaterThan(3 * liveTasksMax);
    // One place is taken by the task that continues the dispatch.
    expect(answers).toMatchObject({
      added: liveTasksMax - 1,
      full: due.chosen.length - (liveTasksMax - 1),
      isToppedUp: true,
    });
  }

  const runNode = async (name: string) => {
    await using queue = await openNodeQueue();
    const services = {
      ...createCampaignServices({
        places: async () => sources,
        paths,
        clock,
        ledger,
        queue,
        companies: createLedgerCompanies(ledger),
      }),
      ...createTopUpServices({
        folder: campaigns,
        campaign: (one) => campaigns.load(one),
        queue,
        ledger,
        clock,
        placesHere: async () => sources,
      }),
    };
    const handlers = [...campaignHandlers(), createTopUpHandler({ delayMs: 20 })];
    const worker = createWorker({ queue, handlers, services, name, drain: true, concurrency: 16 });
    await worker.start();
    await worker.ended;
    await worker.stop();
  };
  await Promise.all([runNode("a"), runNode("b")]);

  expect((await findDueTasks(loaded)).due).toBe(0);
  await using queue = await openNodeQueue();
  expect(await queue.job("wide")).toMatchObject({ pending: 0, running: 0, failed: 0 });
  const log = await queue.log({ limit: 10_000 });
  expect(log.filter(({ kind }) => kind === "discover")).toHaveLength(tiles.length);
  expect(log.filter(({ kind }) => kind === topUpKind).length).toBeGreaterThan(2);
}, 300_000);
