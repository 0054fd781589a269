import { dirname } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { sleep } from "../../base/clock.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import {
  discoverKind,
  detailsKind,
  enrichKind,
  membershipOf,
  openCampaignFolder,
  type CampaignReport,
  resumeJob,
} from "../../campaign/index.ts";
import { isUnavailable } from "../../bucket/index.ts";
import { createPaths, userName, type Paths } from "../../config/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import type { Queue } from "../../queue/index.ts";
import { createCompanyWriter, ledgerSuppression } from "../../records/index.ts";
import type { CutProgress } from "../../sources/index.ts";
import { openOrMakeQueue } from "../queue/configured-queue.ts";
import { exportToFile, type ExportAbout } from "../exchange/export-file.ts";
import { exportCompanies } from "../exchange/export-records.ts";
import { uploadExport, type UploadExportOptions } from "../exchange/upload-export.ts";
import { openPlaces } from "../places/open-places.ts";
import { pausedFor } from "../outcome/paused-jobs.ts";
import { countVisits } from "../outcome/visit-counts.ts";
import { openWork, type WorkOptions } from "../work/open-work.ts";
import type { WorkOutcome } from "../work/work-outcome.ts";
import { openCampaignConfigs } from "./campaign-configs.ts";
import { readCampaignReport } from "./campaign-report.ts";
import { addDueTasks, findDueTasks } from "./dispatch-campaign.ts";
import { resumeWithinBudget } from "./resume-campaign.ts";

export interface RunCampaignOptions {
  readonly name: string;
  /** The options of the worker processes; draining is set here. */
  readonly work: WorkOptions;
  readonly openReader: () => Promise<NodeReadApi & AsyncDisposable>;
  readonly signal: AbortSignal;
  readonly onPlanned?: (planned: RunPlan) => void;
  /** Called if the job of the campaign was paused and is resumed. */
  readonly onResumed?: (reason: string | undefined) => void;
  readonly onCut?: (progress: CutProgress) => void;
  readonly onProgress?: (progress: RunProgress) => void;
}

export interface RunPlan {
  readonly targets: number;
  readonly due: number;
  readonly tilesToAsk: number;
}

/** Finished tiles and websites, out of those known so far: places add new websites. */
export interface RunProgress {
  readonly ended: number;
  readonly total: number;
  readonly tilesLeft: number;
  readonly websitesRead: number;
  readonly websitesNotRead: number;
}

export interface CampaignRun {
  readonly report: CampaignReport;
  /** The path of the CSV file, and its contents. */
  readonly file: string;
  readonly about: ExportAbout;
  /** Its key in the bucket; undefined without a bucket, or if the run was stopped. */
  readonly key: string | undefined;
  /** Why it could not be copied into the bucket. The run does not fail because of that. */
  readonly keyError: AppError | undefined;
  /** Undefined if there was nothing to do. */
  readonly work: WorkOutcome | undefined;
  /** Unfinished tasks of the campaign. */
  readonly left: number;
  readonly failed: number;
}

/**
 * Runs a campaign from plan to export on this machine. It can be killed at any time and run again:
 * it does not repeat targets with a fresh witness or visits that are still valid, and it retries
 * failed tasks.
 */
export async function runCampaign(options: RunCampaignOptions): Promise<CampaignRun> {
  const { name, signal } = options;
  const { settings } = options.work.loaded;
  const paths = createPaths(settings.data);
  await shareConfig(options, paths);
  const contact = (await openCampaignFolder(paths).load(name)).politeness.contact;
  if (contact === undefined && settings.crawl.contact === undefined) throw noContact(name);
  await planAndDispatch(options, paths);
  const work = signal.aborted ? undefined : await workOff(options, paths);
  return { work, ...(await reportAndExport(options, paths)) };
}

/** Other machines of the fleet use the configuration in the bucket. */
async function shareConfig({ name, work, signal }: RunCampaignOptions, paths: Paths) {
  const { loaded, clock, log } = work;
  const { settings } = loaded;
  await using configs = openCampaignConfigs(
    { settings, paths, clock, log, signal },
    `hand:${userName()}`,
  );
  try {
    await configs.share(name);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    log.warn("could not share the configuration of the campaign", { campaign: name, error });
  }
}

async function planAndDispatch(options: RunCampaignOptions, paths: Paths): Promise<void> {
  const { name, signal, onCut, onPlanned, onResumed } = options;
  const { clock, loaded } = options.work;
  const { settings } = loaded;
  const folder = openCampaignFolder(paths);
  const campaign = await folder.load(name);
  const cut = onCut && { onProgress: onCut };
  await using places = await openPlaces({
    paths,
    bucket: settings.bucket,
    contact: settings.crawl.contact,
    keepReleases: settings.places.keepReleases,
    ...cut,
  });
  await using reader = await options.openReader();
  const { ledger } = reader;
  const due = await findDueTasks({ campaign, folder, places, ledger, clock, signal });
  await folder.writeTargets(name, due.targets);
  onPlanned?.({ targets: due.targets.length, due: due.due, tilesToAsk: due.chosen.length });
  await using queue = await openOrMakeQueue({ settings, paths, loaded });
  const topUp = { isRematch: false };
  await addDueTasks({ queue, campaign, due, topUp, nowMs: clock.nowMs() });
  const job = await queue.job(name);
  if (job && job.failed > 0) await queue.retry({ job: name, states: ["failed"] });
  const { records } = reader;
  const queueUrl = settings.queue.url;
  const budget = { campaign, queue, queueUrl, paths, clock, ledger, records };
  // Running a campaign means that it should continue, even if it was paused.
  const why = pausedFor(paths, name);
  const status = await resumeWithinBudget(budget);
  if (status === "paused") await resumeJob(queue, name, { nowMs: clock.nowMs() });
  if (status === "paused" || status === "resumed") onResumed?.(why);
}

const lookMs = 500;

/** Runs workers until the campaign has no work left or is stopped. */
async function workOff(
  options: RunCampaignOptions,
  paths: Paths,
): Promise<WorkOutcome | undefined> {
  const { name, signal, onProgress = () => {} } = options;
  const { clock, loaded } = options.work;
  await using queue = await openOrMakeQueue({ settings: loaded.settings, paths });
  if ((await leftOf(queue, name)) === 0) return undefined;
  await using work = await openWork({
    ...options.work,
    start: { ...options.work.start, isDraining: true },
  });
  const tilesAtFirst = await tilesLeft(queue);
  let total = 0;
  const look = async () => {
    const { kinds } = await queue.stats();
    const live = (kind: string) => {
      const found = kinds.find((one) => one.kind === kind);
      return (found?.pending ?? 0) + (found?.running ?? 0);
    };
    const tiles = live(discoverKind) + live(detailsKind);
    const { read: websitesRead, notRead: websitesNotRead } = countVisits(work.summary().visits);
    const ended = Math.max(0, tilesAtFirst - tiles) + websitesRead + websitesNotRead;
    // The total never shrinks: between two requests, a visit has no task for a moment.
    total = Math.max(total, ended + tiles + live(enrichKind));
    onProgress({ ended, total, tilesLeft: tiles, websitesRead, websitesNotRead });
  };
  const looking = new AbortController();
  const isDone = async () => {
    while (!looking.signal.aborted && (await leftOf(queue, name)) > 0) {
      await look();
      await sleep(clock, lookMs, looking.signal).catch(() => {});
    }
  };
  const stop = () => looking.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await work.start();
    await Promise.race([work.ended, isDone()]);
  } finally {
    stop();
    signal.removeEventListener("abort", stop);
    await work.stop();
  }
  await look();
  return await work.outcome();
}

/** The unfinished tasks of the campaign's job, of all kinds. */
async function leftOf(queue: Pick<Queue, "job">, name: string): Promise<number> {
  const job = await queue.job(name);
  return (job?.pending ?? 0) + (job?.running ?? 0);
}

async function tilesLeft(queue: Pick<Queue, "stats">): Promise<number> {
  const { kinds } = await queue.stats();
  return kinds
    .filter(({ kind }) => kind === discoverKind || kind === detailsKind)
    .reduce((sum, { pending, running }) => sum + pending + running, 0);
}

async function reportAndExport(
  { name, work: { clock, loaded }, openReader, signal }: RunCampaignOptions,
  paths: Paths,
): Promise<Omit<CampaignRun, "work">> {
  const { settings } = loaded;
  await using reader = await openReader();
  await using queue = await openOrMakeQueue({ settings, paths });
  const common = { name, paths, settings, clock, reader, queue };
  const report = await readCampaignReport({ ...common, maxAgeMs: 0 });
  const file = paths.resolve("campaigns", name, "exports", `${name}.csv`);
  makeFolder(dirname(file), { mode: 0o700 });
  const membership = membershipOf(await openCampaignFolder(paths).load(name));
  const about = await exportToFile({
    to: file,
    fileFormat: "csv",
    campaign: name,
    legal: settings.legal,
    nowMs: clock.nowMs(),
    run: (write) =>
      exportCompanies({
        records: reader.records,
        query: { filters: { isExcluded: false } },
        membership,
        suppressed: ledgerSuppression(reader.ledger),
        writer: createCompanyWriter({ format: "csv" }),
        write,
        // Write the file even if the run was stopped, because the results so far are useful.
        signal: new AbortController().signal,
      }),
  });
  const copied = await copyToBucket({ settings, paths, campaign: name, file, signal });
  const job = await queue.job(name);
  const left = (job?.pending ?? 0) + (job?.running ?? 0);
  return { report, file, about, ...copied, left, failed: job?.failed ?? 0 };
}

async function copyToBucket(
  options: UploadExportOptions,
): Promise<Pick<CampaignRun, "key" | "keyError">> {
  const { settings, signal } = options;
  if (settings.bucket.url === undefined || signal.aborted)
    return { key: undefined, keyError: undefined };
  try {
    return { key: await uploadExport(options), keyError: undefined };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { key: undefined, keyError: error };
  }
}

const noContact = (name: string) =>
  new AppError(
    "invalid",
    "campaign_contact",
    `campaign ${name} visits websites, but has no contact for their owners, which is sent in the User-Agent: set ` +
      "crawl.contact in forager.toml, or contact under [politeness] of the campaign",
  );
