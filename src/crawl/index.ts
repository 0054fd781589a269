export { createAddressGuard, type AddressGuard } from "./address.ts";
export { textOf, type PageBytes, type PageText } from "./charset.ts";
export { createCountingFetcher, createFetchCounter } from "./counting-fetcher.ts";
export {
  failureReasons,
  fetchLimits,
  isTemporary,
  pageTypes,
  type FetchFailed,
  type FailureReason,
  type Fetcher,
  type FetchLimits,
  type FetchOutcome,
  type FetchRequest,
  type FetchFound,
  type Hop,
  type NotModified,
  type RequestHooks,
  type Stopped,
  type Validators,
} from "./fetcher.ts";
export { checkMailDomain, type MailDomainStatus } from "./mail/check-mail-domain.ts";
export type { DnsAnswer, MailExchange, MailResolver } from "./mail/mail-resolver.ts";
export { needsScripts } from "./needs-scripts.ts";
export type { PostAnswer, Poster, PostRequest } from "./poster.ts";
export { hostDelay, type HostDelay } from "./robots/crawl-delay.ts";
export { isAllowedByRobots } from "./robots/match-robots.ts";
export { createMemoryRobotsCache } from "./robots/memory-robots-cache.ts";
export {
  parseRobots,
  robotsBytesMax,
  type Robots,
  type RobotsRule,
} from "./robots/parse-robots.ts";
export {
  isFresh,
  noteOf as robotsNoteOf,
  readRobots,
  type RobotsCache,
  type RobotsNote,
} from "./robots/read-robots.ts";
export {
  readSitemap,
  sitemapLimits,
  type SitemapFile,
  type SitemapLimits,
} from "./sitemap/read-sitemap.ts";
export { canonicalUrl, isAsset, looksEndless } from "./url/canonical-url.ts";
export {
  homePriority,
  priorityOf,
  sitemapPriority,
  taskPriority,
  type Link,
  type LinkPlace,
} from "./url/link-priority.ts";
export { pageWorths, worthOf, type PageWorth } from "./url/page-worth.ts";
export { plainHttpOf } from "./url/plain-http.ts";
export { isSameSite, originOf, siteOf } from "./url/site.ts";
export { robotsToken, userAgentOf, type UserAgentOptions } from "./user-agent.ts";
export { looksParked } from "./visit/parked.ts";
export {
  nextRequests,
  startVisit,
  visitBudget,
  type Visit,
  type VisitBudget,
  type VisitOutcome,
  type VisitPage,
  type VisitRequest,
} from "./visit/site-visit.ts";
export {
  tellPage,
  tellRobots,
  tellSitemap,
  type PageAnswer,
  type SitemapAnswer,
} from "./visit/visit-answers.ts";
