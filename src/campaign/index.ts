export type { Campaign, OverpassSettings } from "./campaign.ts";
export {
  campaignNameRule,
  campaignNameWords,
  fileSourceKey,
  isFileKey,
  placeFileKey,
  hasSource,
  overpassSourceKey,
  sourceKeysOf,
} from "./campaign.ts";
export {
  defaultsName,
  openCampaignFolder,
  readUtf8,
  type CampaignFolder,
} from "./config/campaign-folder.ts";
export type { CompanyField, CompanyWriter } from "./places/company-writer.ts";
export {
  campaignCoverage,
  countCells,
  coverageStates,
  type CoverageCell,
  type CoverageOptions,
} from "./coverage/coverage.ts";
export { coverageGeoJson, coverageKml } from "./coverage/coverage-maps.ts";
export { createDetailsHandler, detail } from "./places/details.ts";
export { createDiscoverHandler, discover, type Discovered } from "./places/discover.ts";
export {
  chooseBatch,
  addsAtOnce,
  dispatch,
  dueTargets,
  groupByTask,
  type Dispatched,
} from "./dispatch.ts";
export { batchLine, evaluate, sumUp } from "./enrich/batch.ts";
export type { Batch, BatchLine, Evaluated } from "./enrich/batch.ts";
export { openBatchFiles } from "./enrich/batch-file.ts";
export { createEnrichHandler, noContact } from "./enrich/enrich.ts";
export { createFirstVisits, firstHosts } from "./enrich/first-visits.ts";
export { createEnrichCounts } from "./enrich/enrich-counts.ts";
export { paceOf, setPace } from "./enrich/pace.ts";
export { resumeJob } from "./enrich/resume-job.ts";
export type { CrawlSettings, EnrichServices, KeptPage, SiteSettings } from "./enrich/services.ts";
export { extractorVersion, isVisitFresh } from "./enrich/visit-freshness.ts";
export { firstTask, gateOf } from "./enrich/visit-task.ts";
export { estimateCampaign, type PastVisits } from "./estimate/estimate.ts";
export { readEstimate, writeEstimate } from "./estimate/estimate-file.ts";
export {
  estimateFigures,
  type CampaignEstimate,
  type EstimateFigureName,
} from "./estimate/estimate-schema.ts";
export { createPlaceCounter } from "./estimate/place-counts.ts";
export { createCompanyAudit } from "./audit/audit.ts";
export type { AuditFinding } from "./audit/audit-schema.ts";
export { budgetStatus, budgetText, type BudgetSources } from "./budget/budget.ts";
export { createBudgetGuard, withinBudget, type BudgetServices } from "./budget/budget-guard.ts";
export {
  createCompanyLimit,
  type CompanyCounts,
  type CountedCompanies,
} from "./budget/company-limit.ts";
export { type BudgetStatus } from "./budget/budget-schema.ts";
export { suggestCampaign, type SuggestedCampaign } from "./init/suggest-campaign.ts";
export { locateTown, radiusKm } from "./places/locate-town.ts";
export { readLayers, withFields } from "./config/config-layers.ts";
export { checkCampaignField, parseCampaign } from "./config/parse-campaign.ts";
export type { ConfigValue } from "./config/config-values.ts";
export { openOverpassGate, overpassAdvice } from "./places/overpass-plan.ts";
export { createPhraseCache, meaningHash } from "./places/phrase-meaning.ts";
export { planTargets, planTiles, type Target } from "./plan.ts";
export { buildCampaignReport } from "./report/build-report.ts";
export { membershipOf, type Membership } from "./report/membership.ts";
export { campaignReportSchema, type CampaignReport } from "./report/report-schema.ts";
export { createResolveHandler, resolveTask, type ResolveServices } from "./resolve-task.ts";
export { createTopUpHandler, topUpKind, topUpTask, type TopUpServices } from "./top-up.ts";
export { resourceName } from "./config/resource-name.ts";
export {
  isEditedHere,
  openSharedConfigs,
  type ConfigLock,
  type SharedConfigs,
} from "./config/shared-config.ts";
export type { CampaignServices, CampaignSource } from "./services.ts";
export type { ClosingServices, TileCompany } from "./places/closed-places.ts";
export { campaignStatus, type CampaignStatus } from "./status.ts";
export { detailsKind, discoverKind, discoverSchema, enrichKind } from "./tasks.ts";
export { mayHave, surveyPlaces, type Survey, type SurveyOptions } from "./places/survey.ts";
export { campaignTemplate, type TemplateOptions } from "./config/template.ts";
export { readWitnesses, tileTarget, witnessOf } from "./witness.ts";
export type { Question, Witness, Witnesses } from "./witness.ts";
