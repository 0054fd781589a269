import type { Sabotage } from "./sabotage.ts";

const http = "src/crawl/adapters/http/http-fetcher.test.ts";
const hostile = "src/crawl/adapters/http/hostile-sites.test.ts";
const address = "src/crawl/address.test.ts";
const robots = "src/crawl/robots/robots.test.ts";
const readRobots = "src/crawl/robots/read-robots.test.ts";
const sitemap = "src/crawl/sitemap/sitemap.test.ts";
const url = "src/crawl/url/url.test.ts";
const visit = "src/crawl/visit/site-visit.test.ts";
const browser = "test/browser/browser-fetcher.test.ts";

const inFetcher: readonly Sabotage[] = [
  {
    name: "the browser keeps what a page was rendered in",
    file: "src/crawl/adapters/browser/browser-fetcher.ts",
    find: 'signal.removeEventListener("abort", onAbort);\n      await close();',
    replace: 'signal.removeEventListener("abort", onAbort);',
    caughtBy: `${browser} > memory is flat over tasks`,
  },
  {
    name: "only the first URL's address is judged, not those it redirects to",
    file: "src/crawl/adapters/http/http-fetcher.ts",
    find: 'if (host) return failedAt(at, "private_address"',
    replace: 'if (host && hops.length === 0) return failedAt(at, "private_address"',
    caughtBy: `${hostile} > is not followed`,
  },
  {
    name: "what a name resolves to is not judged",
    file: "src/crawl/adapters/http/guarded-lookup.ts",
    find: ".filter((address) => guard.isAllowed(address))",
    replace: '.filter((address) => guard.isAllowed(address) || address !== "")',
    caughtBy: `${hostile} > a name that leads to private addresses`,
  },
  {
    name: "an IPv4 address hides in an IPv6 one",
    file: "src/crawl/address.ts",
    find: 'return inner === undefined ? !privateAddresses.check(bare, "ipv6") : isAllowed(inner);',
    replace:
      'return inner === undefined ? !privateAddresses.check(bare, "ipv6") : isAllowed(inner) || true;',
    caughtBy: `${address} > an IPv4 address is judged alike`,
  },
  {
    name: "redirects are not asked for",
    file: "src/crawl/adapters/http/http-fetcher.ts",
    find: 'request.beforeRequest?.(hop) ?? "go"',
    replace: '(hops.length === 0 ? request.beforeRequest?.(hop) : "go") ?? "go"',
    caughtBy: `${http} > lesson 52`,
  },
  {
    name: "a bomb unpacks up to the limit of bytes",
    file: "src/crawl/unpack.ts",
    find: "unpackedBytes > wireBytes * limits.ratioMax)",
    replace: "unpackedBytes > wireBytes * limits.ratioMax * 1e6)",
    caughtBy: `${hostile} > bomb is stopped early`,
  },
  {
    name: "a body that drips is waited for",
    file: "src/crawl/adapters/http/http-fetcher.ts",
    find: "const timer = clock.setTimer(limits.totalMs, () =>",
    replace: "const timer = clock.setTimer(limits.totalMs * 1_000, () =>",
    caughtBy: `${hostile} > a body that drips`,
  },
  {
    name: "a certificate that nobody vouches for is taken",
    file: "src/crawl/adapters/http/http-fetcher.ts",
    find: "timeout: options.connectMs ?? 10_000,",
    replace: "timeout: options.connectMs ?? 10_000, rejectUnauthorized: false,",
    caughtBy: `${hostile} > a certificate that nobody vouches for`,
  },
  {
    name: "what a server says beside a 4xx is a page",
    file: "src/crawl/adapters/http/judge-answer.ts",
    find: "status >= 200 && status < 300;",
    replace: "status >= 200 && (status < 300 || status >= 400);",
    caughtBy: `${http} > is no page: `,
  },
];

const inRobots: readonly Sabotage[] = [
  {
    name: "whatever allows wins",
    file: "src/crawl/robots/parse-robots.ts",
    find: "b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow);",
    replace: "Number(b.allow) - Number(a.allow) || b.pattern.length - a.pattern.length;",
    caughtBy: `${robots} > lesson 48: the longest pattern decides`,
  },
  {
    name: "of agents that share a group only the last gets its rules",
    file: "src/crawl/robots/parse-robots.ts",
    find: "if (!group || hasRules) {",
    replace: "if (!group || hasRules || group.rules.length === 0) {",
    caughtBy: `${robots} > lesson 48: agents that share a group`,
  },
  {
    name: "everybody's rules count beside ours",
    file: "src/crawl/robots/parse-robots.ts",
    find: "const chosen = ours.length > 0 ? ours : groups",
    replace: "const chosen = ours.some(({ rules }) => rules.length > 0) ? ours : groups",
    caughtBy: `${robots} > a group that names us and forbids nothing`,
  },
  {
    name: "a crawl-delay is halved",
    file: "src/crawl/robots/crawl-delay.ts",
    find: "delayMs: Math.max(configuredMs, crawlDelayMs),",
    replace: "delayMs: Math.max(configuredMs, crawlDelayMs / 2),",
    caughtBy: `${robots} > lesson 48: a crawl-delay is honoured whole`,
  },
  {
    name: "a server in trouble is taken for one without rules",
    file: "src/crawl/robots/read-robots.ts",
    find: "return unreachable({ reason: message, failure, ...(isOffline && { isOffline }) });",
    replace: "return isOffline ? unreachable({ reason: message, failure, isOffline }) : absent;",
    caughtBy: `${readRobots} > rules that were known stay in force`,
  },
  {
    name: "robots.txt is kept for a month",
    file: "src/crawl/robots/read-robots.ts",
    find: 'note.state === "unreachable" ? unreachableKeptMs : robotsKeptMs',
    replace: 'note.state === "unreachable" ? unreachableKeptMs : 30 * robotsKeptMs',
    caughtBy: `${readRobots} > is kept for a day`,
  },
];

const inPlan: readonly Sabotage[] = [
  {
    name: "a sitemap is read to its end, whatever the budget",
    file: "src/crawl/sitemap/read-sitemap.ts",
    find: 'if (urls >= limits.urlsMax || onUrl(found) === "enough") hasEnough = true;',
    replace: "onUrl(found); if (urls >= limits.urlsMax) hasEnough = true;",
    caughtBy: `${sitemap} > lesson 50`,
  },
  {
    name: "the queries of URLs are dropped",
    file: "src/crawl/url/canonical-url.ts",
    find: "const query = canonicalQuery(url.search);",
    replace: "const query = canonicalQuery(url.search.slice(0, 1));",
    caughtBy: `${url} > lesson 49: ?page=2 stays apart`,
  },
  {
    name: "a plan asks for what robots.txt forbids",
    file: "src/crawl/visit/site-visit.ts",
    find: "if (!isAllowedByRobots(note.robots, page.url)) {",
    replace: 'if (note.state === "unreachable") {',
    caughtBy: `${visit} > a page that robots.txt forbids`,
  },
  {
    name: "sitemaps may name each other for ever",
    file: "src/crawl/visit/visit-answers.ts",
    find: "if (depth > visit.budget.sitemapDepth) return visit;",
    replace: "if (depth > visit.budget.sitemapDepth * 50) return visit;",
    caughtBy: `${visit} > lesson 50`,
  },
];

export const crawlSabotages: readonly Sabotage[] = [...inFetcher, ...inRobots, ...inPlan];
