import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { createSeededRandom } from "../../base/random.ts";
import {
  dispatch,
  dueTargets,
  groupByTask,
  openCampaignFolder,
  planTargets,
  type Campaign,
  type Target,
} from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import type { Queue } from "../../queue/index.ts";
import { placesJsonl } from "../fake-web/places.ts";
import { startRegionServer, type RegionServer } from "../fake-web/region-server.ts";
import { makeRegion, type Region } from "../fake-web/region.ts";
import { makeSite, type Site } from "../fake-web/site.ts";

/** A region, its web servers, and a campaign that only has a list of places. */
export interface Stage extends AsyncDisposable {
  readonly region: Region;
  readonly sites: readonly Site[];
  readonly server: RegionServer;
  readonly campaign: Campaign;
  readonly targets: readonly Target[];
}

export interface StageOptions {
  /** The data folders of all nodes: each has the campaign's files, as if copied there. */
  readonly folders: readonly Paths[];
  readonly size: number;
  readonly queue: Queue;
  readonly clock: Clock;
}

export const campaignName = "demo";
/** The campaign's delay for a host; a real campaign waits a second. */
export const politeDelayMs = 100;
/** The common corner of four tiles. */
const centre = { name: "Nowhere, in the Atlantic", latitude: 46.6, longitude: -30 };
const seed = 7;

/** Creates everything: config, plan, the first tasks. */
export async function setStage({ folders, size, queue, clock }: StageOptions): Promise<Stage> {
  const region = makeRegion({ size, random: createSeededRandom(seed) });
  const random = createSeededRandom(seed + 1);
  const sites = region.businesses.map((business) => makeSite(business, random));
  const server = await startRegionServer({ sites, clock });
  try {
    const planned = [];
    for (const paths of folders) planned.push(await plan(paths, region, server.port));
    const [{ campaign, targets }] = planned as [Planned];
    const { freshness } = campaign;
    const witnesses = new Map();
    const due = dueTargets({ targets, witnesses, freshness, nowMs: clock.nowMs() });
    await dispatch(queue, campaign, groupByTask(due));
    const close = () => server[Symbol.asyncDispose]();
    return { region, sites, server, campaign, targets, [Symbol.asyncDispose]: close };
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

type Planned = Pick<Stage, "campaign" | "targets">;

/** What `forager campaign new` and `plan` do. */
async function plan(paths: Paths, region: Region, port: number): Promise<Planned> {
  const folder = openCampaignFolder(paths);
  const file = await folder.create(campaignName, {
    phrases: region.phrases,
    locations: [centre],
    proximityKm: 5,
    sourceFile: "places.jsonl",
    politeness: { delayMs: politeDelayMs, contact: "demo@example.org" },
  });
  await writeFile(join(dirname(file), "places.jsonl"), placesJsonl(region, port));
  const campaign = await folder.load(campaignName);
  const targets = planTargets(campaign);
  await folder.writeTargets(campaignName, targets);
  return { campaign, targets };
}
