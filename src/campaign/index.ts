export type {
  Campaign,
  Exclusions,
  Freshness,
  Location,
  OverpassSettings,
  CampaignPoliteness,
} from "./campaign.ts";
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
export { companyFacts, type CompanyFacts, type UnreadValue } from "./places/company-fields.ts";
export type {
  CompanyField,
  CompanyWriter,
  FoundCompany,
  PutCompany,
} from "./places/company-writer.ts";
export {
  campaignCoverage,
  countCells,
  coverageStates,
  type CoverageCell,
  type CoverageCounts,
  type CoverageOptions,
  type CoverageState,
} from "./coverage/coverage.ts";
export { coverageGeoJson, coverageKml, ringOf } from "./coverage/coverage-maps.ts";
export { createDetailsHandler, detail, type Detailed } from "./places/details.ts";
export { createDiscoverHandler, discover, type Discovered } from "./places/discover.ts";
export {
  chooseBatch,
  addsAtOnce,
  dispatch,
  dueTargets,
  groupByTask,
  type Dispatched,
  type DueOptions,
  type DueTarget,
} from "./dispatch.ts";
export { batchLine, evaluate, sumUp } from "./enrich/batch.ts";
export type { Batch, BatchLine, BatchSums, Evaluated } from "./enrich/batch.ts";
export { openBatchFiles, type BatchFiles } from "./enrich/batch-file.ts";
export { createEnrichHandler, noContact, type StepResult } from "./enrich/enrich.ts";
export { createFirstVisits, firstHosts, type EndedVisit } from "./enrich/first-visits.ts";
export { createEnrichCounts, type EnrichCounts } from "./enrich/enrich-counts.ts";
export { paceOf, setPace } from "./enrich/pace.ts";
export { resumeJob, type ResumedJob } from "./enrich/resume-job.ts";
export type { CrawlSettings, EnrichServices, KeptPage, SiteSettings } from "./enrich/services.ts";
export { extractorVersion, isVisitFresh } from "./enrich/visit-freshness.ts";
export { firstTask, gateOf, type FirstTask } from "./enrich/visit-task.ts";
export { estimateCampaign, planHash, type PastVisits } from "./estimate/estimate.ts";
export { readEstimate, writeEstimate } from "./estimate/estimate-file.ts";
export {
  estimateFigures,
  type CampaignEstimate,
  type EstimateFigureName,
} from "./estimate/estimate-schema.ts";
export { createPlaceCounter } from "./estimate/place-counts.ts";
export { createCompanyAudit } from "./audit/audit.ts";
export type { AuditFinding } from "./audit/audit-schema.ts";
export { budgetStanding, budgetText, type BudgetSources } from "./budget/budget.ts";
export { createBudgetGuard, withinBudget, type BudgetServices } from "./budget/budget-guard.ts";
export {
  createCompanyLimit,
  type CompanyCounts,
  type CompanyLimit,
  type CountedCompanies,
} from "./budget/company-limit.ts";
export { budgetStandingSchema, type BudgetStanding } from "./budget/budget-schema.ts";
export { filterNames, type FilterName, type PlaceFilters } from "./places/filters.ts";
export { exclusionOf } from "./places/exclusions.ts";
export { suggestCampaign, type SuggestedCampaign } from "./init/suggest-campaign.ts";
export { locateTown, radiusKm, type LocatedTown } from "./places/locate-town.ts";
export {
  checkCampaignField,
  parseCampaign,
  type ResolvedCampaign,
} from "./config/parse-campaign.ts";
export type { ConfigValue } from "./config/config-values.ts";
export { openOverpassGate, overpassAdvice, overpassGate } from "./places/overpass-plan.ts";
export { campaignPhrases, createPhraseCache, meaningHash } from "./places/phrase-meaning.ts";
export { planTargets, planTiles, type PlannedTile, type Target } from "./plan.ts";
export { buildCampaignReport, type CampaignReportInput } from "./report/build-report.ts";
export { membershipOf, type Membership } from "./report/membership.ts";
export {
  campaignReportSchema,
  type CampaignFunnel,
  type CampaignReport,
} from "./report/report-schema.ts";
export {
  createResolveHandler,
  resolveKind,
  resolveTask,
  type ResolveServices,
} from "./resolve-task.ts";
export { createTopUpHandler, topUpKind, topUpTask, type TopUpServices } from "./top-up.ts";
export { resourceName } from "./config/resource-name.ts";
export {
  isEditedHere,
  openSharedConfigs,
  type ConfigLock,
  type SharedConfig,
  type SharedConfigs,
} from "./config/shared-config.ts";
export type { CampaignServices, CampaignSource, CompanyToEnrich } from "./services.ts";
export type { ClosingServices, TileCompany } from "./places/closed-places.ts";
export { campaignStatus, type CampaignStatus } from "./status.ts";
export { detailsKind, detailsSchema, discoverKind, discoverSchema, enrichKind } from "./tasks.ts";
export type { DetailsPayload, DiscoverPayload } from "./tasks.ts";
export { mayHave, surveyPlaces, type Survey, type SurveyOptions } from "./places/survey.ts";
export { campaignTemplate, type TemplateOptions } from "./config/template.ts";
export { readWitnesses, standingOf, tileTarget, witnessChange, witnessOf } from "./witness.ts";
export type { Question, Standing, Witness, Witnesses } from "./witness.ts";
export { openCrawlFolder, type CrawlFolder } from "./site-crawl/crawl-folder.ts";
export {
  crawlBudget,
  crawlJob,
  type CrawlBudget,
  type CrawlPlan,
} from "./site-crawl/crawl-plan.ts";
export {
  crawlCsvHeader,
  crawlCsvLine,
  crawlCuts,
  crawledPages,
  crawlStart,
  crawlSummary,
  type CrawledPage,
  type CrawlCuts,
  type CrawlSummary,
} from "./site-crawl/crawl-report.ts";
export { createSiteCrawlServices, type SiteCrawlServices } from "./site-crawl/crawl-services.ts";
export type { PageRow } from "./site-crawl/page-row.ts";
export { runSiteCrawls, type CrawlEnd } from "./site-crawl/run-site-crawls.ts";
export { sitePageKind } from "./site-crawl/page-tasks.ts";
