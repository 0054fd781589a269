export { createAddressGuard } from "./address.ts";
export { textOf } from "./charset.ts";
export { createFetchCounter } from "./fetch-counter.ts";
export {
  isTemporary,
  pageTypes,
  type FetchFailed,
  type Fetcher,
  type FetchOutcome,
  type FetchFound,
  type Hop,
  type RequestHooks,
  type Validators,
} from "./fetcher.ts";
export { checkMailDomain, type MailDomainStatus } from "./mail/check-mail-domain.ts";
export type { MailResolver } from "./mail/mail-resolver.ts";
export { needsScripts } from "./needs-scripts.ts";
export type { PostAnswer, Poster, PostRequest } from "./poster.ts";
export { hostDelay, type HostDelay } from "./robots/crawl-delay.ts";
export { isAllowedByRobots } from "./robots/match-robots.ts";
export { createMemoryRobotsCache } from "./robots/memory-robots-cache.ts";
export { robotsBytesMax, type RobotsRule } from "./robots/parse-robots.ts";
export {
  isFresh,
  noteOf as robotsNoteOf,
  readRobots,
  type RobotsCache,
  type RobotsNote,
} from "./robots/read-robots.ts";
export { readSitemap } from "./sitemap/read-sitemap.ts";
export { canonicalUrl, isAsset, looksEndless } from "./url/canonical-url.ts";
export { priorityOf, taskPriority } from "./url/link-priority.ts";
export { worthOf } from "./url/page-worth.ts";
export { plainHttpOf } from "./url/plain-http.ts";
export { isSameSite, originOf, siteOf } from "./url/site.ts";
export { robotsToken, userAgentOf } from "./user-agent.ts";
export { looksParked } from "./visit/parked.ts";
export {
  nextRequests,
  startVisit,
  type Visit,
  type VisitOutcome,
  type VisitPage,
  type VisitRequest,
} from "./visit/site-visit.ts";
export { recordPage, recordRobots, recordSitemap } from "./visit/visit-answers.ts";
