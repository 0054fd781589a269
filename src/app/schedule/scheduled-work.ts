import { basename, dirname } from "node:path";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { membershipOf, openCampaignFolder } from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { NodeApi } from "../../node/index.ts";
import type { EventPublisher } from "../../notify/index.ts";
import { archiveOld, type Queue } from "../../queue/index.ts";
import {
  createCompanyWriter,
  ledgerSuppression,
  mergeDuplicates,
  type ExportFormat,
} from "../../records/index.ts";
import {
  compactWithoutBucket,
  type ScheduleAction,
  type ScheduleServices,
} from "../../schedule/index.ts";
import { addVisitBatch } from "../enrich/add-visit-batch.ts";
import { allCompanies } from "../campaign/all-companies.ts";
import { readCampaignReport } from "../campaign/campaign-report.ts";
import { addDueTasks, findDueTasks } from "../campaign/dispatch-campaign.ts";
import { compactLedger } from "../node/compact-ledger.ts";
import { websiteOf } from "../enrich/company-website.ts";
import { exportChanges } from "../exchange/export-changes.ts";
import { openNamedExport } from "../exchange/export-names.ts";
import { exportToFile } from "../exchange/export-file.ts";
import { openExportPosition } from "../exchange/export-position.ts";
import { exportCompanies } from "../exchange/export-records.ts";
import { uploadExport } from "../exchange/upload-export.ts";
import { hasFleetBucket } from "../bucket/fleet-bucket.ts";
import { publishKnown } from "../publish/publish-folder.ts";
import { removeExpired } from "../retention/expired-values.ts";
import { openPlaces } from "../places/open-places.ts";

export interface ScheduledWorkOptions {
  readonly settings: Settings;
  readonly paths: Paths;
  readonly node: Pick<NodeApi, "ledger" | "records">;
  readonly queue: Queue;
  /** Gets an event for each export that was written. */
  readonly publisher: EventPublisher;
  readonly clock: Clock;
  readonly log: Logger;
}

type Run = Parameters<ScheduleServices["runScheduled"]>[1];
type Action = (options: ScheduledWorkOptions, action: ScheduleAction, run: Run) => Promise<unknown>;

/** The actions of schedules on the node that runs the occurrence. */
export function createScheduledWork(options: ScheduledWorkOptions): ScheduleServices {
  return {
    scheduleQueue: options.queue,
    runScheduled: (action, run) => actions[action.kind](options, action, run),
  };
}

const actions: Readonly<Record<ScheduleAction["kind"], Action>> = {
  gather,
  rescrape,
  resolve: async ({ node }, _, { signal, progress }) => {
    let count = 0;
    const onMerged = () => progress(`${++count} merged`);
    return await mergeDuplicates(node.records, { signal, onMerged });
  },
  report: async (options, { campaign = "" }, { signal }) => {
    const given = { ...options, reader: options.node, name: campaign, maxAgeMs: 0, signal };
    const { at, alarms } = await readCampaignReport(given);
    return { at, alarms: alarms.length };
  },
  export: exportCampaign,
  publish: publishTarget,
  compact: async (options, _, { signal }) => {
    if (!hasFleetBucket(options)) {
      throw new AppError("invalid", "schedule_invalid", compactWithoutBucket);
    }
    const { status, checkpoint, datagrams } = await compactLedger({
      ...options,
      ledger: options.node.ledger,
      signal,
    });
    return { status, checkpoint: checkpoint ?? null, datagrams };
  },
  purge,
};

async function gather(
  options: ScheduledWorkOptions,
  { campaign: name = "" }: ScheduleAction,
  { signal, progress }: Run,
) {
  const { paths, settings, node, queue, clock } = options;
  const folder = openCampaignFolder(paths);
  const campaign = await folder.load(name);
  const { bucket, crawl } = settings;
  await using places = await openPlaces({
    paths,
    bucket,
    contact: crawl.contact,
    keepReleases: settings.places.keepReleases,
  });
  const due = await findDueTasks({
    campaign,
    folder,
    places,
    ledger: node.ledger,
    clock,
    signal,
  });
  await folder.writeTargets(name, due.targets);
  const onProgress = (added: number) => progress(`${added} tasks added`);
  const answers = await addDueTasks({ queue, campaign, due, nowMs: clock.nowMs(), onProgress });
  return { targets: due.targets.length, due: due.due, ...answers };
}

const filterOf = { email: "hasEmail", phone: "hasPhone", domain: "hasDomain" } as const;

async function rescrape(
  { paths, settings, node, queue, clock }: ScheduledWorkOptions,
  { missing = [], staleMs = 0 }: ScheduleAction,
  { schedule, occurrence, signal, progress }: Run,
) {
  const lacking = Object.fromEntries(missing.map((what) => [filterOf[what], false]));
  const filters = { isExcluded: false, ...lacking };
  const untilMs = clock.nowMs() - staleMs;
  const placed = [];
  for await (const page of allCompanies(node.records, { filters, signal })) {
    for (const company of page) {
      const { enrichedAt } = company.texts;
      const website = websiteOf(company);
      const isStale = enrichedAt === undefined || Date.parse(enrichedAt) <= untilMs;
      if (isStale && website !== undefined) placed.push({ company, website });
    }
  }
  const name = `${schedule}-${occurrence.slice(0, 16).replaceAll(/[:T]/g, "-")}`;
  const answers = await addVisitBatch({
    paths,
    settings,
    ledger: node.ledger,
    queue,
    clock,
    signal,
    name,
    at: new Date(clock.nowMs()).toISOString(),
    placed,
    onAdded: (count, total) => progress(`${count} of ${total} visits added`),
  });
  return { batch: name, chosen: placed.length, ...answers };
}

async function exportCampaign(
  options: ScheduledWorkOptions,
  { campaign: name = "", format = "csv", onlyNew, changes }: ScheduleAction,
  { schedule, occurrence, signal, progress }: Run,
) {
  const { paths, settings, node, publisher, clock } = options;
  const membership = membershipOf(await openCampaignFolder(paths).load(name));
  // Each attempt writes a new file, because rows are exported once and must stay until somebody has
  // read them.
  const moment = new Date(clock.nowMs()).toISOString().replaceAll(":", "-");
  const fileFormat = changes === undefined ? format : "jsonl";
  const base =
    changes !== undefined
      ? `${changes}-changes-${moment}`
      : onlyNew === undefined
        ? name
        : `${onlyNew}-${moment}`;
  const file = paths.resolve("campaigns", name, "exports", `${base}.${fileFormat}`);
  makeFolder(dirname(file), { mode: 0o700 });
  const place = { paths, settings, clock, signal };
  await using named = onlyNew === undefined ? undefined : await openNamedExport(place, onlyNew);
  await using position =
    changes === undefined ? undefined : await openExportPosition(place, changes, { isFeed: true });
  let count = 0;
  const common = {
    records: node.records,
    query: { filters: { isExcluded: false } },
    membership,
    suppressed: ledgerSuppression(node.ledger),
    legal: settings.legal,
    signal,
    onCompanies: (more: number) => progress(`${(count += more)} companies`),
  };
  let commit = () => named?.commit(clock.nowMs());
  const { rows } = await exportToFile({
    to: file,
    fileFormat,
    campaign: name,
    legal: settings.legal,
    nowMs: clock.nowMs(),
    async run(write) {
      if (position) {
        const done = await exportChanges({ ...common, write, position, nowMs: clock.nowMs() });
        await position.confirm();
        commit = () => done.commit();
        return done.counts;
      }
      const writer = createCompanyWriter({ format: format as ExportFormat });
      const counts = await exportCompanies({
        ...common,
        write,
        writer,
        choice: named?.companies,
      });
      await named?.confirm();
      return counts;
    },
  });
  const isShared = settings.bucket.url !== undefined;
  const key = isShared
    ? await uploadExport({ settings, paths, campaign: name, file, signal })
    : null;
  const data = {
    campaign: name,
    schedule,
    format: fileFormat,
    rows,
    file: basename(file),
    key,
  };
  // An export that is repeated after a crash has the same event.
  await publisher.publish({
    type: "export.ready",
    key: `${schedule} ${occurrence}`,
    atMs: clock.nowMs(),
    data,
  });
  // Last, so that rows that were not announced are exported again.
  await commit();
  return { file, rows, key };
}

/** Publishes a site again that was published from this data folder before. */
async function publishTarget(
  options: ScheduledWorkOptions,
  { target = "" }: ScheduleAction,
  { signal, progress }: Run,
) {
  const { node, paths, settings, queue, clock } = options;
  const onCompanies = (count: number) => progress(`${count} companies`);
  const published = await publishKnown(target, { reader: node, paths, settings, queue, clock, signal, onCompanies }); // prettier-ignore
  const { status, generation, written, body, hook } = published;
  return { status, generation, written, companies: body.companies, hook: hook?.text ?? null };
}

const dayMs = 86_400_000;

/**
 * Applies the retention rules now: to the queue, as workers also do from time to time, and to
 * people and personal addresses if the settings have an age for them.
 */
async function purge(
  { settings, queue, node, clock }: ScheduledWorkOptions,
  _: ScheduleAction,
  { signal, progress }: Run,
) {
  const { keepDoneDays, keepFailedDays, keepKeysDays } = settings.queue;
  const { archived, keysFreed } = await archiveOld(queue, {
    keepDoneMs: keepDoneDays * dayMs,
    keepFailedMs: keepFailedDays * dayMs,
    keepKeysMs: keepKeysDays * dayMs,
  });
  const { retention } = settings;
  const onRemoved = (count: number) => progress(`${count} old values of people deleted`);
  const options = { node, retention, nowMs: clock.nowMs(), signal, onRemoved };
  const { people, emails } = await removeExpired(options);
  return { archived, keysFreed, people, emails };
}
