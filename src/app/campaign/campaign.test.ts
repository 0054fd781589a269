// inputs: src/**
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import {
  dispatch,
  dueTargets,
  groupByTask,
  openCampaignFolder,
  placeFileKey,
  planTargets,
  planTiles,
  readWitnesses,
} from "../../campaign/index.ts";
import { createLedgerCompanies } from "../../campaign/testing/ledger-companies.ts";
import { createPaths } from "../../config/index.ts";
import { createWorker } from "../../worker/index.ts";
import { campaignHandlers, createCampaignServices } from "./campaign-services.ts";
import { openExclusiveLedger } from "../node/open-ledger.ts";
import { openPlaces } from "../places/open-places.ts";
import { openQueue } from "../queue/open-queue.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-campaign-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const samples = [
  { id: "p/1", name: "Rohr Müller Plumber", lat: 48.151, lon: 11.551, website: "rohr.test" },
  { id: "p/2", name: "Plumbing & Dentist", lat: 48.149, lon: 11.449, phone: "+49 89 123456" },
  { id: "p/3", name: "Plumber far away", lat: 10, lon: 10 },
];

describe("a campaign on one machine", () => {
  test("plan, dispatch, discover: tiles are witnessed, companies are there, once", async () => {
    const paths = createPaths(folder);
    const campaigns = openCampaignFolder(paths);
    await campaigns.create("munich", {
      phrases: ["plumber", "dentist"],
      locations: [{ name: "Munich", latitude: 48.15, longitude: 11.55 }],
      proximityKm: 5,
      sourceFile: "places.jsonl",
    });
    const lines = samples.map((place) => JSON.stringify(place)).join("\n");
    writeFileSync(join(folder, "campaigns", "munich", "places.jsonl"), lines);
    await using ledger = await openExclusiveLedger({ paths, log: silentLogger });
    await using queue = await openQueue(`sqlite:${join(folder, "queue.db")}`);
    await using places = await openPlaces({ paths });
    const services = createCampaignServices({
      places: async () => places,
      paths,
      clock: systemClock,
      ledger,
      queue,
      companies: createLedgerCompanies(ledger),
    });
    const campaign = await campaigns.load("munich");
    const tiles = planTiles(campaign).map(({ tile }) => tile);
    const due = async () =>
      dueTargets({
        targets: planTargets(campaign),
        witnesses: await readWitnesses(ledger, tiles, { campaign }),
        freshness: campaign.freshness,
        nowMs: systemClock.nowMs(),
      });
    expect(await due()).toHaveLength(tiles.length * 2);
    await dispatch(queue, campaign, groupByTask(await due()));
    const handlers = campaignHandlers();
    const options = { queue, handlers, services, drain: true, concurrency: 8 };
    const worker = createWorker({ ...options, name: "w" });
    await worker.start();
    await worker.ended;
    await worker.stop();

    expect(await due()).toEqual([]);
    const witnesses = await readWitnesses(ledger, tiles, { campaign });
    const counts = [...witnesses.values()].flatMap((some) => [...some.values()]);
    expect(counts.reduce((sum, { found }) => sum + found, 0)).toBe(3);
    const tasks = await queue.browse({ limit: 100 });
    const of = (kind: string) => tasks.filter((task) => task.kind === kind);
    expect(of("discover").every(({ state }) => state === "done")).toBe(true);
    expect(of("details")).toEqual([]);
    expect(of("enrich")).toMatchObject([{ gate: "rohr.test", state: "pending", job: "munich" }]);
    const { fields } = await ledger.read("company/p-2");
    expect(fields.map(({ field }) => field)).toEqual(
      expect.arrayContaining([
        `found/48.1_11.4/plumber/${placeFileKey(campaign)}`,
        `found/48.1_11.4/dentist/${placeFileKey(campaign)}`,
        "name",
      ]),
    );
    expect((await ledger.read("company/p-3")).fields).toEqual([]);
  });
});
