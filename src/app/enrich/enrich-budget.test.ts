import { afterEach, expect, test } from "vitest";
import {
  startSiteServer,
  type SiteAnswer,
  type SiteServer,
} from "../../crawl/testing/site-server.ts";
import { openEnrichBench, testCrawl, type EnrichBench } from "../testing/enrich-bench.ts";
import { page, words } from "../testing/floor-site.ts";

let bench: EnrichBench | undefined;
let site: SiteServer | undefined;
afterEach(async () => {
  await site?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
});

const links = Array.from({ length: 12 }, (_, at) => `<a href="/page-${at}">${at}</a>`).join(" ");
const padded = page("Home", `<p>${words}</p>${links}<!-- ${"x".repeat(20_000)} -->`);
const slowly =
  (answer: SiteAnswer, delayMs: number): SiteAnswer =>
  (request, response) =>
    void setTimeout(() => answer(request, response), delayMs);

/** A complete visit of a site with thirteen pages: its requests and its result. */
async function visited(crawl: Partial<typeof testCrawl>, answer: SiteAnswer) {
  bench = await openEnrichBench({ pages: 100, ...crawl });
  const names = Array.from({ length: 12 }, (_, at) => `/page-${at}`);
  const pages = Object.fromEntries(["/", ...names].map((path) => [path, answer] as const));
  site = await startSiteServer({ pages });
  const target = await bench.plant(`http://acme-floors.com:${site.port}/`);
  await bench.work();
  const { visit } = await bench.fieldsOf(target);
  return { pages: site.requests.filter(({ path }) => path in pages).length, visit };
}

test("without a tight budget every page is asked for", async () => {
  expect((await visited({}, padded)).pages).toBe(13);
});

test("a budget of pages ends a visit", async () => {
  const { pages, visit } = await visited({ pages: 4 }, padded);
  expect([pages, visit]).toEqual([4, expect.objectContaining({ outcome: "done", pages: 4 })]);
});

test("a budget of bytes ends a visit after the page that goes beyond it", async () => {
  const { pages, visit } = await visited({ bytes: 50_000 }, padded);
  expect([pages, visit]).toEqual([3, expect.objectContaining({ outcome: "done", pages: 3 })]);
});

test("a budget of seconds ends a visit, however few its pages", async () => {
  const { pages, visit } = await visited({ seconds: 1 }, slowly(padded, 400));
  expect(pages).toBeGreaterThanOrEqual(1);
  expect(pages).toBeLessThanOrEqual(3);
  expect(visit).toMatchObject({ outcome: "done", pages });
});
