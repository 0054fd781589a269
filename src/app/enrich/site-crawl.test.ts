import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openQueue } from "../queue/open-queue.ts";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createPaths } from "../../config/index.ts";
import { createHttpFetcher } from "../../crawl/adapters/http/http-fetcher.ts";
import { redirectTo, startSiteServer, type SiteAnswer } from "../../crawl/testing/site-server.ts";
import {
  crawlBudget,
  crawlJob,
  createSiteCrawlServices,
  openCrawlFolder,
  runSiteCrawls,
  type CrawlPlan,
} from "../../site-crawl/index.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-crawl-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const page = (title: string, ...links: readonly string[]) =>
  `<title>${title}</title><main>${links.map((link) => `<a href="${link}">${link}</a>`).join(" ")}</main>`;

async function crawlSite(
  pages: Readonly<Record<string, SiteAnswer | string>>,
  given: Partial<CrawlPlan> | ((origin: string) => Partial<CrawlPlan>) = {},
) {
  await using site = await startSiteServer({ pages });
  await using fetcher = createHttpFetcher({ userAgent: "t", allowPrivateNetworks: ["127.0.0.1"] });
  await using queue = await openQueue(`sqlite:${join(folder, "queue.db")}`);
  const crawls = openCrawlFolder(createPaths(folder));
  const clock = systemClock;
  const more = typeof given === "function" ? given(site.origin) : given;
  const plan: CrawlPlan = {
    version: 1,
    name: "site-1",
    start: `${site.origin}/`,
    startedAt: "2026-01-01T00:00:00.000Z",
    include: [],
    exclude: [],
    budget: crawlBudget,
    delayMs: 0,
    isDelayAsked: true,
    withSitemaps: false,
    contact: "you@example.org",
    allowAddresses: [],
    ...more,
  };
  await crawls.create(plan);
  await using services = createSiteCrawlServices({
    folder: crawls,
    queue,
    fetcher,
    clock,
    log: silentLogger,
  });
  const ends = await runSiteCrawls({
    plans: [plan],
    queue,
    services,
    worker: "w",
    clock,
    log: silentLogger,
    leaseMs: 60_000,
    signal: new AbortController().signal,
  });
  const rows = await crawls.rows(plan.name);
  const short = Object.fromEntries(rows.map((row) => [row.url.replace(site.origin, ""), row]));
  const requests = site.requests.map(({ path, atMs }) => ({ path, atMs }));
  const job = await queue.job(crawlJob(plan));
  const jobs = (await queue.jobs()).length;
  await services[Symbol.asyncDispose](); // pending raises are written now
  const raises = services.raises();
  return {
    rows: short,
    requests,
    end: ends.get(plan.name),
    job,
    jobs,
    origin: site.origin,
    raises,
  };
}

const paths = (requests: readonly { path: string }[]) => requests.map(({ path }) => path).sort();

test("every page once, whatever leads to it; redirects, dead links and files are reported as such", async () => {
  const { rows, requests, end } = await crawlSite({
    "/": page("Home", "/a", "/a#x", "/a?utm_source=y", "/old", "/gone", "/doc", "//other.example/"),
    "/a": page("A", "/", "/b"),
    "/b": page("B"),
    "/old": redirectTo("/older", 301),
    "/older": redirectTo("/b", 302),
    "/doc": (_, response) =>
      void response.writeHead(200, { "content-type": "application/pdf" }).end("%PDF"),
  });
  expect(end).toBe("completed");
  expect(paths(requests)).toEqual(["/", "/a", "/b", "/doc", "/gone", "/old", "/older", "/robots.txt"]); // prettier-ignore
  expect(rows["/"]).toMatchObject({ state: "found", status: 200, depth: 0, title: "Home", linksAway: 1 }); // prettier-ignore
  expect(rows["/"]?.links?.length).toBe(4);
  expect(rows["/old"]).toMatchObject({ state: "redirect", status: 301, depth: 1 });
  expect(rows["/older"]).toMatchObject({ state: "redirect", status: 302, depth: 1 });
  expect(rows["/b"]).toMatchObject({ state: "found", title: "B" });
  expect(rows["/gone"]).toMatchObject({ state: "gone", status: 404 });
  expect(rows["/doc"]).toMatchObject({ state: "other", status: 200 });
});

test("https that was a guess: the start is asked over http, in the same job, within the same budget", async () => {
  const { rows, job, jobs } = await crawlSite(
    { "/": page("Home", "/", "/a", "/b"), "/a": page("A") },
    (origin) => ({
      start: `${origin.replace("http:", "https:")}/`,
      isHttpsGuessed: true,
      budget: { ...crawlBudget, pages: 2 },
    }),
  );
  expect(rows).toMatchObject({ "/": { state: "found" }, "/a": { state: "found" } });
  expect(Object.keys(rows)).toHaveLength(2);
  expect(job).toMatchObject({ added: 2, done: 2, failed: 0 });
  expect(jobs).toBe(1);
});

test("a port that refuses https and http: one job, which has failed, with the reason", async () => {
  const start = "https://127.0.0.1:1/";
  const { rows, job, jobs } = await crawlSite({}, { start, isHttpsGuessed: true });
  expect(rows).toMatchObject({ "http://127.0.0.1:1/": { state: "failed", reason: "refused" } });
  expect(Object.keys(rows)).toHaveLength(1);
  expect(job).toMatchObject({ done: 0, failed: 1 });
  expect(jobs).toBe(1);
});

test("pages that robots.txt forbids are reported and not requested; the sitemaps it names are read", async () => {
  const { rows, requests } = await crawlSite(
    {
      "/robots.txt": "User-agent: *\nDisallow: /secret\nSitemap: /pages.xml",
      "/": page("Home", "/secret/a"),
      "/pages.xml": (_, response) =>
        void response.end("<urlset><url><loc>/orphan</loc></url></urlset>"),
      "/orphan": page("Orphan"),
    },
    { withSitemaps: true },
  );
  expect(rows["/secret/a"]).toMatchObject({ state: "robots" });
  expect(rows["/orphan"]).toMatchObject({ state: "found", title: "Orphan", depth: 1 });
  expect(rows["/pages.xml"]).toMatchObject({ kind: "sitemap", state: "found", urls: 1 });
  expect(paths(requests)).toEqual(["/", "/orphan", "/pages.xml", "/robots.txt"]);
});

test("a start that robots.txt forbids is not asked for", async () => {
  const { rows, requests } = await crawlSite({
    "/robots.txt": "User-agent: *\nDisallow: /",
    "/": page("Home", "/a"),
  });
  expect(paths(requests)).toEqual(["/robots.txt"]);
  expect(rows["/"]).toMatchObject({ state: "robots", message: "robots.txt forbids it" });
});

test("links to forbidden pages take nothing of the budget, and no turn at the gate", async () => {
  const links = Array.from({ length: 20 }, (_, at) => `/secret/${at}`);
  const { rows, job } = await crawlSite(
    {
      "/robots.txt": "User-agent: *\nDisallow: /secret",
      "/": page("Home", ...links, "/a"),
      "/a": page("A", ...links),
    },
    { budget: { ...crawlBudget, pages: 2 } },
  );
  expect(rows["/a"]).toMatchObject({ state: "found" });
  expect(Object.values(rows).filter(({ state }) => state === "robots")).toHaveLength(20);
  expect(job).toMatchObject({ added: 2, overBudget: 0 });
});

test("budgets of pages, depth and bytes end it", async () => {
  const endless: SiteAnswer = (request, response) => {
    const at = Number(/\d+/.exec(request.url ?? "")?.[0] ?? 0);
    response.writeHead(200, { "content-type": "text/html" });
    response.end(page(`${at}`, `/?page=${at + 1}`, `/?page=${at + 2}`));
  };
  const of = async (budget: Partial<CrawlPlan["budget"]>, name: string) =>
    crawlSite({ "/": endless }, { name, budget: { ...crawlBudget, ...budget } });
  const byPages = await of({ pages: 7 }, "p");
  expect(byPages.requests.filter(({ path }) => path !== "/robots.txt")).toHaveLength(7);
  expect(byPages.end).toBe("completed");
  expect(byPages.job?.overBudget).toBeGreaterThan(0);
  const byDepth = await of({ depth: 1 }, "d");
  expect(Object.keys(byDepth.rows).sort()).toEqual(["/", "/?page=1", "/?page=2"]);
  const byBytes = await of({ bytes: 400 }, "b");
  expect(byBytes.end).toBe("bytes");
  expect(byBytes.requests.length).toBeLessThan(10);
  const bySeconds = await of({ seconds: 0.5, pages: 100_000, depth: 100_000 }, "s");
  expect(bySeconds.end).toBe("seconds");
});

test("requests of a host are apart by the delay: robots.txt, redirects and sitemaps too", async () => {
  const delayMs = 60;
  const { requests } = await crawlSite(
    {
      "/": page("Home", "/a", "/b"),
      "/a": redirectTo("/c"),
      "/b": page("B"),
      "/c": page("C"),
      "/sitemap.xml": (_, response) => void response.end("<urlset></urlset>"),
    },
    { delayMs, withSitemaps: true },
  );
  expect(requests).toHaveLength(6);
  const gaps = requests.slice(1).map(({ atMs }, at) => atMs - requests[at]!.atMs);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delayMs - 2);
});

test("a crawl-delay of robots.txt is kept; one too long leaves the site alone", async () => {
  const slow = await crawlSite({
    "/robots.txt": "User-agent: *\nCrawl-delay: 0.3",
    "/": page("Home", "/a"),
    "/a": page("A"),
  });
  const gaps = slow.requests.slice(1).map(({ atMs }, at) => atMs - slow.requests[at]!.atMs);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(298);
  const tooSlow = await crawlSite(
    { "/robots.txt": "User-agent: *\nCrawl-delay: 300", "/": page("Home") },
    { name: "site-2" },
  );
  expect(paths(tooSlow.requests)).toEqual(["/robots.txt"]);
  expect(tooSlow.rows["/"]).toMatchObject({ state: "robots" });
});

test("D6: links to pages that wait raise their priority: with fewer writes than raises, and counted when they change nothing", async () => {
  const names = Array.from({ length: 30 }, (_, at) => `/p${at}`);
  const pages = Object.fromEntries(names.map((name) => [name, page(name, "/", ...names)]));
  const { rows, requests, job, raises } = await crawlSite({
    "/": page("Home", ...names),
    ...pages,
  });
  expect(Object.values(rows).map(({ state }) => state)).toEqual(Array(31).fill("found"));
  expect(paths(requests)).toEqual(["/", ...names, "/robots.txt"].sort());
  // A stored page is not added again, so the queue has no duplicates to check.
  expect(job).toMatchObject({ added: 31, done: 31 });
  // Each page links to all waiting ones: 29 + 28 + … links; of these, the first nine per page
  // count.
  expect(raises.raises).toBeGreaterThan(200);
  expect(raises.unchanged).toBeGreaterThan(50);
  expect(raises.writes).toBeGreaterThanOrEqual(1);
  expect(raises.writes).toBeLessThan(raises.raises / 20);
});

test("429 is asked again after what it asked for; what never answers well is failed, with its status", async () => {
  let asked = 0;
  const { rows, requests, job } = await crawlSite({
    "/": page("Home", "/busy", "/broken"),
    "/busy": (_, response) =>
      asked++ === 0
        ? void response.writeHead(429, { "retry-after": "1" }).end()
        : void response.writeHead(200, { "content-type": "text/html" }).end(page("Busy")),
    "/broken": (_, response) => void response.writeHead(500).end(),
  });
  expect(rows["/busy"]).toMatchObject({ state: "found", title: "Busy" });
  expect(rows["/broken"]).toMatchObject({ state: "failed", status: 500 });
  expect(requests.filter(({ path }) => path === "/broken")).toHaveLength(3);
  expect(job).toMatchObject({ failed: 1, ended: "completed" });
  const [first, second] = requests.filter(({ path }) => path === "/busy");
  expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(990);
});
