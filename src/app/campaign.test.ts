// inputs: src/**
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { silentLogger } from "../base/logger.ts";
import {
  boxOf,
  dispatch,
  dueTargets,
  openCampaignFolder,
  planTargets,
  planTiles,
  readWitnesses,
  tileAt,
} from "../campaign/index.ts";
import { createLedgerCompanies } from "../campaign/testing/ledger-companies.ts";
import { createPaths } from "../config/index.ts";
import { createFileSource } from "../sources/adapters/file/file-source.ts";
import { createWorker } from "../worker/index.ts";
import { campaignHandlers, createCampaignServices } from "./campaign-services.ts";
import { openExclusiveLedger } from "./open-ledger.ts";
import { openQueue } from "./open-queue.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-campaign-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const places = [
  { id: "p/1", name: "Rohr Müller Plumber", lat: 48.151, lon: 11.551, website: "rohr.test" },
  { id: "p/2", name: "Plumbing & Dentist", lat: 48.149, lon: 11.449, phone: "+49 89 123456" },
  { id: "p/3", name: "Plumber far away", lat: 10, lon: 10 },
];

describe("a campaign on one machine", () => {
  test("plan, dispatch, discover, details: tiles are witnessed, companies are there, once", async () => {
    const paths = createPaths(folder);
    const campaigns = openCampaignFolder(paths);
    await campaigns.create("munich", {
      phrases: ["plumber", "dentist"],
      locations: [{ name: "Munich", latitude: 48.15, longitude: 11.55 }],
      proximityKm: 5,
      sourceFile: "places.jsonl",
    });
    const lines = places.map((place) => JSON.stringify(place)).join("\n");
    writeFileSync(join(folder, "campaigns", "munich", "places.jsonl"), lines);
    await using ledger = await openExclusiveLedger({ paths, log: silentLogger });
    await using queue = await openQueue(`sqlite:${join(folder, "queue.db")}`);
    const services = createCampaignServices({
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
        witnesses: await readWitnesses(ledger, tiles),
        freshness: campaign.freshness,
        nowMs: systemClock.nowMs(),
      });
    expect(await due()).toHaveLength(tiles.length * 2);
    await dispatch(queue, campaign, await due());
    const handlers = campaignHandlers();
    const options = { queue, handlers, services, drain: true, concurrency: 8 };
    const worker = createWorker({ ...options, name: "w" });
    await worker.start();
    await worker.ended;
    await worker.stop();

    expect(await due()).toEqual([]);
    const witnesses = await readWitnesses(ledger, tiles);
    const counts = [...witnesses.values()].flatMap((some) => [...some.values()]);
    expect(counts.reduce((sum, { found }) => sum + found, 0)).toBe(3);
    const tasks = await queue.browse({ limit: 100 });
    const of = (kind: string) => tasks.filter((task) => task.kind === kind);
    expect(of("discover").every(({ state }) => state === "done")).toBe(true);
    expect(of("details").map(({ state }) => state)).toEqual(["done", "done", "done"]);
    expect(of("enrich")).toMatchObject([{ gate: "rohr.test", state: "pending", job: "munich" }]);
    const { fields } = await ledger.read("company/p-2");
    expect(fields.map(({ field }) => field)).toEqual(
      expect.arrayContaining(["found/48.1_11.4/plumber", "found/48.1_11.4/dentist", "name"]),
    );
    expect((await ledger.read("company/p-3")).fields).toEqual([]);
  }, 20_000);

  test("lesson 53: every place of a file is in exactly one tile, the same for grid and source", async () => {
    const edge = fc.integer({ min: -890, max: 890 }).map((decidegrees) => decidegrees / 10);
    const latitude = fc.oneof(edge, fc.double({ min: -90, max: 90, noNaN: true }));
    const longitude = fc.oneof(edge, fc.double({ min: -180, max: 180, noNaN: true }));
    const file = join(folder, "places.jsonl");
    await fc.assert(
      fc.asyncProperty(fc.record({ latitude, longitude }), async (point) => {
        writeFileSync(file, JSON.stringify({ id: "p", name: "Plumber", ...point }));
        const source = createFileSource({ file });
        const tile = tileAt(point);
        const rows = [-1, 0, 1].filter((row) => Math.abs((tile.south + row + 0.5) / 10) < 90);
        const around = rows.flatMap((row) =>
          [-1, 0, 1].map((column) => {
            const west = ((((tile.west + column + 1_800) % 3_600) + 3_600) % 3_600) - 1_800;
            return tileAt({
              latitude: (tile.south + row + 0.5) / 10,
              longitude: (west + 0.5) / 10,
            });
          }),
        );
        const holding: string[] = [];
        for (const one of around) {
          for await (const _place of source.find({ box: boxOf(one), phrase: "plumber" })) {
            holding.push(one.id);
          }
        }
        expect(holding).toEqual([tile.id]);
      }),
      { numRuns: 60 },
    );
  });
});
