import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createMetrics } from "../../base/metrics.ts";
import { createHttpFetcher } from "../adapters/http/http-fetcher.ts";
import { createFetchCounter } from "../fetch-counter.ts";
import { redirectTo, startSiteServer, type SiteAnswer } from "../testing/site-server.ts";
import { isAllowedByRobots } from "./match-robots.ts";
import { createMemoryRobotsCache } from "./memory-robots-cache.ts";
import { readRobots, robotsKeptMs, unreachableKeptMs, type RobotsCache } from "./read-robots.ts";

const open = () =>
  createHttpFetcher({ userAgent: "forager/1", allowPrivateNetworks: ["127.0.0.1"] });
const text =
  (body: string | Uint8Array): SiteAnswer =>
  (_, response) =>
    void response.writeHead(200, { "content-type": "text/plain" }).end(body);
const status =
  (code: number): SiteAnswer =>
  (_, response) =>
    void response.writeHead(code).end();

async function read(
  pages: Readonly<Record<string, SiteAnswer>>,
  { cache, nowMs = 0 }: { readonly cache?: RobotsCache; readonly nowMs?: number } = {},
) {
  await using site = await startSiteServer({ pages });
  await using fetcher = open();
  const note = await readRobots({
    fetcher,
    origin: site.origin,
    token: "forager",
    nowMs: () => nowMs,
    ...(cache && { cache }),
  });
  const allows = (path: string) => isAllowedByRobots(note.robots, site.origin + path);
  return { note, allows, requests: site.requests.map(({ path }) => path) };
}

describe("robots.txt of a host", () => {
  test("is read and obeyed, also after redirects", async () => {
    const rules = text("User-agent: *\nDisallow: /x");
    const hops = Object.fromEntries(
      [1, 2, 3, 4].map((at) => [`/r${at}`, redirectTo(`/r${at + 1}`)]),
    );
    const { note, allows, requests } = await read({
      "/robots.txt": redirectTo("/r1"),
      ...hops,
      "/r5": rules,
    });
    expect(note.state).toBe("read");
    expect([allows("/x"), allows("/y"), requests.length]).toEqual([false, true, 6]);
  });

  test.each([
    [404, "absent", true],
    [403, "absent", true],
    [401, "absent", true],
    [410, "absent", true],
    [429, "unreachable", false],
    [500, "unreachable", false],
    [503, "unreachable", false],
  ])("%i: %s", async (code, state, isAllowed) => {
    const { note, allows } = await read({ "/robots.txt": status(code) });
    expect([note.state, allows("/"), note.isOffline]).toEqual([state, isAllowed, undefined]);
  });

  test("redirects without end are as none; no host at all forbids", async () => {
    const pages = { "/robots.txt": redirectTo("/r"), "/r": redirectTo("/robots.txt") };
    expect((await read(pages)).note.state).toBe("absent");
    await using fetcher = open();
    const options = { fetcher, token: "forager", nowMs: () => 0 };
    const note = await readRobots({ ...options, origin: "http://127.0.0.1:1" });
    expect(note).toMatchObject({ state: "unreachable", isOffline: true });
  });

  test("an endless one is read as far as it counts", async () => {
    const { note, allows } = await read({
      "/robots.txt": (_, response) => {
        response.on("error", () => {});
        response.write("User-agent: *\nDisallow: /x\n");
        const more = () => {
          while (!response.destroyed && response.write(`# ${"x".repeat(10_000)}\n`));
          if (!response.destroyed) response.once("drain", more);
        };
        more();
      },
    });
    expect([note.state, allows("/x")]).toEqual(["read", false]);
  });

  test("is kept for a day, and not longer; what was unreachable for an hour", async () => {
    const cache = createMemoryRobotsCache({ clock: systemClock });
    await using site = await startSiteServer({
      pages: { "/robots.txt": text("User-agent: *\nDisallow: /x") },
    });
    await using fetcher = open();
    const at = (nowMs: number) =>
      readRobots({ fetcher, origin: site.origin, token: "forager", cache, nowMs: () => nowMs });
    await at(0);
    await at(robotsKeptMs - 1);
    expect(site.requests.length).toBe(1);
    await at(robotsKeptMs);
    expect(site.requests.length).toBe(2);

    const dead = { fetcher, origin: "http://127.0.0.1:1", token: "forager", cache };
    await readRobots({ ...dead, nowMs: () => 0 });
    expect((await readRobots({ ...dead, nowMs: () => unreachableKeptMs - 1 })).atMs).toBe(0);
    expect((await readRobots({ ...dead, nowMs: () => unreachableKeptMs })).atMs).toBe(
      unreachableKeptMs,
    );
  });

  test("rules that were known stay in force while the file cannot be had", async () => {
    const cache = createMemoryRobotsCache({ clock: systemClock });
    let isDown = false;
    const pages = {
      "/robots.txt": ((request, response) =>
        isDown
          ? status(500)(request, response)
          : text("User-agent: *\nDisallow: /x")(request, response)) as SiteAnswer,
    };
    await using site = await startSiteServer({ pages });
    await using fetcher = open();
    const at = (nowMs: number) =>
      readRobots({ fetcher, origin: site.origin, token: "forager", cache, nowMs: () => nowMs });
    await at(0);
    isDown = true;
    expect((await at(2 * robotsKeptMs)).state).toBe("read");
    expect((await at(31 * robotsKeptMs)).state).toBe("unreachable");
  });

  test("the memory of it is bounded", async () => {
    const cache = createMemoryRobotsCache({ clock: systemClock, originsMax: 2 });
    const note = { state: "absent", robots: { rules: [], sitemaps: [] }, atMs: 0 } as const;
    for (const origin of ["a", "b"]) await cache.put(origin, note);
    await cache.get("a");
    await cache.put("c", note);
    const kept = await Promise.all(["a", "b", "c"].map((origin) => cache.get(origin)));
    expect(kept.map((one) => one !== undefined)).toEqual([true, false, true]);
  });

  test("what hostile sites did is counted", async () => {
    await using site = await startSiteServer({ pages: { "/": text("x"), "/no": status(403) } });
    const metrics = createMetrics();
    await using fetcher = createFetchCounter(metrics)(open());
    for (const path of ["/", "/no", "/missing"]) await fetcher.fetch({ url: site.origin + path });
    await fetcher.fetch({ url: "http://169.254.169.254/" });
    const counted = metrics.snapshot().find(({ name }) => name === "forager_fetches_total")!.series;
    expect(counted.map(({ values, value }) => `${values.join()} ${value}`).sort()).toEqual([
      "blocked 1",
      "found 1",
      "private_address 1",
      "status 1",
    ]);
  });
});
