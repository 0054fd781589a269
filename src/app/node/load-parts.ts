import type { ChangesOptions, ExportedChanges } from "../exchange/export-changes.ts";
import type { NamedExport } from "../exchange/export-names.ts";
import type { ExportPosition, ExportPositionOptions } from "../exchange/export-position.ts";
import type { MailResolver } from "../../crawl/index.ts";
import type { DnsMailResolverOptions } from "../../crawl/adapters/dns/dns-mail-resolver.ts";
import type { CheckedEmails, CheckEmailsOptions } from "../enrich/check-emails.ts";
import type {
  ExpiredValues,
  RemovedValues,
  RemoveExpiredOptions,
  RetentionOptions,
} from "../retention/expired-values.ts";
import type { BuiltInWork, BuiltInWorkOptions } from "../work/built-in-work.ts";
import type { CampaignReport, CoverageOptions } from "../../campaign/index.ts";
import type { Paths, Settings } from "../../config/index.ts";
import type { Company, EmailRow } from "../../records/index.ts";
import type { CampaignConfigs, CampaignConfigsOptions } from "../campaign/campaign-configs.ts";
import type { CampaignReportOptions } from "../campaign/campaign-report.ts";
import type { CampaignRun, RunCampaignOptions } from "../campaign/run-campaign.ts";
import type { CampaignCoverage, CampaignViewOptions } from "../campaign/campaign-view.ts";
import type { CampaignState, CampaignStateOptions } from "../campaign/campaign-state.ts";
import type { FetchConfigsOptions } from "../campaign/fetch-missing-configs.ts";
import type { UnfetchedChanges, UnfetchedOptions } from "../campaign/unfetched-changes.ts";
import type { ExportAbout, ExportFileOptions } from "../exchange/export-file.ts";
import type { UploadExportOptions } from "../exchange/upload-export.ts";
import type { ExportCounts, ExportOptions } from "../exchange/export-records.ts";
import type { EnrichedCounts, EnrichedFileOptions } from "../exchange/enriched-file.ts";
import type { Queue } from "../../queue/index.ts";
import type { Clock } from "../../base/clock.ts";
import type { LogWish } from "./ask-for-logs.ts";
import type { FleetCommand, GivenCommand } from "./fleet-command.ts";
import type { FileImport, ImportFileOptions } from "../exchange/import-file.ts";
import type { ListNamesOptions } from "../list-names.ts";
import type { MovedQueue, MoveQueueOptions } from "../queue/move-queue.ts";
import type { PreflightFinding, PreflightOptions } from "../preflight/preflight.ts";
import type { IdleNode, IdleNodeOptions } from "./open-idle-node.ts";
import type { NodeReader, OpenNodeReaderOptions } from "./open-node-reader.ts";
import type { OpenFleet, OpenFleetOptions } from "./open-fleet.ts";
import type { AccountService, OpenAccountsOptions } from "../open-accounts.ts";
import type { Serve, ServeOptions } from "../serve/open-serve.ts";
import type { RunningServer, RunningServerOptions } from "../serve/running-server.ts";
import type { ClusterStatus } from "../status/cluster-status.ts";
import type { StatusOptions } from "../status/gather-status.ts";
import type { StatusReader } from "../status/read-status.ts";
import type { Up, UpOptions } from "../up/open-up.ts";
import type { AuditLog } from "../../audit/index.ts";
import type { OpenAuditOptions } from "../open-audit.ts";
import type { Webhooks, WebhooksOptions } from "../webhooks/open-webhooks.ts";
import type { SeenAttempt } from "../../worker/index.ts";
import type { AttemptQuery } from "../work/attempt-records.ts";
import type { Work, WorkOptions } from "../work/open-work.ts";

import type { CompactLedgerOptions } from "./compact-ledger.ts";
import type { VisitBatchCounts, VisitBatchOptions } from "../enrich/add-visit-batch.ts";
import type { Compacted } from "../../ledger/index.ts";

// These functions load their modules on demand, so that other commands do not wait for them.

/** See `read-attempts.ts`. */
export async function readAttempts(
  options: Omit<OpenFleetOptions, "isReader">,
  query: AttemptQuery,
): Promise<readonly SeenAttempt[]> {
  return (await import("./read-attempts.ts")).readAttempts(options, query);
}

/** See `ask-for-logs.ts`. */
export async function askForLogs(
  fleet: Pick<OpenFleet, "desired">,
  wish: LogWish,
): Promise<number> {
  return (await import("./ask-for-logs.ts")).askForLogs(fleet, wish);
}

/** See `open-fleet.ts`. */
export async function openFleet(options: OpenFleetOptions): Promise<OpenFleet> {
  return (await import("./open-fleet.ts")).openFleet(options);
}

/** See `outcome/paused-jobs.ts`. */
export async function pausedFor(paths: Paths, job: string): Promise<string | undefined> {
  return (await import("../outcome/paused-jobs.ts")).pausedFor(paths, job);
}

/** See `outcome/unvisited.ts`. */
export async function readUnvisited(
  queue: Pick<Queue, "job" | "ended">,
  job: string,
): Promise<ReadonlyMap<string, string>> {
  return (await import("../outcome/unvisited.ts")).readUnvisited(queue, job);
}

/** See `preflight/reachable-bucket.ts`. */
export async function requireBucket(settings: Settings, paths: Paths): Promise<string | undefined> {
  return (await import("../preflight/reachable-bucket.ts")).requireBucket(settings, paths);
}

/** See `open-audit.ts`. */
export async function openAudit(options: OpenAuditOptions): Promise<AuditLog> {
  return (await import("../open-audit.ts")).openAudit(options);
}

/** See `webhooks/open-webhooks.ts`. */
export async function openWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  return (await import("../webhooks/open-webhooks.ts")).openWebhooks(options);
}

/** See `list-names.ts`. */
export async function listNames(options: ListNamesOptions): Promise<readonly string[]> {
  return (await import("../list-names.ts")).listNames(options);
}

/** See `status/read-status.ts`. */
export async function readStatus(options: StatusOptions): Promise<ClusterStatus> {
  return (await import("../status/read-status.ts")).readStatus(options);
}

/** See `status/read-status.ts`. */
export async function openStatusReader(options: StatusOptions): Promise<StatusReader> {
  return (await import("../status/read-status.ts")).openStatusReader(options);
}

/** See `preflight/preflight.ts`. */
export async function waitingCampaigns(
  queue: Pick<Queue, "stats" | "jobs">,
  paths: Paths,
): Promise<PreflightOptions["campaigns"]> {
  return (await import("../preflight/preflight.ts")).waitingCampaigns(queue, paths);
}

/** See `preflight/preflight.ts`. */
export async function preflight(options: PreflightOptions): Promise<readonly PreflightFinding[]> {
  return (await import("../preflight/preflight.ts")).preflight(options);
}

/** Finds the Chromium for rendering pages. Throws an AppError if there is none. */
export async function findBrowser(configured: string | undefined): Promise<string> {
  const { findChromium } = await import("../../crawl/adapters/browser/find-chromium.ts");
  return findChromium(configured);
}

/** See `move-queue.ts`. */
export async function moveQueue(options: MoveQueueOptions): Promise<MovedQueue> {
  return (await import("../queue/move-queue.ts")).moveQueue(options);
}

/**
 * See `built-in-work.ts`. Loading it is slow: it includes the phone number rules of all countries.
 */
export async function openBuiltInWork(options: BuiltInWorkOptions): Promise<BuiltInWork> {
  return (await import("../work/built-in-work.ts")).createBuiltInWork(options);
}

/** See `fleet-command.ts`. */
export async function commandFleet(
  fleet: OpenFleet,
  command: FleetCommand,
  clock: Clock,
): Promise<GivenCommand> {
  return (await import("./fleet-command.ts")).commandFleet(fleet, command, clock);
}

/** See `campaign/campaign-state.ts`. */
export async function readCampaignState(
  name: string,
  options: CampaignStateOptions,
): Promise<CampaignState> {
  return (await import("../campaign/campaign-state.ts")).readCampaignState(name, options);
}

/** See `campaign/fetch-missing-configs.ts`. */
export async function fetchMissingConfigs(
  options: FetchConfigsOptions,
  name?: string,
): Promise<string | undefined> {
  const { fetchMissingConfigs: fetchThem } = await import("../campaign/fetch-missing-configs.ts");
  return fetchThem(options, name);
}

/** See `campaign/unfetched-changes.ts`. */
export async function readUnfetchedChanges(
  options: UnfetchedOptions,
): Promise<UnfetchedChanges | undefined> {
  return (await import("../campaign/unfetched-changes.ts")).readUnfetchedChanges(options);
}

/** See `campaign/campaign-configs.ts`. */
export async function openCampaignConfigs(
  options: CampaignConfigsOptions,
  by: string,
): Promise<CampaignConfigs> {
  return (await import("../campaign/campaign-configs.ts")).openCampaignConfigs(options, by);
}

/** See `serve/open-serve.ts`. */
export async function openServe(options: ServeOptions): Promise<Serve> {
  return (await import("../serve/open-serve.ts")).openServe(options);
}

/** See `open-accounts.ts`. */
export async function openAccountService(options: OpenAccountsOptions): Promise<AccountService> {
  return (await import("../open-accounts.ts")).openAccountService(options);
}

/** See `serve/running-server.ts`. */
export async function findRunningServer(options: RunningServerOptions): Promise<RunningServer> {
  return (await import("../serve/running-server.ts")).findRunningServer(options);
}

/** See `open-idle-node.ts`. */
export async function openIdleNode(options: IdleNodeOptions): Promise<IdleNode> {
  return (await import("./open-idle-node.ts")).openIdleNode(options);
}

/** See `work/open-work.ts`. */
export async function openWork(options: WorkOptions): Promise<Work> {
  return (await import("../work/open-work.ts")).openWork(options);
}

/** See `up/open-up.ts`. */
export async function openUp(options: UpOptions): Promise<Up> {
  return (await import("../up/open-up.ts")).openUp(options);
}

/** See `exchange/import-file.ts`. */
export async function importFile(options: ImportFileOptions): Promise<FileImport> {
  return (await import("../exchange/import-file.ts")).importFile(options);
}

/** See `exchange/enriched-file.ts`. */
export async function writeEnrichedFile(options: EnrichedFileOptions): Promise<EnrichedCounts> {
  return (await import("../exchange/enriched-file.ts")).writeEnrichedFile(options);
}

/** See `open-node-reader.ts`. */
export async function openNodeReader(options: OpenNodeReaderOptions): Promise<NodeReader> {
  return (await import("./open-node-reader.ts")).openNodeReader(options);
}

/** See `campaign/campaign-report.ts`. */
export async function readCampaignReport(options: CampaignReportOptions): Promise<CampaignReport> {
  return (await import("../campaign/campaign-report.ts")).readCampaignReport(options);
}

/** See `campaign/campaign-view.ts`. */
export async function readCampaignCoverage(
  options: CampaignViewOptions & Pick<CoverageOptions, "by">,
): Promise<CampaignCoverage> {
  return (await import("../campaign/campaign-view.ts")).readCampaignCoverage(options);
}

/** See `exchange/export-records.ts`. */
export async function exportCompanies(options: ExportOptions<Company>): Promise<ExportCounts> {
  return (await import("../exchange/export-records.ts")).exportCompanies(options);
}

/** See `exchange/export-records.ts`. */
export async function exportEmails(
  options: ExportOptions<EmailRow> & { readonly sitesMax: number },
): Promise<ExportCounts> {
  return (await import("../exchange/export-records.ts")).exportEmails(options);
}

/** See `exchange/export-file.ts`. */
export async function exportToFile<Counts extends ExportCounts>(
  options: ExportFileOptions<Counts>,
): Promise<ExportAbout & Counts> {
  return (await import("../exchange/export-file.ts")).exportToFile(options);
}

/** See `exchange/export-names.ts`. */
export async function openNamedExport(
  options: ExportPositionOptions,
  name: string,
): Promise<NamedExport> {
  return (await import("../exchange/export-names.ts")).openNamedExport(options, name);
}

/** See `exchange/export-position.ts`. */
export async function openExportPosition(
  options: ExportPositionOptions,
  name: string,
  more?: { readonly isFeed?: boolean },
): Promise<ExportPosition> {
  return (await import("../exchange/export-position.ts")).openExportPosition(options, name, more);
}

/** See `exchange/export-changes.ts`. */
export async function exportChanges(options: ChangesOptions): Promise<ExportedChanges> {
  return (await import("../exchange/export-changes.ts")).exportChanges(options);
}

/** See `campaign/run-campaign.ts`. */
export async function runCampaign(options: RunCampaignOptions): Promise<CampaignRun> {
  return (await import("../campaign/run-campaign.ts")).runCampaign(options);
}

/** See `exchange/upload-export.ts`. */
export async function uploadExport(options: UploadExportOptions): Promise<string> {
  return (await import("../exchange/upload-export.ts")).uploadExport(options);
}

/** See `add-visit-batch.ts`. */
export async function addVisitBatch(options: VisitBatchOptions): Promise<VisitBatchCounts> {
  return (await import("../enrich/add-visit-batch.ts")).addVisitBatch(options);
}

/** See `retention/expired-values.ts`. */
export async function readExpired(options: RetentionOptions): Promise<ExpiredValues> {
  return (await import("../retention/expired-values.ts")).readExpired(options);
}

/** See `retention/expired-values.ts`. */
export async function removeExpired(options: RemoveExpiredOptions): Promise<RemovedValues> {
  return (await import("../retention/expired-values.ts")).removeExpired(options);
}

/** See `check-emails.ts`. */
export async function checkEmails(options: CheckEmailsOptions): Promise<CheckedEmails> {
  return (await import("../enrich/check-emails.ts")).checkEmails(options);
}

/** Queries DNS, at `server` or with the servers of the system. */
export async function createMailResolver(options: DnsMailResolverOptions): Promise<MailResolver> {
  const { createDnsMailResolver } = await import("../../crawl/adapters/dns/dns-mail-resolver.ts");
  return createDnsMailResolver(options);
}

/** See `compact-ledger.ts`. */
export async function compactLedger(options: CompactLedgerOptions): Promise<Compacted> {
  return (await import("./compact-ledger.ts")).compactLedger(options);
}
