import type { Clock } from "../../base/clock.ts";
import {
  campaignCoverage,
  discoverKind,
  discoverSchema,
  fileSourceKey,
  mayHave,
  openCampaignFolder,
  planTargets,
  planTiles,
  readWitnesses,
  type Campaign,
  type CampaignReport,
  type CoverageCell,
  type CoverageOptions,
  type Target,
  type Witnesses,
} from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { attributionsOf, type Attribution, type SnapshotRelease } from "../../sources/index.ts";
import { openPlaces } from "../places/open-places.ts";

export interface CampaignViewOptions {
  readonly name: string;
  readonly paths: Paths;
  readonly settings: Pick<Settings, "bucket" | "queue">;
  readonly clock: Clock;
  readonly reader: Pick<NodeReadApi, "ledger" | "records">;
  /** Absent if the queue does not exist yet. */
  readonly queue?: Pick<Queue, "job" | "browse" | "now" | "ended"> | undefined;
  readonly signal?: AbortSignal;
}

/**
 * A campaign with everything that is known about its plan: the input for report, coverage and
 * status.
 */
export interface CampaignView {
  readonly campaign: Campaign;
  readonly targets: readonly Target[];
  /** By tile id. */
  readonly witnesses: ReadonlyMap<string, Witnesses>;
  readonly nowMs: number;
  readonly mayHave: (target: Target) => boolean;
  readonly hasFailed: (target: Target) => boolean;
  readonly tasks?: CampaignReport["tasks"];
  /** Requests to websites and place servers, counted by the queue for its job. */
  readonly requests?: number;
  /** Places that its sources mark as permanently closed. */
  readonly closedPlaces: number;
  /** Attributions that have to be shown with the data of its sources. */
  readonly licences: readonly Attribution[];
}

export async function readCampaignView(options: CampaignViewOptions): Promise<CampaignView> {
  const { name, paths, settings, clock, reader, queue } = options;
  const folder = openCampaignFolder(paths);
  const campaign = await folder.load(name);
  await using places = await openPlaces({ paths, bucket: settings.bucket });
  const releases = await places.known(campaign);
  const tiles = planTiles(campaign).map(({ tile }) => tile);
  const job = await queue?.job(name);
  const failed = queue && job && job.failed > 0 ? await failedQuestions(queue, name) : new Set();
  return {
    campaign,
    targets: planTargets(campaign),
    witnesses: await readWitnesses(reader.ledger, tiles, {
      campaign,
      release: releases.get(fileSourceKey),
    }),
    nowMs: clock.nowMs(),
    mayHave: mayHave(releases),
    hasFailed: ({ tile, phrase, source }) => failed.has(`${tile.id} ${source} ${phrase}`),
    closedPlaces: [...releases.values()].reduce((sum, release) => sum + (release?.closed ?? 0), 0),
    licences: licencesOf(campaign, releases.values()),
    ...(job && {
      requests: job.requests,
      tasks: {
        pending: job.pending,
        running: job.running,
        done: job.done,
        skipped: job.skipped,
        failed: job.failed,
      },
    }),
  };
}

function licencesOf(
  { overpass }: Campaign,
  releases: Iterable<SnapshotRelease>,
): readonly Attribution[] {
  const all = [
    ...(overpass ? attributionsOf(["osm/"]) : []),
    ...[...releases].flatMap(({ attributions }) => attributions),
  ];
  return [...new Map(all.map((one) => [one.text, one])).values()];
}

export interface CampaignCoverage extends Pick<CampaignView, "licences"> {
  readonly cells: readonly CoverageCell[];
}

/** The tiles of a campaign and their states, for maps and lists. */
export async function readCampaignCoverage(
  options: CampaignViewOptions & Pick<CoverageOptions, "by">,
): Promise<CampaignCoverage> {
  const view = await readCampaignView(options);
  return { cells: campaignCoverage({ ...view, by: options.by }), licences: view.licences };
}

const pageTasks = 1_000;
/** With more failures than this, they have a common cause, and the map is full of them. */
const failedMax = 50_000;

async function failedQuestions(
  queue: Pick<Queue, "browse">,
  job: string,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let afterId = 0;
  for (let seen = 0; seen < failedMax; seen += pageTasks) {
    const page = await queue.browse({
      states: ["failed"],
      kind: discoverKind,
      job,
      afterId,
      limit: pageTasks,
    });
    for (const { payload } of page) {
      const parsed = discoverSchema.safeParse(payload);
      if (!parsed.success) continue;
      const { tile, source, due } = parsed.data;
      for (const { phrase } of due) found.add(`${tile} ${source} ${phrase}`);
    }
    const last = page.at(-1);
    if (!last || page.length < pageTasks) break;
    afterId = last.id;
  }
  return found;
}
