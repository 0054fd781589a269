import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { redirectTo, startSiteServer, type SiteAnswer } from "../../crawl/testing/site-server.ts";
import type { SiteServer } from "../../crawl/testing/site-server.ts";
import { openEnrichBench, type EnrichBench } from "../testing/enrich-bench.ts";
import { email, status, text, withContact } from "../testing/floor-site.ts";

let bench: EnrichBench;
let site: SiteServer | undefined;
beforeEach(async () => void (bench = await openEnrichBench()));
afterEach(async () => {
  await site?.[Symbol.asyncDispose]();
  site = undefined;
  await bench[Symbol.asyncDispose]();
});

/** A site with its own host name. */
async function serve(pages: Readonly<Record<string, SiteAnswer>>, host = "acme-floors.com") {
  site = await startSiteServer({ pages });
  return `http://${host}:${site.port}`;
}
const asked = () => site!.requests.map(({ path }) => path);
const visitOf = async (target: string) =>
  (await bench.fieldsOf(target))["visit"] as Record<string, unknown> | undefined;

describe("the pace of a visit", () => {
  test("a robots.txt that fails once is asked for again before anything is decided", async () => {
    let isDown = true;
    const website = await serve({
      ...withContact,
      "/robots.txt": (request, response) => {
        const answer = isDown ? status(500) : text("User-agent: *\nDisallow: /x");
        isDown = false;
        return answer(request, response);
      },
    });
    const target = await bench.plant(`${website}/`);
    await bench.work();
    expect(asked().slice(0, 3)).toEqual(["/robots.txt", "/robots.txt", "/"]);
    expect(await visitOf(target)).toMatchObject({ outcome: "done" });
  });

  test("lesson 52: every request passes the pacing, redirects and robots.txt among them", async () => {
    await bench[Symbol.asyncDispose]();
    bench = await openEnrichBench({ delayMs: 120 });
    const website = await serve({
      ...withContact,
      "/robots.txt": redirectTo("/r.txt"),
      "/r.txt": text("User-agent: *\nDisallow: /x"),
      "/": redirectTo("/home"),
      "/home": withContact["/"],
    });
    const target = await bench.plant(`${website}/`);
    await bench.work();
    expect(asked()).toEqual(["/robots.txt", "/r.txt", "/", "/home", "/contact", "/sitemap.xml"]);
    const moments = site!.requests.map(({ atMs }) => atMs);
    const gaps = moments.slice(1).map((atMs, at) => atMs - moments[at]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(118);
    expect(await visitOf(target)).toMatchObject({ outcome: "done" });
  });

  test("lesson 52: two companies on a host whose pace nobody had set: nothing goes out before it is", async () => {
    await bench[Symbol.asyncDispose]();
    bench = await openEnrichBench({ delayMs: 500, pages: 1 });
    const website = await serve({ "/a": withContact["/"], "/b": withContact["/"] });
    await bench.plant(`${website}/a`);
    await bench.plant(`${website}/b`);
    await bench.work();
    expect(
      asked()
        .filter((path) => path.length === 2)
        .sort(),
    ).toEqual(["/a", "/b"]);
    const moments = site!.requests.map(({ atMs }) => atMs);
    const gaps = moments.slice(1).map((atMs, at) => atMs - moments[at]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(498);
  });

  test("a Crawl-delay that is longer than ours becomes the gate's, one that is too long ends it", async () => {
    const website = await serve({
      ...withContact,
      "/robots.txt": text("User-agent: *\nCrawl-delay: 0.2"),
    });
    await bench.plant(`${website}/`);
    await bench.work();
    expect((await bench.queue.gate("acme-floors.com"))?.delayMs).toBe(200);
    await site![Symbol.asyncDispose]();
    const slow = await serve({ "/robots.txt": text("User-agent: *\nCrawl-delay: 90") }, "slow.com");
    const target = await bench.plant(`${slow}/`);
    await bench.work();
    expect(asked()).toEqual(["/robots.txt"]);
    expect(await visitOf(target)).toMatchObject({ outcome: "robots" });
  });

  test("429 with Retry-After: the gate is blocked, the request tried again, nothing else asked", async () => {
    let isBusy = true;
    const website = await serve({
      ...withContact,
      "/contact": (request, response) => {
        if (!isBusy) return withContact["/contact"](request, response);
        isBusy = false;
        return status(429, { "retry-after": "2" })(request, response);
      },
    });
    const target = await bench.plant(`${website}/`);
    await bench.work();
    const [first, second] = site!.requests.filter(({ path }) => path === "/contact");
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(1_990);
    expect((await bench.fieldsOf(target))[email]).toBeDefined();
  });
});
