// inputs: src/** scripts/services/**
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../../scripts/services/chromium.ts";
import { openEnrichBench, type EnrichBench } from "../../src/app/testing/enrich-bench.ts";
import { startSiteServer, type SiteServer } from "../../src/crawl/testing/site-server.ts";
import { email, page, text, words } from "../../src/app/testing/floor-site.ts";

const shell = `<!doctype html><html><head><title>Acme</title></head><body><div id="root"></div>
  <script src="/app.js"></script></body></html>`;
/** Writes the page: its text from one more request, and a script that a visitor's browser would load. */
const app = (more = "") => `fetch("/data.json").then((r) => r.json()).then(({ words, mail }) => {
  document.getElementById("root").innerHTML = "<p>" + words + "</p><a href='mailto:" + mail + "'>Write</a><a href='/contact'>Contact</a>";
}); ${more}`;
const answer =
  (type: string, body: string) => (_: unknown, response: import("node:http").ServerResponse) =>
    void response.writeHead(200, { "content-type": type, etag: '"v1"' }).end(body);
const site = (more = "") => ({
  "/": answer("text/html", shell),
  "/app.js": answer("text/javascript", app(more)),
  "/data.json": answer("application/json", JSON.stringify({ words, mail: "info@acme-floors.com" })),
  "/contact": page("Contact", `<p>${words}</p>`),
});

describe("visits with a browser", () => {
  let browserPath: string;
  let bench: EnrichBench | undefined;
  let server: SiteServer | undefined;
  beforeAll(async () => void (browserPath = (await findChromium(() => {})).path));
  afterEach(async () => {
    await server?.[Symbol.asyncDispose]();
    await bench?.[Symbol.asyncDispose]();
  });

  const asked = () => server!.requests.map(({ path }) => path);
  async function visited(
    crawl: Parameters<typeof openEnrichBench>[0],
    pages: Parameters<typeof startSiteServer>[0]["pages"],
  ) {
    bench = await openEnrichBench(crawl);
    server = await startSiteServer({ pages });
    const target = await bench.plant(`http://acme-floors.com:${server.port}/`);
    await bench.work();
    return bench.fieldsOf(target);
  }

  test("auto: a shell is rendered, at the pace of its host, and its facts name the page", async () => {
    const delayMs = 300;
    const known = await visited({ browser: "auto", browserPath, delayMs }, site());
    expect(asked()).toEqual([
      "/robots.txt",
      "/",
      "/app.js",
      "/data.json",
      "/contact",
      "/sitemap.xml",
    ]);
    const times = server!.requests.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, index) => atMs - times[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delayMs - 2);
    expect(known[email]).toMatchObject({
      method: "mailto",
      url: `http://acme-floors.com:${server!.port}/`,
    });
    expect(known["visit"]).toMatchObject({ outcome: "done", pages: 2, seen: [email] });
    // Nothing is kept by which the shell would be taken for unchanged.
    expect(JSON.stringify(known)).not.toContain("v1");
  });

  test("off: the same site says nothing", async () => {
    const known = await visited({ browser: "off" }, site());
    expect(known[email]).toBeUndefined();
    expect(asked()).not.toContain("/app.js");
  });

  test("auto: a page with words of its own is not rendered; always: it is", async () => {
    const full = page("Home", `<p>${words}</p><p>${words}</p><script src="/app.js"></script>`);
    await visited({ browser: "auto", browserPath }, { ...site(), "/": full });
    expect(asked()).not.toContain("/app.js");
    await server![Symbol.asyncDispose]();
    await bench![Symbol.asyncDispose]();
    await visited({ browser: "always", browserPath }, { ...site(), "/": full });
    expect(asked()).toContain("/app.js");
  });

  test("parts that robots.txt forbids, or of other hosts, are not asked for", async () => {
    await using other = await startSiteServer({ pages: { "/x.js": "" } });
    const more = `import("http://cdn.example:${other.port}/x.js");`;
    const known = await visited(
      { browser: "auto", browserPath },
      { ...site(more), "/robots.txt": text("User-agent: *\nDisallow: /data.json") },
    );
    expect(asked()).toContain("/app.js");
    expect(asked()).not.toContain("/data.json");
    expect(other.requests).toEqual([]);
    expect([known[email], (known["visit"] as { outcome: string }).outcome]).toEqual([
      undefined,
      "done",
    ]);
  });

  test("bytes of parts count: a budget ends the visit", async () => {
    const heavy = `/* ${"x".repeat(40_000)} */`;
    await visited({ browser: "auto", browserPath, bytes: 30_000 }, site(heavy));
    expect(asked()).toContain("/app.js");
    expect(asked()).not.toContain("/contact");
  });

  test("auto: without a browser it says once what is missing, and reads the page as it came", async () => {
    const known = await visited({ browser: "auto", browserPath: "/nowhere/chromium" }, site());
    expect(known["visit"]).toMatchObject({ outcome: "done" });
    expect(bench!.warnings).toHaveLength(1);
    expect(bench!.warnings[0]).toMatch(/cannot be read.*no program at \/nowhere\/chromium/);
  });

  test("always: without a browser the task fails, and says what is missing", async () => {
    await visited({ browser: "always", browserPath: "/nowhere/chromium" }, site());
    const [failed] = await bench!.queue.browse({ states: ["failed"] });
    expect(JSON.stringify(failed)).toContain("no program at /nowhere/chromium");
  });
});

test("without playwright-core it says what to install", async () => {
  const keeper = fileURLToPath(
    new URL("../../src/crawl/adapters/browser/browser-keeper.ts", import.meta.url),
  );
  const hooks = `export async function resolve(name, context, next) {
    if (name === "playwright-core") throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  }`;
  const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = `import { register } from "node:module"; register(${JSON.stringify(asUrl(hooks))});`;
  const program = `import { createBrowserKeeper } from ${JSON.stringify(keeper)};
    await createBrowserKeeper({}).browser().catch((error) => console.log(error.code, error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--import",
    "tsx",
    "--import",
    asUrl(register),
    "--input-type=module",
    "--eval",
    program,
  ]);
  expect(stdout).toMatch(/^browser_driver_missing .*npm install playwright-core/);
});
