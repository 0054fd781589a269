// inputs: src/** scripts/dashboard/** test/browser/dashboard/** test/support/**
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { openTestServe } from "../../src/app/serve/testing/open-test-serve.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { readVersion } from "../../src/base/version.ts";
import { builtCli, createSandbox } from "../support/built-cli.ts";
import { startFakeWeb } from "../support/fake-web.ts";
import { runUp } from "../support/run-up.ts";
import { axeViolations, openBrowser, openWatchedPage } from "./dashboard/open-dashboard.ts";

/** A step waits for a browser, a server and workers on a machine that may be busy. */
const pageTimeoutMs = 120_000;

let browser: Browser;
beforeAll(async () => {
  await builtCli();
  browser = await openBrowser();
});
afterAll(() => browser?.close());

test("find a company, correct its phone, keep a note: the file on disk changes", async () => {
  const { origin, paths } = await openTestServe({ isOpen: true });
  await using node = await openNodeIn({ kind: "command", paths, log: silentLogger, user: "test", version: readVersion() }); // prettier-ignore
  for (const [name, phone] of [
    ["Capital Floors", "+15125550142"],
    ["Lone Star Tile", "+15125550177"],
  ] as const) {
    // prettier-ignore
    await node.api.records.create({
      source: "site:http://www.floors.example/",
      fields: { name, city: "Austin", country: "US", [`phone/${phone}`]: true },
    });
  }
  const { page, faults } = await openWatchedPage(browser, origin);
  await page.goto(`${origin}/companies`);
  await page.getByText("2 companies").waitFor();
  await page.getByRole("searchbox").fill("austin capit");
  await page.getByText("1 company").waitFor();
  await page.getByRole("link", { name: "Capital Floors" }).click();
  await page.getByRole("button", { name: "Edit phone +15125550142" }).click();
  await page.getByLabel("Change phone").fill("+15125550199");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Edit phone +15125550199" }).waitFor();
  const file = () =>
    readFileSync(paths.resolve("companies", "capital-floors", "_index.md"), "utf8");
  await expect.poll(file).toContain("+15125550199");
  expect(file()).not.toContain("+15125550142");

  await page.getByRole("link", { name: "Notes and calls" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("wants a quote <b>soon</b>");
  await page.getByRole("button", { name: "Save note" }).click();
  await page.getByText("wants a quote <b>soon</b>").waitFor();
  await page.getByRole("link", { name: "History" }).click();
  await page.getByText("replaced").or(page.getByText("removed")).first().waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(faults).toEqual([]);
});

test("a mistake in a campaign's configuration is shown, and the corrected one is saved", async () => {
  const { origin, paths } = await openTestServe({ isOpen: true });
  const file = paths.resolve("campaigns", "austin", "config.toml");
  mkdirSync(paths.resolve("campaigns", "austin"), { recursive: true });
  const config = `phrases = ["plumber"]\nproximityKm = 10\n[[locations]]\nname = "Austin"\nlat = 30.27\nlon = -97.74\n`;
  writeFileSync(file, config);
  const { page } = await openWatchedPage(browser, origin);
  await page.goto(`${origin}/campaigns/austin?tab=config`);
  const editor = page.getByRole("textbox", { name: "config.toml" });
  await editor.fill(config.replace("proximityKm = 10", 'proximityKm = "far"'));
  await page.getByRole("alert").getByText("proximityKm").waitFor();
  expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  await editor.fill(config.replace('["plumber"]', '["plumber", "roofer"]'));
  await page.getByText("checked: no errors").waitFor();
  await page.getByText('+ phrases = ["plumber", "roofer"]').waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(() => readFileSync(file, "utf8")).toContain("roofer");
});

test("the overview changes by itself: it asks for live events, and never for the status", async () => {
  const { origin, client } = await openTestServe({ isOpen: true });
  const { page, faults } = await openWatchedPage(browser, origin);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${origin}/`);
  await page.getByText("No task waits").waitFor();
  await client.send("POST", "/api/queue/tasks", {
    body: { tasks: [{ kind: "page" }, { kind: "page" }] },
  });
  await page.getByText("Why 2 tasks wait").waitFor();
  await client.send("POST", "/api/companies", { body: { name: "Acme", fields: {} } });
  await page.getByRole("link", { name: "Acme" }).waitFor();
  expect(asked).toContain("/api/events");
  expect(asked).not.toContain("/api/status");
  expect(faults).toEqual([]);
});

test("a campaign that was dispatched is paused and resumed, and says that nobody works", async () => {
  const { origin, paths } = await openTestServe({ isOpen: true });
  mkdirSync(paths.resolve("campaigns", "austin"), { recursive: true });
  const place = { id: "p1", name: "Acme Plumbing", latitude: 30.27, longitude: -97.74, category: "craft=plumber" }; // prettier-ignore
  writeFileSync(paths.resolve("campaigns", "austin", "places.jsonl"), JSON.stringify(place));
  writeFileSync(
    paths.resolve("campaigns", "austin", "config.toml"),
    `phrases = ["plumber"]\nproximityKm = 10\n[[locations]]\nname = "Austin"\nlat = 30.27\nlon = -97.74\n[sources]\nfile = "places.jsonl"\n`,
  );
  const { page } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  await page.goto(`${origin}/campaigns/austin`);
  await page.getByText("Not run yet.").waitFor();
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByText("1 search due").waitFor();
  await page.getByRole("button", { name: "Start 1 task" }).click();
  const work = page.getByRole("region", { name: "Work of the campaign" });
  await work.getByText("1 waiting").waitFor();
  await work.getByText("forager up").waitFor();
  await work.getByRole("button", { name: "Pause" }).click();
  await work.getByText("paused").waitFor();
  await page.getByRole("status").getByRole("button", { name: "Resume" }).click();
  await work.getByText("running", { exact: true }).waitFor();
});

test("create a campaign and watch it run until its companies are in the list", async () => {
  const web = await startFakeWeb(8);
  onTestFinished(() => web[Symbol.asyncDispose]());
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const file = join(sandbox.folder, "places.jsonl");
  writeFileSync(file, web.places.map((place) => JSON.stringify(place)).join("\n"));
  const up = await runUp(sandbox, ["--data", "data", "--json"], {
    FORAGER_SERVE_LISTEN: "127.0.0.1:0",
    FORAGER_GOSSIP_ON: "no",
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: web.network,
    FORAGER_CRAWL_BROWSER: "off",
    FORAGER_CRAWL_CONTACT: "you@forager-tests.org",
  });
  const link = () => /http:\/\/\S+\/login\?code=\S+/.exec(up.part("dashboard")?.text ?? "")?.[0];
  await expect.poll(link, { timeout: pageTimeoutMs }).toBeDefined();
  const { page, faults } = await openWatchedPage(browser, new URL(link()!).origin);
  page.setDefaultTimeout(pageTimeoutMs);
  await page.goto(link()!);
  await page.getByRole("link", { name: "Campaigns", exact: true }).first().click();
  await page.getByRole("link", { name: "New campaign" }).click();
  await page.getByLabel("Name, as its folder").fill("bakers");
  await page.getByRole("button", { name: "Make it" }).click();
  const config = `phrases = ["carpenter", "bakery"]\nproximityKm = 5\n[[locations]]\nname = "Nowhere"\nlat = 46.6\nlon = -30\n[sources]\nfile = ${JSON.stringify(file)}\n[politeness]\ndelayMs = 100\n`;
  await page.getByRole("textbox", { name: "config.toml" }).fill(config);
  await page.getByText("checked: no errors").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Configuration saved").waitFor();
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("button", { name: /^Start \d+ task/ }).click();
  const work = page.getByRole("region", { name: "Work of the campaign" });
  await work.getByText("up to date").waitFor();
  await page.getByRole("link", { name: "Companies", exact: true }).first().click();
  await page.getByText("8 companies").waitFor();
  await page.getByRole("link", { name: "With email" }).click();
  await expect.poll(() => page.locator("tbody tr").count(), { timeout: pageTimeoutMs }).toBeGreaterThan(0); // prettier-ignore
  expect(faults).toEqual([]);
});
