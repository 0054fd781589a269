import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Paths } from "../config/index.ts";
import type { DeployReport } from "../ship/index.ts";
import type { FinishedUpgrade, FinishUpgradeOptions } from "./node/finish-upgrade.ts";
import type { RunDeployOptions } from "./deploy/run-deploy.ts";

// Every command imports this file, so it must load little: what only some commands need is imported
// on demand. This halves the start time; test/tidy.test.ts checks it.
export { openQueue, type OpenQueueOptions } from "./queue/open-queue.ts";
export {
  openExistingQueue,
  openOrMakeQueue,
  openQueueToRead,
  queueOptions,
} from "./queue/configured-queue.ts";
export { locateQueue } from "./queue/queue-address.ts";
export { openBucket, openMeteredBucket, parseS3 } from "./bucket/open-bucket.ts";
export { createBucket } from "./bucket/create-bucket.ts";
export { dayOf, openUsageRecord, readUsage } from "./bucket/usage-record.ts";
export {
  existingBucketAddress,
  fleetBucketAddress,
  hasFleetBucket,
  openFleetBucket,
  openFleetBucketFor,
  openRetryingFleetBucket,
} from "./bucket/fleet-bucket.ts";
export { openFetcher, type OpenFetcherOptions } from "./enrich/open-fetcher.ts";
export { websiteOf } from "./enrich/company-website.ts";
export type { CompanyToVisit, VisitBatchCounts } from "./enrich/add-visit-batch.ts";
export { importPlaces } from "./places/import-places.ts";
export { openPlaces, type Places } from "./places/open-places.ts";
export { hubPartsIn, openLedgerReader } from "./node/open-ledger.ts";
export type { NodeReader } from "./node/open-node-reader.ts";
/** Opens a data folder for writing, for one command. */
export const loadNode = () => import("./node/open-node.ts");
/** Opens a data folder for a long-running process. */
export const loadServiceNode = () => import("./node/open-service-node.ts");
export { ownKeyAdvice } from "./node/gossip-key-source.ts";
export type { OpenFleet } from "./node/open-fleet.ts";
export type { CampaignState } from "./campaign/campaign-state.ts";
export type { ClusterStatus, NodeStatus } from "./status/cluster-status.ts";
export type { Work, WorkOptions } from "./work/open-work.ts";
export { parseConcurrency } from "./work/pools.ts";
export type { UpOptions } from "./up/open-up.ts";
export type { Webhooks } from "./webhooks/open-webhooks.ts";
export type { UpPart } from "./up/parts.ts";
/** Writes settings and a first campaign. */
export const loadInit = async () => ({
  ...(await import("./campaign/init-folder.ts")),
  ...(await import("./campaign/place-samples.ts")),
});
/** Deploys releases to hosts. */
export const finishUpgrade = async (options: FinishUpgradeOptions): Promise<FinishedUpgrade> =>
  (await import("./node/finish-upgrade.ts")).finishUpgrade(options);
export const runDeploy = async (options: RunDeployOptions): Promise<DeployReport> =>
  (await import("./deploy/run-deploy.ts")).runDeploy(options);
/** Creates and restores backups of data folders. */
export const loadBackup = async () => ({
  ...(await import("./backup/create-backup.ts")),
  ...(await import("./backup/restore-backup.ts")),
});
/** Finishes an interrupted restore. Ignores a folder that cannot be used: the command that uses it reports that. */
export const finishRestore = async (paths: Paths, data: string) => {
  if (!existsSync(join(data, "restoring"))) return;
  await (await import("./backup/replace-content.ts")).finishRestore(paths);
};
/** Publishes static sites. */
export const loadPublish = async () => ({
  ...(await import("./publish/publish-folder.ts")),
  ...(await import("./publish/site-target.ts")),
  ...(await import("./publish/report-times.ts")),
  ...(await import("./publish/known-sites.ts")),
});
export type { PublishedFolder } from "./publish/publish-folder.ts";
/** Plans and dispatches campaigns. */
export const loadCampaignWork = async () => ({
  ...(await import("./campaign/dispatch-campaign.ts")),
  ...(await import("./campaign/resume-campaign.ts")),
});
export type { ResumeOutcome } from "./campaign/resume-campaign.ts";
/** The checks of `forager doctor`. */
export const loadDoctor = async () => ({
  ...(await import("./doctor/run-checks.ts")),
  ...(await import("./doctor/configured-checks.ts")),
  ...(await import("./doctor/bucket-checks.ts")),
  ...(await import("./doctor/rights-checks.ts")),
  ...(await import("./doctor/site-checks.ts")),
});
export type { Finding } from "./doctor/check.ts";
export type { NamedFinding } from "./doctor/run-checks.ts";
export const loadCampaignPlan = () => import("./campaign/plan-campaign.ts");
export const loadCampaignAudit = () => import("./campaign/audit-campaigns.ts");
export type { CampaignAudit } from "./campaign/audit-campaigns.ts";
export const loadCampaignEstimate = () => import("./campaign/estimate-campaign.ts");
export type { CampaignPlan, PlannedRequests, PlannedSource } from "./campaign/plan-campaign.ts";
export { checkRemovable, removeCampaign } from "./campaign/remove-campaign.ts";
export type { CampaignRun, RunProgress } from "./campaign/run-campaign.ts";
export type { CampaignConfigs, EditedConfig, SavedConfig } from "./campaign/campaign-configs.ts";
export type { UnfetchedChanges } from "./campaign/unfetched-changes.ts";
export type { CampaignCoverage } from "./campaign/campaign-view.ts";
export { openWholeFile } from "./exchange/whole-file.ts";
export type { ExportedChanges } from "./exchange/export-changes.ts";
export type { NamedExport } from "./exchange/export-names.ts";
export type { ExportPositionOptions } from "./exchange/export-position.ts";
export type { ExportCounts, ExportOptions } from "./exchange/export-records.ts";
export type { EnrichedCounts } from "./exchange/enriched-file.ts";
export type { LineOptions } from "./exchange/company-lines.ts";
export type { ImportReport } from "./exchange/import-lines.ts";
export { missingFolder } from "./bucket/bucket-folder.ts";
export { findingText } from "./preflight/finding-text.ts";
export type { PreflightOptions } from "./preflight/preflight.ts";
export type { ExpiredValue } from "./retention/expired-values.ts";
export type { ListNamesOptions } from "./list-names.ts";
export { readReleaseRecords, type ReleaseRecord } from "./work/release-records.ts";
export type { WorkOutcome } from "./work/work-outcome.ts";
export { isPartial, jobTroubleTexts, outcomeOfJob } from "./outcome/job-troubles.ts";
export { countVisits, isNothingRead } from "./outcome/visit-counts.ts";
export { reasonText, visitText } from "./outcome/visit-text.ts";
export type { WorkSummary } from "./work/work-summary.ts";
export {
  addVisitBatch,
  compactLedger,
  exportChanges,
  exportCompanies,
  exportEmails,
  exportToFile,
  findRunningServer,
  commandFleet,
  importFile,
  listNames,
  moveQueue,
  askForLogs,
  pausedFor,
  readAttempts,
  preflight,
  readUnvisited,
  requireBucket,
  writeEnrichedFile,
  openBuiltInWork,
  openExportPosition,
  openFleet,
  openIdleNode,
  openNamedExport,
  openNodeReader,
  openAccountService,
  openServe,
  openStatusReader,
  openUp,
  openAudit,
  openWebhooks,
  openWork,
  readCampaignCoverage,
  checkEmails,
  createMailResolver,
  readCampaignReport,
  readExpired,
  removeExpired,
  fetchMissingConfigs,
  openCampaignConfigs,
  readCampaignState,
  readUnfetchedChanges,
  runCampaign,
  uploadExport,
  readStatus,
} from "./node/load-parts.ts";
