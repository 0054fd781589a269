import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { cpuMsOf } from "../base/testing/cpu-time.ts";
import { createPaths } from "../config/index.ts";
import { openCrawlFolder } from "./crawl-folder.ts";
import { crawlBudget, scopeOf, type CrawlPlan } from "./crawl-plan.ts";
import { crawlCsvLine, crawledPages } from "./crawl-report.ts";
import { urlPattern } from "./glob.ts";
import type { PageRow } from "./page-row.ts";

const plan = (more: Partial<CrawlPlan> = {}): CrawlPlan => ({
  version: 1,
  name: "acme.example-1",
  start: "https://acme.example/",
  startedAt: "2026-01-01T00:00:00.000Z",
  include: [],
  exclude: [],
  budget: crawlBudget,
  delayMs: 1_000,
  isDelayAsked: false,
  withSitemaps: false,
  contact: "you@example.org",
  allowAddresses: [],
  ...more,
});
const row = (url: string, more: Partial<PageRow> = {}): PageRow => ({
  url,
  kind: "page",
  state: "found",
  depth: 0,
  ms: 1,
  bytes: 10,
  at: "2026-01-01T00:00:00.000Z",
  atWorkMs: 5,
  ...more,
});

describe("patterns", () => {
  test.each([
    ["/blog/**", "https://a.example/blog/2024/x", true],
    ["/blog/**", "https://a.example/blogs/x", false],
    ["/blog/*", "https://a.example/blog/x", true],
    ["/blog/*", "https://a.example/blog/2024/x", false],
    ["/a/*/c", "https://a.example/a/b/c", true],
    ["/a/*/c", "https://a.example/a/b/b/c", false],
    ["**.html", "https://a.example/x/y.html", true],
    ["/list", "https://a.example/list?page=2", true],
    ["/list?page=*", "https://a.example/list?page=2", true],
    ["/list?page=*", "https://a.example/list?sort=2", false],
    ["https://shop.a.example/**", "https://shop.a.example/x", true],
    ["https://shop.a.example/**", "https://a.example/x", false],
    ["/a.b", "https://a.example/axb", false],
  ])("%s and %s: %s", (pattern, url, expected) => {
    expect(urlPattern(pattern)(url)).toBe(expected);
  });

  test("a pattern of stars alone, and a hostile one, cost no more than their length", () => {
    const path = "a".repeat(1_900);
    const isMatch = urlPattern(`${"*a".repeat(60)}b`);
    const cpuMs = cpuMsOf(() => expect(isMatch(`https://a.example/${path}`)).toBe(false));
    expect(cpuMs).toBeLessThan(1_000);
  });

  test("** before, between and after the parts of a path always match it", () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,5}$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const url = `https://a.example/${parts.join("/")}`;
        expect(urlPattern(`/${parts.join("/")}`)(url)).toBe(true);
        expect(urlPattern(`**${parts.join("**")}**`)(url)).toBe(true);
        expect(urlPattern(`/${parts.map(() => "*").join("/")}`)(url)).toBe(true);
        expect(urlPattern("/*")(url)).toBe(parts.length === 1);
        expect(urlPattern(`/${[...parts, "x"].map(() => "*").join("/")}`)(url)).toBe(false);
      }),
    );
  });
});

describe("which links are pages of a crawl", () => {
  test("those of the site, by include, exclude and depth; no files, no endless paths", () => {
    const scope = scopeOf(
      plan({
        include: ["/blog/**"],
        exclude: ["/blog/tags/**"],
        budget: { ...crawlBudget, depth: 2 },
      }),
    );
    expect(scope.own("/x?utm_source=1#y", "https://acme.example/")).toBe("https://acme.example/x");
    expect(scope.own("https://shop.acme.example/", "https://acme.example/")).toBeDefined();
    expect(scope.own("https://other.example/", "https://acme.example/")).toBeUndefined();
    expect(scope.wants("https://acme.example/blog/a", 1)).toBe(true);
    expect(scope.wants("https://acme.example/blog/a", 3)).toBe(false);
    expect(scope.wants("https://acme.example/blog/tags/a", 1)).toBe(false);
    expect(scope.wants("https://acme.example/shop", 1)).toBe(false);
    expect(scope.wants("https://acme.example/blog/a.zip", 1)).toBe(false);
    expect(scope.wants("https://acme.example/blog/a/a/a", 1)).toBe(false);
  });
});

describe("the folder of a crawl", () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-crawl-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("half a line that a killed process left loses nothing else; the last row of a page counts", async () => {
    const crawls = openCrawlFolder(createPaths(folder));
    await crawls.create(plan());
    const { name } = plan();
    expect(await crawls.rows(name)).toEqual([]);
    {
      await using rows = await crawls.openRows(name);
      await rows.write(row("https://acme.example/"));
      await rows.write(row("https://acme.example/a"));
    }
    appendFileSync(crawls.fileOf(name), '{"url":"https://acme.exa');
    {
      await using rows = await crawls.openRows(name);
      await rows.write(row("https://acme.example/a", { status: 404, state: "gone" }));
    }
    const rows = await crawls.rows(name);
    expect(rows.map(({ url, state }) => [url, state])).toEqual([
      ["https://acme.example/", "found"],
      ["https://acme.example/a", "gone"],
    ]);
    expect(await crawls.list()).toEqual([plan()]);
    await expect(crawls.load("../x")).rejects.toMatchObject({ code: "no_crawl" });
  });
});

test("links in are counted over all pages; a title is not a formula", () => {
  const links = ["https://a.example/b"];
  const rows = [row("https://a.example/b", { title: "=1+1" }), row("https://a.example/", { links }), row("https://a.example/c", { links })]; // prettier-ignore
  const pages = crawledPages(rows);
  expect(pages.map(({ url, linksIn, linksOut }) => [url, linksIn, linksOut])).toEqual([
    ["https://a.example/", 0, 1],
    ["https://a.example/b", 2, 0],
    ["https://a.example/c", 0, 1],
  ]);
  expect(crawlCsvLine(pages[1]!)).toContain(",'=1+1,");
});
