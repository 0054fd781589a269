// inputs: src/crawl/** scripts/services/**
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { findChromium } from "../../src/crawl/adapters/browser/find-chromium.ts";
import {
  needsScripts,
  textOf,
  type Fetcher,
  type FetchFound,
  type Hop,
} from "../../src/crawl/index.ts";
import { fetcherSuite } from "../../src/crawl/testing/fetcher-suite.ts";
import { redirectTo, startSiteServer } from "../../src/crawl/testing/site-server.ts";
import { growthMbOverTasks } from "./browser-memory.ts";
import { openBrowserFetcher } from "./open-browser-fetcher.ts";
import { ownBrowserId } from "./own-browser.ts";

// Its pages have no scripts, so nothing is waited for.
fetcherSuite({ name: "browser", open: () => openBrowserFetcher({ settleMs: 1 }) });

describe("the browser fetcher", () => {
  let fetcher: Fetcher;
  beforeAll(async () => {
    fetcher = await openBrowserFetcher();
  });
  afterAll(() => fetcher[Symbol.asyncDispose]());
  const script = (code: string) => `<body><p id="p">before</p><script>${code}</script></body>`;
  const write = (expression: string) => `document.getElementById("p").textContent = ${expression};`;

  test("gives the page as its scripts left it, data of its own site included", async () => {
    const page = script(
      `fetch("/data").then((r) => r.text()).then((t) => { ${write('"after " + t')} });`,
    );
    await using site = await startSiteServer({
      pages: { "/": page, "/data": "info@acme.example" },
    });
    const hops: Hop[] = [];
    const found = (await fetcher.fetch({
      url: `${site.origin}/`,
      beforeRequest: (hop) => (hops.push(hop), "go"),
    })) as FetchFound;
    expect(textOf(found).text).toContain("after info@acme.example");
    expect(hops.map(({ url, purpose }) => `${purpose} ${new URL(url).pathname}`)).toEqual([
      "page /",
      "part /data",
    ]);
    expect(site.requests.length).toBe(2);
    expect(found.bytes.wire).toBeGreaterThan(page.length);
  });

  test.runIf(process.platform === "linux")(
    "B27: no process of the browser gets the worker's environment, which may hold secrets",
    async () => {
      vi.stubEnv("AWS_SECRET_ACCESS_KEY", "Barracuda");
      onTestFinished(() => void vi.unstubAllEnvs());
      await using other = await openBrowserFetcher();
      await using site = await startSiteServer({ pages: { "/": "<p>x</p>" } });
      expect((await other.fetch({ url: `${site.origin}/` })).kind).toBe("found");
      /** A process may end while it is looked at. */
      const read = (pid: number, name: string) => {
        try {
          return readFileSync(`/proc/${pid}/${name}`, "latin1");
        } catch {
          return "";
        }
      };
      const below = (pid: number): readonly number[] =>
        read(pid, `task/${pid}/children`)
          .split(" ")
          .filter((child) => child !== "")
          .flatMap((child) => [Number(child), ...below(Number(child))]);
      const browsers = below(process.pid).filter((pid) => read(pid, "cmdline").includes("chrom"));
      expect(browsers.length).toBeGreaterThan(2);
      const environments = browsers.map((pid) => read(pid, "environ"));
      expect(environments.join("\0")).toContain("LANG=C.UTF-8");
      const leaks = environments.filter((text) => text.includes("Barracuda"));
      expect(leaks.length).toBe(0);
    },
  );

  test("pictures, films, fonts and posts are not loaded", async () => {
    const page = `<img src="/a.png"><video src="/b.mp4" autoplay></video>
      <style>@font-face { font-family: x; src: url(/c.woff2) } p { font-family: x; background: url(/d.png) }</style><p>x</p>
      <script>fetch("/e", { method: "POST", body: "x" }); navigator.sendBeacon("/f", "x"); new WebSocket("ws://" + location.host + "/g");</script>`;
    await using site = await startSiteServer({ pages: { "/": page } });
    expect((await fetcher.fetch({ url: `${site.origin}/` })).kind).toBe("found");
    expect(site.requests.map(({ path }) => path)).toEqual(["/"]);
  });

  test("a page reaches no private address, by whatever way", async () => {
    await using inside = await startSiteServer({
      pages: { "/secret": "secret" },
      address: "127.0.0.2",
    });
    const way = `${inside.origin}/secret`;
    const page = `<iframe src="${way}"></iframe><script src="${way}"></script><link rel="stylesheet" href="${way}">
      <link rel="preconnect" href="${inside.origin}"><link rel="prefetch" href="${way}">
      <script>fetch("${way}"); fetch("/to"); new WebSocket("ws://127.0.0.2:${inside.port}/"); new Worker("/worker.js");
      fetch("http://inside.example:${inside.port}/"); window.open("${way}"); </script>`;
    const worker = `importScripts("${way}"); fetch("${way}");`;
    await using site = await startSiteServer({
      pages: {
        "/": page,
        "/to": redirectTo(way),
        "/worker.js": (_, response) =>
          void response.writeHead(200, { "content-type": "text/javascript" }).end(worker),
      },
    });
    const found = await fetcher.fetch({ url: `${site.origin}/` });
    expect(found.kind).toBe("found");
    expect(inside.connections()).toBe(0);
  });

  test("A5: nothing of one page is seen by the next", async () => {
    const page = script(
      `${write('(document.cookie || "no cookie") + (localStorage.x || " no store")')} document.cookie = "a=1"; localStorage.x = " kept";`,
    );
    await using site = await startSiteServer({ pages: { "/": page } });
    for (let turn = 0; turn < 2; turn++) {
      const found = (await fetcher.fetch({ url: `${site.origin}/` })) as FetchFound;
      expect(textOf(found).text).toContain("no cookie no store");
    }
  });

  test("a page that sends itself elsewhere is followed, not for ever", async () => {
    await using site = await startSiteServer({
      pages: {
        "/": script('location.href = "/next";'),
        "/next": "<p>arrived</p>",
        "/on": script('location.href = "/on?" + Math.random();'),
      },
    });
    const found = (await fetcher.fetch({ url: `${site.origin}/` })) as FetchFound;
    expect([found.url, textOf(found).text.includes("arrived")]).toEqual([
      `${site.origin}/next`,
      true,
    ]);
    await fetcher.fetch({ url: `${site.origin}/on` });
    expect(site.requests.filter(({ path }) => path.startsWith("/on")).length).toBeLessThanOrEqual(
      3,
    );
  });

  test("scripts that never end are out of time", async () => {
    await using site = await startSiteServer({
      pages: { "/": script("for (;;);"), "/ok": "<p>ok</p>" },
    });
    const outcome = await fetcher.fetch({ url: `${site.origin}/`, limits: { totalMs: 1_500 } });
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
    expect((await fetcher.fetch({ url: `${site.origin}/ok` })).kind).toBe("found");
  });

  test("a browser that was killed is started again", async () => {
    await using site = await startSiteServer({ pages: { "/": "<p>there</p>" } });
    const fetch = () => fetcher.fetch({ url: `${site.origin}/` });
    expect((await fetch()).kind).toBe("found");
    process.kill(ownBrowserId(), "SIGKILL");
    expect((await fetch()).kind).toBe("found");
    expect((await fetch()).kind).toBe("found");
  });

  test("only what needs its scripts is rendered, where that is asked for", async () => {
    const full = `<p>${"We lay floors of oak and ash. ".repeat(20)}</p>${script(write('"after"'))}`;
    await using site = await startSiteServer({
      pages: { "/": full, "/app": script(write('"after"')) },
    });
    await using choosy = await openBrowserFetcher({
      isNeeded: (found) => needsScripts(textOf(found).text),
    });
    const texts = await Promise.all(
      ["/", "/app"].map(async (path) => {
        return textOf((await choosy.fetch({ url: site.origin + path })) as FetchFound).text;
      }),
    );
    expect(texts.map((text) => text.includes(">after<"))).toEqual([false, true]);
    expect(site.requests.length).toBe(2);
  });

  test("a browser that is not there is named", () => {
    expect(findChromium(process.execPath)).toBe(process.execPath);
    expect(() => findChromium("/nowhere/chromium")).toThrow(/no program at \/nowhere\/chromium/);
  });

  test("memory is flat over tasks (200 in the long form)", async () => {
    expect(await growthMbOverTasks(12)).toBeLessThan(40);
  });
});
