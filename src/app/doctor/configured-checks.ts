import { access, constants } from "node:fs/promises";
import { findBrowser, preflight, waitingCampaigns } from "../node/load-parts.ts";
import { openPlaces, type Places } from "../places/open-places.ts";
import { openQueueToRead } from "../queue/configured-queue.ts";
import { readReleaseRecords, releaseText } from "../work/release-records.ts";
import { takesKind } from "../work/pools.ts";
import { tasksLeftBehind } from "../queue/tasks-left-behind.ts";
import { AppError } from "../../base/app-error.ts";
import {
  discoverKind,
  enrichKind,
  openCampaignFolder,
  type Campaign,
} from "../../campaign/index.ts";
import type { LoadedSettings, Paths, Settings } from "../../config/index.ts";
import { isRemoteFile, type SnapshotRelease } from "../../sources/index.ts";
import type { Finding } from "./check.ts";

type Row = Finding & { readonly check: string };

/** Checks what the settings require: contact, queue, browser, campaigns. */
export async function checkConfigured(options: {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
}): Promise<readonly Row[]> {
  return [
    ...(await preflightRows(options)),
    ...(await queueRows(options)),
    await browserRow(options),
    ...(await campaignRows(options)),
  ];
}

/** Warnings only: a machine without a contact address works, and visits report what they need. */
async function preflightRows(options: Parameters<typeof checkConfigured>[0]) {
  const { settings } = options.loaded;
  const isVisiting = takesKind(settings.work.pools, enrichKind);
  const own = isVisiting ? await campaignsToVisit(options) : [];
  const found = await preflight({ ...options, campaigns: own });
  const rows: readonly Row[] = found.map((finding) => ({
    check: finding.check === "queue" ? "shared queue" : finding.check,
    state: finding.state === "note" ? "ok" : "warn",
    detail: finding.detail,
    advice: finding.advice,
  }));
  if (rows.some(({ check }) => check === "contact")) return rows;
  const detail =
    settings.crawl.contact ??
    (isVisiting
      ? `set by ${own?.length === 1 ? "campaign" : "campaigns"} ${own?.map(({ name }) => name).join(", ")}`
      : "not set and not needed: work.pools has no enrich tasks");
  return [{ check: "contact", state: "ok", detail } as const, ...rows];
}

/**
 * Undefined if the waiting visits belong to no campaign or there is no campaign: then crawl.contact
 * is needed.
 */
async function campaignsToVisit({
  loaded: { settings },
  paths,
}: Parameters<typeof checkConfigured>[0]) {
  const folder = openCampaignFolder(paths);
  const campaigns: Campaign[] = [];
  for (const name of await folder.list()) {
    const campaign = await unlessFault(() => folder.load(name));
    if (campaign) campaigns.push(campaign);
  }
  if (campaigns.length === 0) return undefined;
  const waiting = await unlessFault(async () => {
    await using queue = await openQueueToRead({ settings, paths });
    return { campaigns: await waitingCampaigns(queue, paths) };
  });
  return waiting && waiting.campaigns === undefined ? undefined : campaigns;
}

/** Undefined if it could not be read; other rows report that. */
async function unlessFault<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}

async function queueRows({
  loaded: { settings, values },
  paths,
}: Parameters<typeof checkConfigured>[0]): Promise<readonly Row[]> {
  const check = "queue";
  // Without queue.url, the queue is in the bucket.
  const source = values.find(({ key }) => key === "queue.url")?.source;
  const setting = source === "bucket.url" ? "bucket.url" : "queue.url";
  const left = await tasksLeftBehind(settings, paths);
  const leftRows: readonly Row[] =
    left === undefined ? [] : [{ check: "local queue", state: "warn", detail: left }];
  try {
    await using queue = await openQueueToRead({ settings, paths });
    const { pending, running, failed } = (await queue.stats()).states;
    const words = `${pending} pending, ${running} running, ${failed} failed`;
    const released = await readReleaseRecords(paths, queue, settings);
    return [
      { check, state: "ok", detail: `${settings.queue.url}: ${words}` },
      ...released.map((one): Row => ({ check, state: "warn", detail: releaseText(one) })),
      ...leftRows,
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "no_queue") {
      return [
        { check, state: "ok", detail: `${settings.queue.url}: created by the first task` },
        ...leftRows,
      ];
    }
    return [
      { check, state: "fail", detail: error.message, advice: `check ${setting}` },
      ...leftRows,
    ];
  }
}

async function browserRow({ loaded }: Parameters<typeof checkConfigured>[0]): Promise<Row> {
  const { browser, browserPath } = loaded.settings.crawl;
  const check = "browser";
  if (browser === "off") return { check, state: "ok", detail: "off: no page is rendered" };
  try {
    return { check, state: "ok", detail: await findBrowser(browserPath) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const advice =
      browser === "always"
        ? "no page can be read without it"
        : "pages that are empty without their scripts are not read; all others are";
    return { check, state: "warn", detail: error.message, advice };
  }
}

async function campaignRows({
  loaded: { settings },
  paths,
}: Parameters<typeof checkConfigured>[0]): Promise<readonly Row[]> {
  const folder = openCampaignFolder(paths);
  await using places = await openPlaces({ paths, bucket: settings.bucket });
  const rows: Row[] = [];
  for (const name of await folder.list()) {
    const check = `campaign ${name}`;
    try {
      const campaign = await folder.load(name);
      const file = folder.sourceFile(campaign);
      const missing =
        file === undefined || (await isReadable(file))
          ? undefined
          : missingFile(file, settings, await snapshotOf(places, campaign));
      rows.push({ check, ...(missing ?? { state: "ok", detail: "its config.toml is valid" }) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      rows.push({ check, state: "fail", detail: error.message, advice: "edit its config.toml" });
    }
  }
  return rows;
}

async function isReadable(file: string): Promise<boolean> {
  if (isRemoteFile(file)) return true;
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  );
}

/**
 * The snapshot of the campaign's file, here or in the bucket; undefined if there is none or the
 * bucket does not answer.
 */
const snapshotOf = async (places: Places, campaign: Campaign) =>
  (await unlessFault(() => places.known(campaign)))?.get("file");

/** A campaign can be planned from its file, or from tiles that any node has imported from it. */
function missingFile(
  file: string,
  settings: Settings,
  snapshot: SnapshotRelease | undefined,
): Finding {
  const isShared = settings.bucket.url !== undefined;
  const where = `its file of places ${file} is missing or cannot be read`;
  if (!takesKind(settings.work.pools, discoverKind)) {
    return { state: "ok", detail: "its config.toml is valid; work.pools has no discover tasks" };
  }
  if (snapshot) {
    const of = snapshot.dataTime === undefined ? "" : ` of ${snapshot.dataTime.slice(0, 10)}`;
    if (isShared) return { state: "ok", detail: `its places${of} are in the bucket` };
    const advice = "restore it to search newer places, or change sources.file of the campaign";
    return { state: "warn", detail: `${where}; its places${of} are kept`, advice };
  }
  return {
    state: isShared ? "warn" : "fail",
    detail: where,
    advice:
      "this node cannot plan from it: copy it there, or change sources.file of the campaign" +
      (isShared ? ", or dispatch the campaign on the node that has it" : ""),
  };
}
