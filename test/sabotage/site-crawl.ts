import type { Sabotage } from "./sabotage.ts";

const plan = "src/campaign/site-crawl/crawl-plan.test.ts";
const app = "src/app/site-crawl.test.ts";
const judge = "src/showcase/demo/judge-demo.test.ts";

const inPlan: readonly Sabotage[] = [
  {
    name: "a star runs over the parts of a path",
    file: "src/campaign/site-crawl/glob.ts",
    find: 'if (token === "*" && text[at] === "/") isOpen = false;',
    replace: "",
    caughtBy: `${plan} > ** before, between and after the parts of a path always match it`,
  },
  {
    name: "what is excluded is fetched when it is included too",
    file: "src/campaign/site-crawl/crawl-plan.ts",
    find: "if (excludes.some((excluded) => excluded(url))) return false;",
    replace: "",
    caughtBy: `${plan} > those of the site, by include, exclude and depth`,
  },
  {
    name: "the next row is written behind the half one of a killed process",
    file: "src/campaign/site-crawl/crawl-folder.ts",
    find: 'if (buffer[0] !== 0x0a) await handle.appendFile("\\n");',
    replace: "",
    caughtBy: `${plan} > half a line that a killed process left loses nothing else`,
  },
  {
    name: "links in count the links out of a page",
    file: "src/campaign/site-crawl/crawl-report.ts",
    find: "linksIn: counts.get(row.url) ?? 0,",
    replace: "linksIn: row.links?.length ?? 0,",
    caughtBy: `${plan} > links in are counted over all pages`,
  },
];

const inHandler: readonly Sabotage[] = [
  {
    name: "a redirect is followed within its task, so that its page is fetched twice",
    file: "src/campaign/site-crawl/site-page.ts",
    find: '(number === 0 ? "go" : "stop")',
    replace: '(number >= 0 ? "go" : "stop")',
    caughtBy: `${app} > every page once, whatever leads to it`,
  },
  {
    name: "a page follows its robots.txt without a pause",
    file: "src/campaign/site-crawl/site-page.ts",
    find: "  await pace.wait();\n",
    replace: "",
    caughtBy: `${app} > requests of a host are apart by the delay`,
  },
  {
    name: "sitemaps are read without a pause",
    file: "src/campaign/site-crawl/task-pace.ts",
    find: "if (leftMs > 0) await sleep(clock, leftMs, signal);",
    replace: "",
    caughtBy: `${app} > requests of a host are apart by the delay`,
  },
  {
    name: "a crawl-delay is read and not kept",
    file: "src/campaign/site-crawl/site-page.ts",
    find: "if (wanted.isSlowed && wanted.delayMs > (task.pace?.delayMs ?? 0)) {",
    replace: "if (wanted.isTooSlow) {",
    caughtBy: `${app} > a crawl-delay of robots.txt is kept`,
  },
  {
    name: "what robots.txt forbids is fetched",
    file: "src/campaign/site-crawl/site-page.ts",
    find: "if (isAllowedByRobots(note.robots, url)) return undefined;",
    replace: "if (note.robots) return undefined;",
    caughtBy: `${app} > a start that robots.txt forbids is not asked for`,
  },
  {
    name: "links to forbidden pages become tasks, which use up the budget",
    file: "src/campaign/site-crawl/next-tasks.ts",
    find: "if (note && !isAllowedByRobots(note.robots, page.url))",
    replace: "if (note && page.hops < 0)",
    caughtBy: `${app} > links to forbidden pages take nothing of the budget`,
  },
  {
    name: "bytes are not counted against the budget",
    file: "src/campaign/site-crawl/crawl-services.ts",
    find: "bytes += row.bytes;",
    replace: "",
    caughtBy: `${app} > budgets of pages, depth and bytes end it`,
  },
  {
    name: "clicks are not counted",
    file: "src/campaign/site-crawl/crawl-plan.ts",
    find: "depth > plan.budget.depth || ",
    replace: "",
    caughtBy: `${app} > budgets of pages, depth and bytes end it`,
  },
  {
    name: "what a 429 asked for is not waited for",
    file: "src/campaign/site-crawl/site-page.ts",
    find: "{ slowDown: retryAfterMs === undefined ? {} : { retryAfterMs } }",
    replace: "{ slowDown: retryAfterMs === undefined ? {} : { retryAfterMs: 1 } }",
    caughtBy: `${app} > 429 is asked again after what it asked for`,
  },
];

const inDemo: readonly Sabotage[] = [
  {
    name: "the demo takes a host's own wish for its crawl delay for nothing",
    file: "src/showcase/demo/judge-demo.ts",
    find: "(isSlow ? Math.max(delayMs, slowDelayMs) : delayMs) - toleranceMs",
    replace: "delayMs - toleranceMs",
    caughtBy: `${judge} > two requests that are too close, by the server's log, are not good`,
  },
  {
    name: "the demo does not look for what robots.txt forbids",
    file: "src/showcase/demo/judge-demo.ts",
    find: "forbidden.length === 0 &&",
    replace: "",
    caughtBy: `${judge} > what robots.txt forbids was fetched: not good`,
  },
  {
    name: "the demo is content with companies that are there twice",
    file: "src/showcase/demo/judge-demo.ts",
    find: "companies.length === sites.length &&",
    replace: "",
    caughtBy: `${judge} > a tile without a witness, a missing or doubled place, a failed task: not good`,
  },
];

export const siteCrawlSabotages: readonly Sabotage[] = [...inPlan, ...inHandler, ...inDemo];
