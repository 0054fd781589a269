// inputs: src/** scripts/dashboard/** test/browser/dashboard/**
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtCli } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";
import { fullAnswers } from "./dashboard/fixture-answers.ts";
import { sampleCompany, sampleSession } from "./dashboard/fixture-data.ts";
import { startFixtureServer, type Answers } from "./dashboard/fixture-server.ts";
import { axeViolations, mouseOnly, openBrowser, openWatchedPage, expectNoSidewaysScroll } from "./dashboard/open-dashboard.ts"; // prettier-ignore

/** Each screen with a text that is there when its data is. */
const screens = [
  ["/", "Newest companies"],
  ["/campaigns", "munich-bakers"],
  ["/campaigns/austin-flooring", "robots.txt does not allow the visit"],
  ["/map?campaign=austin-flooring&tile=30.2_-97.8", "in this tile"],
  ["/companies", "Lone Star Tile & Stone"],
  ["/companies?open=capital-hardwood-floors", "companies/capital-hardwood-floors/_index.md"],
  ["/companies/duplicates", "certainly the same"],
] as const;

/** Panels: where, the button that opens it, and a text that is there when its data is. */
const panels = [
  ["/", "What to do", "Usual causes"],
  ["/campaigns/austin-flooring", "Run", "290 searches due"],
  ["/campaigns/austin-flooring", "Retry failed tasks", "38 failed tasks"],
  ["/companies", "Change all", "Records that match later are not changed"],
  ["/companies/duplicates", "Compare", "Merge into Capital Hardwood Floors"],
  ["/companies?open=capital-hardwood-floors", "Delete", "on every node"],
] as const;

const focused = (page: Page): Promise<string> =>
  page.evaluate("(document.activeElement.innerText ?? '').trim().split('\\n')[0]");

/** Presses Tab until what has the focus begins with this text. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press("Tab");
    if ((await focused(page)).startsWith(text)) return;
  }
  throw new Error(`no Tab leads to "${text}"`);
}

describe("the dashboard in Chromium", () => {
  let browser: Browser;
  const servers: { stop(): Promise<void> }[] = [];
  const serve = async (answers: Answers) => {
    const server = await startFixtureServer(answers);
    servers.push(server);
    return server.origin;
  };
  beforeAll(async () => {
    await builtCli();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) await server.stop();
  });

  test("every screen is accessible, fits a phone and runs without errors, light and dark", async () => {
    const companies = Array.from({ length: 20 }, (_, index) => sampleCompany(index));
    const origin = await serve(fullAnswers({ companies, tiles: 60 }));
    const { page, faults } = await openWatchedPage(browser, origin);
    for (const [path, text] of screens) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.goto(origin + path);
      await page.getByText(text).first().waitFor();
      expect(await axeViolations(page), `${path}, light`).toEqual([]);
      expect(await mouseOnly(page), path).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.setViewportSize({ width: 360, height: 740 });
      const rules = ["color-contrast", "scrollable-region-focusable", "target-size"];
      expect(await axeViolations(page, { rules }), `${path}, dark, on a phone`).toEqual([]);
      await expectNoSidewaysScroll(page, path);
    }
    expect(faults).toEqual([]);
  });

  test("every panel is accessible and fits a phone", async () => {
    const companies = Array.from({ length: 20 }, (_, index) => sampleCompany(index));
    const origin = await serve(fullAnswers({ companies, tiles: 60 }));
    const { page, faults } = await openWatchedPage(browser, origin);
    await page.emulateMedia({ reducedMotion: "reduce" });
    for (const [path, button, text] of panels) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(origin + path);
      await page.getByRole("button", { name: button }).first().click();
      await page.getByText(text).first().waitFor();
      expect(await axeViolations(page, { selector: "dialog[open]" }), button).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      await expectNoSidewaysScroll(page, button);
    }
    expect(faults).toEqual([]);
  });

  test("data from the web is shown as text", async () => {
    const name = `<img src=x onerror="window.isHacked=1">\u202egpj.exe${"A".repeat(1_000_000)}`;
    const hostile = sampleCompany(0, {
      name,
      slug: "hostile",
      texts: { city: "<script>window.isHacked=1</script>", website: "javascript:window.isHacked=1", domain: "a.example" }, // prettier-ignore
      emails: [{ value: `"><svg onload=window.isHacked=1>@x.example` }],
      tags: [name],
      categories: [name],
    });
    const origin = await serve(fullAnswers({ companies: [hostile] }));
    const { page, faults } = await openWatchedPage(browser, origin);
    for (const path of [
      "/",
      "/companies",
      "/companies?open=hostile",
      "/companies?open=hostile&tab=trace",
      "/map",
    ]) {
      // prettier-ignore
      await page.setViewportSize({ width: 360, height: 740 });
      await page.goto(origin + path);
      await page
        .getByText(path === "/map" ? "not yet" : "<img src=x")
        .first()
        .waitFor();
      await expectNoSidewaysScroll(page, path);
    }
    expect(await page.evaluate(() => "isHacked" in globalThis)).toBe(false);
    expect(await page.locator("a[href^=javascript]").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test("an empty folder, a refusal and a lost server say what to do next", async () => {
    let isEmpty = true;
    const origin = await serve(({ path }) => {
      if (!isEmpty) return { status: 401, body: { type: "about:blank", title: "Unauthorized", status: 401, detail: "no session", code: "not_signed_in", requestId: "1" } }; // prettier-ignore
      if (path === "/api/session") return { body: sampleSession };
      if (path === "/api/companies/count") return { body: { count: 0, isComplete: true } };
      if (path === "/api/companies/facets") return { body: { facets: [], counted: 0, isComplete: true } }; // prettier-ignore
      return { body: { rows: [], next: null } };
    });
    const { page } = await openWatchedPage(browser, origin);
    await page.goto(`${origin}/companies`);
    await page.getByText("forager campaign run NAME").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.goto(`${origin}/campaigns`);
    await page.getByText("forager campaign new NAME").waitFor();
    isEmpty = false;
    await page.goto(`${origin}/campaigns`);
    await page.getByText("forager dashboard").waitFor();
    expect(await axeViolations(page)).toEqual([]);
    isEmpty = true;
    await page.goto(`${origin}/campaigns`);
    await page.getByText("forager campaign new NAME").waitFor();
    await page.context().setOffline(true);
    await page.getByRole("link", { name: "Map" }).click();
    await page.getByText("could not be loaded").waitFor();
  });

  test("with keys alone: to a screen, into a row, back to it, and through the tabs of a panel", async () => {
    const origin = await serve(fullAnswers());
    const { page, faults } = await openWatchedPage(browser, origin);
    await page.goto(origin);
    await page.getByText("Newest companies").waitFor();
    await page.keyboard.press("Tab");
    expect(await focused(page)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.getByText("250 companies").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("bluebonnet");
    await page.getByText("31 companies").waitFor();
    await tabTo(page, "Bluebonnet Tile");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Bluebonnet Tile" });
    await dialog.getByRole("link", { name: "History" }).waitFor();
    await tabTo(page, "History");
    await page.keyboard.press("Enter");
    await dialog.getByText("Show the company as it was at").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Bluebonnet Tile");
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.getByText("All tiles as a table").waitFor();
    await tabTo(page, "All tiles as a table");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("in this tile").waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Help" }).getByText("go to Nodes").waitFor();
    expect(faults).toEqual([]);
  });

  test("filters live in the address: reload and back show the same", async () => {
    const origin = await serve(fullAnswers());
    const { page } = await openWatchedPage(browser, origin);
    await page.goto(`${origin}/companies`);
    await page.getByText("250 companies").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("hill country");
    await page.getByText("31 companies").waitFor();
    // "hi" finds the same companies, before the rest is typed.
    await expect.poll(() => new URL(page.url()).searchParams.get("words")).toBe("hill country");
    await page.getByRole("link", { name: "With phone" }).click();
    await page.reload();
    await page.getByText("31 companies").waitFor();
    await page.getByRole("link", { name: "Hill Country Carpet", exact: true }).first().click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goBack();
    await page.getByRole("dialog").waitFor();
    await page.goBack();
    expect(new URL(page.url()).search).toBe("?words=hill+country&hasPhone=true");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("bluebonnet");
    await page
      .getByRole("option", { name: /Bluebonnet Tile/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: /Bluebonnet/ }).waitFor();
  });
});

test("the first screen is at most 120 KB compressed, and each later part at most 60", async () => {
  await builtCli();
  const folder = join(repositoryRoot, "dist", "dashboard");
  const size = (path: string) => gzipSync(readFileSync(join(folder, path))).length;
  const index = readFileSync(join(folder, "index.html"), "utf8");
  const named = [...index.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
  const loaded = new Set(named);
  // What a script imports at once is part of the first screen.
  for (const path of loaded) {
    if (!path.endsWith(".js")) continue;
    const text = readFileSync(join(folder, path), "utf8");
    for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) {
      loaded.add(`assets/${name}`);
    }
  }
  const first = size("index.html") + [...loaded].reduce((sum, path) => sum + size(path), 0);
  expect(loaded.size).toBeGreaterThan(2);
  expect(first).toBeLessThan(120_000);
  const later = readdirSync(join(folder, "assets"))
    .map((name) => `assets/${name}`)
    .filter((path) => !loaded.has(path));
  for (const path of later) expect(size(path), path).toBeLessThan(60_000);
  for (const name of readdirSync(join(folder, "basemap"))) {
    expect(size(`basemap/${name}`), name).toBeLessThan(40_000);
  }
});
