import type { Sabotage } from "./sabotage.ts";

const visits = "src/app/enrich.test.ts";
const pace = "src/app/enrich-pace.test.ts";
const pack = "src/campaign/enrich/pack-visit.test.ts";
const batch = "src/campaign/enrich/batch.test.ts";
const browser = "test/browser/visit-browser.test.ts";
const partHooks = "src/campaign/enrich/part-hooks.ts";
const askSite = "src/campaign/enrich/ask-site.ts";
const enrich = "src/campaign/enrich/enrich.ts";

const inPace: readonly Sabotage[] = [
  {
    name: "redirects are followed at once, outside the pacing",
    file: askSite,
    find: 'beforeRequest: ({ number }) => (number === 0 ? "go" : "stop"),',
    replace: 'beforeRequest: () => "go" as const,',
    caughtBy: `${pace} > lesson 52: every request`,
  },
  {
    name: "a gate that nobody has set is asked through without a pace",
    file: enrich,
    find: "if (task.gate !== gate || (task.pace?.delayMs ?? 0) < pace.delayMs) {",
    replace: "if (task.gate !== gate) {",
    caughtBy: `${pace} > lesson 52: two companies`,
  },
  {
    name: "a Crawl-delay is not heard",
    file: "src/campaign/enrich/pace.ts",
    find: "hostDelay({ configuredMs: delayMs, crawlDelayMs })",
    replace: "hostDelay({ configuredMs: delayMs, crawlDelayMs: undefined })",
    caughtBy: `${pace} > a Crawl-delay that is longer`,
  },
  {
    name: "a Retry-After is not handed to the gate",
    file: askSite,
    find: "const slowDown = retryAfterMs === undefined ? {} : { retryAfterMs };",
    replace: "const slowDown = {};",
    caughtBy: `${pace} > 429 with Retry-After`,
  },
  {
    name: "a robots.txt that failed once closes the site",
    file: enrich,
    find: "if (trouble && task.used < triesMax) {",
    replace: "if (trouble && task.used < 1) {",
    caughtBy: `${pace} > a robots.txt that fails once`,
  },
];

const inFacts: readonly Sabotage[] = [
  {
    name: "a site is never asked whether it has changed",
    file: enrich,
    find: 'const wasRead = record?.outcome === "done" || record?.outcome === "not_modified";',
    replace: "const wasRead = false;",
    caughtBy: `${visits} > a fresh visit is not repeated`,
  },
  {
    name: "a title becomes a name",
    file: "src/campaign/enrich/page-changes.ts",
    find: 'say("name", facts.name);',
    replace: 'say("name", facts.name ?? facts.title);',
    caughtBy: `${visits} > lesson 43`,
  },
  {
    name: "a page for sale is the company's",
    file: askSite,
    find: "const told = tellPage(visit, { url, outcome, links: linksOf(facts), isParked });",
    replace: "const told = tellPage(visit, { url, outcome, links: linksOf(facts) });",
    caughtBy: `${visits} > lesson 42`,
  },
  {
    name: "a forgotten address comes back",
    file: "src/campaign/enrich/write-visit.ts",
    find: "if (!isGone) kept.push(change);",
    replace: "kept.push(change);",
    caughtBy: `${visits} > who was forgotten is not visited`,
  },
  {
    name: "a fresh visit is made again",
    file: enrich,
    find: 'return isFreshEnough ? `visited ${record?.at ?? ""} already` : undefined;',
    replace: 'return isFreshEnough && record === undefined ? "" : undefined;',
    caughtBy: `${visits} > a fresh visit is not repeated`,
  },
  {
    name: "people are new with every visit",
    file: "src/campaign/enrich/person-changes.ts",
    find: 'createHash("sha256").update(`${company}\\n${folded}`)',
    replace: 'createHash("sha256").update(`${company}\\n${folded}${process.hrtime.bigint()}`)',
    caughtBy: `${visits} > people become records`,
  },
  {
    name: "pages are kept though nobody asked for it",
    file: "src/app/enrich-services.ts",
    find: "...(options.crawl.keepHtmlBytes > 0 && {",
    replace: "...(options.crawl.keepHtmlBytes >= 0 && {",
    caughtBy: `${visits} > pages are kept as they came`,
  },
  {
    name: "what an older version read counts for this one",
    file: "src/campaign/enrich/visit-freshness.ts",
    find: "if (!record || record.version < extractorVersion) return false;",
    replace: "if (!record) return false;",
    caughtBy: `${batch} > a visit counts for its days`,
  },
];

const inPlan: readonly Sabotage[] = [
  {
    name: "rules that do not fit are left out",
    file: "src/campaign/enrich/pack-visit.ts",
    find: "pattern.length <= length ? pattern : pattern.slice(0, length)",
    replace: 'pattern.length <= length ? pattern : "/never"',
    caughtBy: `${pack} > lesson 48`,
  },
  {
    name: "a plan grows without end",
    file: "src/campaign/enrich/pack-visit.ts",
    find: "return left >= 0;",
    replace: "return true;",
    caughtBy: `${pack} > lesson 49`,
  },
  {
    name: "a site that could not be read has lost everything",
    file: "src/campaign/enrich/batch.ts",
    find: 'record.outcome === "done" ? shown.filter',
    replace: "record.outcome ? shown.filter",
    caughtBy: `${batch} > lesson 42`,
  },
  {
    name: "what a place says counts as lost by the site",
    file: "src/campaign/enrich/batch.ts",
    find: 'contacts.filter(({ source }) => source.startsWith("site:"))',
    replace: "contacts",
    caughtBy: `${batch} > found is what was not known`,
  },
];

const inBudget: readonly Sabotage[] = [
  {
    name: "a sitemap is kept to its end",
    file: "src/campaign/enrich/page-changes.ts",
    find: "urls: urls.slice(0, sitemapUrlsMax)",
    replace: "urls",
    caughtBy: `${visits} > B4: navigation and sitemap`,
  },
  {
    name: "a process knows only the robots.txt that it asked for itself",
    file: "src/app/folder-robots-cache.ts",
    find: "load: async (origin) => (await readNotes(fileOf(paths, origin)))[origin],",
    replace: "",
    caughtBy: "src/app/folder-robots-cache.test.ts > a worker that is started anew",
  },
  {
    name: "bytes are not counted",
    file: "src/crawl/visit/visit-answers.ts",
    find: "const bytes = visit.bytes + outcome.bytes.wire;",
    replace: "const bytes = visit.bytes;",
    caughtBy: "src/app/enrich-budget.test.ts > a budget of bytes",
  },
  {
    name: "time is not counted",
    file: enrich,
    find: "spentMs: plan.spentMs + delayMs + Math.ceil(clock.monotonicMs() - startMs),",
    replace: "spentMs: startMs * 0,",
    caughtBy: "src/app/enrich-budget.test.ts > a budget of seconds",
  },
];

const inBrowser: readonly Sabotage[] = [
  {
    name: "the parts of a page are asked for at once",
    file: partHooks,
    find: "const wait = () => lastMs + delayMs - clock.monotonicMs();",
    replace: "const wait = () => lastMs - clock.monotonicMs();",
    caughtBy: `${browser} > auto: a shell is rendered, at the pace`,
  },
  {
    name: "robots.txt is not for parts",
    file: partHooks,
    find: "isAllowedByRobots(note.robots, hop.url)",
    replace: "isAllowedByRobots(note.robots, url)",
    caughtBy: `${browser} > parts that robots.txt forbids`,
  },
  {
    name: "parts of other hosts are asked for behind this one's gate",
    file: partHooks,
    find: "originOf(hop.url) !== origin ||",
    replace: "",
    caughtBy: `${browser} > parts that robots.txt forbids`,
  },
  {
    name: "a shell that has not changed is taken for its page",
    file: askSite,
    find: "isRendered ? {} : outcome",
    replace: "outcome",
    caughtBy: `${browser} > auto: a shell is rendered, at the pace`,
  },
  {
    name: "every page is rendered",
    file: "src/app/open-fetcher.ts",
    find: "(!isMissing && needsScripts(textOf(found).text))",
    replace: "!isMissing",
    caughtBy: `${browser} > auto: a page with words of its own`,
  },
];

export const enrichSabotages: readonly Sabotage[] = [
  ...inPace,
  ...inFacts,
  ...inPlan,
  ...inBudget,
  ...inBrowser,
];
