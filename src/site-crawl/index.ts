export { openCrawlFolder } from "./crawl-folder.ts";
export { crawlBudget, crawlJob, type CrawlPlan } from "./crawl-plan.ts";
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
} from "./crawl-report.ts";
export { createSiteCrawlServices, type SiteCrawlServices } from "./crawl-services.ts";
export type { PageRow } from "./page-row.ts";
export { runSiteCrawls, type CrawlEnd } from "./run-site-crawls.ts";
export { sitePageKind } from "./page-tasks.ts";
