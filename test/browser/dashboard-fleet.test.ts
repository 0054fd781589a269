// inputs: src/** scripts/dashboard/** test/browser/dashboard/**
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openTestServe } from "../../src/app/serve/testing/open-test-serve.ts";
import { builtCli } from "../support/built-cli.ts";
import { fullAnswers } from "./dashboard/fixture-answers.ts";
import { startFixtureServer, type Answers } from "./dashboard/fixture-server.ts";
import { axeViolations, openBrowser, openWatchedPage, sidewaysPixels } from "./dashboard/open-dashboard.ts"; // prettier-ignore

/** A step waits for a browser and servers on a machine that may be busy. */
const pageTimeoutMs = 120_000;

let browser: Browser;
beforeAll(async () => {
  await builtCli();
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function openFixture(answers: Answers) {
  const { origin, stop } = await startFixtureServer(answers);
  onTestFinished(stop);
  return { origin, ...(await openPatientPage(origin)) };
}

async function openPatientPage(origin: string) {
  const { page, faults } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  return { page, faults };
}

/** Each screen with a text that is there when its data is. */
const screens = [
  ["/nodes", "Who lacks what"],
  ["/nodes?open=n3", "most have 0.1.0"],
  ["/nodes?open=n3&tab=log", "host asks to wait"],
  ["/nodes?open=n3&tab=scaling", "the process could not keep up"],
] as const;

async function expectFit(page: Page, what: string): Promise<void> {
  expect(await axeViolations(page), `${what}, light`).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 360, height: 740 });
  const rules = ["color-contrast", "scrollable-region-focusable", "target-size"];
  expect(await axeViolations(page, { rules }), `${what}, dark, on a phone`).toEqual([]);
  expect(await sidewaysPixels(page), `${what} scrolls sideways`).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
}

test("nodes, activity and settings are accessible, fit a phone and run without errors", async () => {
  const { page, faults, origin } = await openFixture(fullAnswers({ companies: [] }));
  for (const [path, text] of screens) {
    await page.goto(origin + path);
    await page.getByText(text).first().waitFor();
    await expectFit(page, path);
  }
  expect(faults).toEqual([]);
});

test("hostile names, log lines and answers are shown as text", async () => {
  const bad = `<img src=x onerror="window.isHacked=1">\u202e${"A".repeat(100_000)}`;
  const full = fullAnswers({ companies: [] });
  const spoilt = (text: string): unknown => JSON.parse(text.replaceAll(/"(pi-3|anna|host asks to wait)"/g, JSON.stringify(bad))); // prettier-ignore
  const { page, faults, origin } = await openFixture((request) => {
    const found = full(request);
    if (request.path === "/api/logs") return { body: { node: "n3", lines: [bad, JSON.stringify({ level: bad, time: 1, msg: bad })] } }; // prettier-ignore
    return found && { ...found, body: spoilt(JSON.stringify(found.body)) };
  });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ["/nodes", "/nodes?open=n3&tab=log"]) {
    await page.goto(origin + path);
    await page.getByText("<img src=x").first().waitFor();
    expect(await sidewaysPixels(page), path).toBe(0);
  }
  expect(await page.evaluate(() => "isHacked" in globalThis)).toBe(false);
  expect(faults).toEqual([]);
});

test("the fleet is paused: each node answers, and undo lets it work again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "forager-fleet-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bucket = { FORAGER_BUCKET_URL: `dir:${join(folder, "bucket")}` };
  const { origin } = await openTestServe({ isOpen: true, env: { ...bucket, FORAGER_NODE_NAME: "pi-1" } }); // prettier-ignore
  await openTestServe({ isOpen: true, env: { ...bucket, FORAGER_NODE_NAME: "pi-2" } });
  const { page, faults } = await openPatientPage(origin);
  await page.goto(`${origin}/nodes`);
  await page.getByRole("link", { name: "pi-2" }).first().waitFor();
  await page.getByRole("button", { name: "Pause all" }).click();
  await page.getByText("forager fleet set all pause").waitFor();
  await page.getByRole("button", { name: "Pause all nodes" }).click();
  const dialog = page.getByRole("dialog");
  const answers = dialog.getByRole("row").filter({ hasText: "followed" });
  await expect.poll(() => answers.count()).toBe(2);
  await dialog.getByText("done", { exact: true }).waitFor();
  expect(await answers.filter({ hasText: "pi-2" }).textContent()).toMatch(/\d m?s|\d min/);
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Undo" }).click();
  await dialog.getByText("resume", { exact: true }).waitFor();
  await expect.poll(() => answers.count()).toBe(2);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("region", { name: "Commands" }).getByText("resume").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("pi-2");
  await expect.poll(() => new URL(page.url()).searchParams.get("words")).toBe("pi-2");
  await page.reload();
  const table = page.getByRole("region", { name: "Nodes" });
  await table.getByRole("link", { name: "pi-2" }).waitFor();
  expect(await table.getByRole("link", { name: "pi-1" }).count()).toBe(0);
  expect(faults).toEqual([]);
});
