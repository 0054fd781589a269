import { strictEqual } from "node:assert/strict";
import { createWriteStream } from "node:fs";
import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  campaignHandlers,
  createCampaignServices,
} from "../../src/app/campaign/campaign-services.ts";
import { openPlaces, openQueue } from "../../src/app/index.ts";
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { createRecordCompanies } from "../../src/app/places/record-companies.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { readVersion } from "../../src/base/version.ts";
import {
  dispatch,
  dueTargets,
  groupByTask,
  openCampaignFolder,
  planTargets,
} from "../../src/campaign/index.ts";
import { createPaths } from "../../src/config/index.ts";
import {
  compilePhrases,
  createPhraseMatcher,
  cutPlaces,
  type Place,
} from "../../src/sources/index.ts";
import { createWorker } from "../../src/worker/index.ts";
import type { Side } from "../frame/side.ts";

export interface MatchInput {
  readonly places: number;
  readonly phrases: readonly string[];
  readonly rounds: number;
}

export interface CutInput {
  readonly places: number;
  readonly tiles: number;
}

export interface DiscoverInput {
  readonly places: number;
  /** In a square, so a whole number squared is all of them. */
  readonly tiles: number;
}

const trades = [
  { craft: "plumber", name: "Plumbing" },
  { shop: "bakery", name: "Bäckerei" },
  { amenity: "dentist", name: "Dental Care" },
  { office: "lawyer", name: "Law Offices" },
  { shop: "car_repair", name: "Garage" },
] as const;
const corner = { latitude: 30.05, longitude: -98.95 };

/** A row as an extract of OpenStreetMap has it. */
function rowOf(index: number, tiles: number) {
  const side = Math.ceil(Math.sqrt(tiles));
  const tile = index % tiles;
  const { name, ...tags } = trades[index % trades.length]!;
  return {
    id: `node/${index + 1}`,
    name: `Smith ${index} ${name}`,
    latitude: corner.latitude + Math.floor(tile / side) / 10 + (index % 7) / 1_000,
    longitude: corner.longitude + (tile % side) / 10 + (index % 11) / 1_000,
    ...tags,
    phone: `+1 512 ${String(2_000_000 + (index % 7_999_999)).replace(/^(...)(....)$/, "$1 $2")}`,
    website: `https://www.smith-${index}.example/`,
    "addr:street": "Congress Avenue",
    "addr:housenumber": String(index % 900),
    "addr:city": "Austin",
    "addr:postcode": "78701",
  };
}

async function writeRows(file: string, places: number, tiles: number): Promise<void> {
  const out = createWriteStream(file);
  for (let at = 0; at < places; at += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, places - at) }, (_, index) =>
      JSON.stringify(rowOf(at + index, tiles)),
    );
    if (!out.write(`${rows.join("\n")}\n`)) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
}

/** A tile that is in memory against phrases, as discovery does it. */
export const match: Side<MatchInput> = async ({ places, phrases, rounds }) => {
  const compiled = compilePhrases(phrases, createPhraseMatcher({ languages: ["en"] }));
  const tile = Array.from({ length: places }, (_, index): Place => {
    const { name } = trades[index % trades.length]!;
    const [key, value] = Object.entries(trades[index % trades.length]!)[0]!;
    return {
      id: `p/${index}`,
      name: `Smith ${index} ${name}`,
      categories: [value],
      tags: [`${key}=${value}`],
    };
  });
  let found = 0;
  return {
    async run() {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const startMs = performance.now();
        found = tile.reduce((sum, place) => sum + compiled.matching(place).length, 0);
        times.push(performance.now() - startMs);
      }
      return { matchFirstMs: times[0]!, matchMs: times.sort((a, b) => a - b)[rounds >> 1]! };
    },
    async check() {
      strictEqual(found >= places / 2, true, `only ${found} of ${places} were found`);
    },
  };
};

/** A file of JSON lines into snapshots of a bucket that is a folder. */
export const cut: Side<CutInput> = async ({ places, tiles }, { folder }) => {
  const paths = createPaths(join(folder, "node"));
  await mkdir(join(folder, "node"), { recursive: true });
  const file = join(folder, "places.jsonl");
  await writeRows(file, places, tiles);
  const opened = await openPlaces({ paths });
  let cutPlacesCount = 0;
  return {
    async run() {
      const release = await cutPlaces({
        file,
        source: "bench",
        name: "bench",
        store: opened.store,
        tempFolder: opened.tempFolder(),
      });
      cutPlacesCount = release.places;
    },
    async check() {
      await opened.close();
      strictEqual(cutPlacesCount, places);
    },
  };
};

/** A whole campaign from the dispatched tiles to files of companies, in one process of one node. */
export const discover: Side<DiscoverInput> = async ({ places, tiles }, { folder }) => {
  const paths = createPaths(join(folder, "node"));
  const campaigns = openCampaignFolder(paths);
  const side = Math.sqrt(tiles);
  await campaigns.create("bench", {
    phrases: ["plumber", "bakery", "dentist", "law firm", "auto repair"],
    locations: [
      {
        name: "middle",
        latitude: corner.latitude + side / 20,
        longitude: corner.longitude + side / 20,
      },
    ],
    proximityKm: Math.ceil(side * 8),
    sourceFile: "places.jsonl",
  });
  await writeRows(join(folder, "node", "campaigns", "bench", "places.jsonl"), places, tiles);
  const node = await openNodeIn({
    kind: "command",
    paths,
    log: silentLogger,
    user: "bench",
    version: readVersion(),
  });
  const queue = await openQueue(`sqlite:${join(folder, "queue.db")}`);
  const placesIn = await openPlaces({ paths });
  const companies = createRecordCompanies(node.api);
  let firstAtMs: number | undefined;
  let created = 0;
  const services = createCampaignServices({
    paths,
    clock: systemClock,
    ledger: node.api.ledger,
    queue,
    places: async () => placesIn,
    companies: {
      async putAll(found) {
        const answers = await companies.putAll(found);
        firstAtMs ??= performance.now();
        created += answers.filter(({ status }) => status === "created").length;
        return answers;
      },
    },
  });
  const campaign = await campaigns.load("bench");
  const source = await placesIn.source(campaigns, campaign, "file");
  const release = await source.release!();
  const due = dueTargets({
    targets: planTargets(campaign),
    witnesses: new Map(),
    freshness: campaign.freshness,
    nowMs: systemClock.nowMs(),
    mayHave: ({ tile }) => Object.hasOwn(release.tiles, tile.id),
  });
  await dispatch(queue, campaign, groupByTask(due));
  const handlers = campaignHandlers();
  const worker = createWorker({
    queue,
    handlers,
    services,
    drain: true,
    concurrency: 4,
    name: "bench",
  });
  return {
    async run() {
      const startMs = performance.now();
      await worker.start();
      await worker.ended;
      return { firstCompanyMs: (firstAtMs ?? NaN) - startMs, tasks: groupByTask(due).length };
    },
    async check() {
      await worker.stop();
      const names = await readdir(paths.resolve("companies"));
      await queue.close();
      await placesIn.close();
      await node[Symbol.asyncDispose]();
      strictEqual(created, places);
      strictEqual(names.length >= places, true, `${names.length} folders of ${places} companies`);
    },
  };
};
