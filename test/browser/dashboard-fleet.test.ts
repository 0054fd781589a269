// inputs: src/** scripts/dashboard/** test/browser/dashboard/**
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { oidcEnv, openOidcProvider } from "../../src/app/serve/testing/open-oidc-provider.ts";
import { openTestServe, testPassword } from "../../src/app/serve/testing/open-test-serve.ts";
import { builtCli } from "../support/built-cli.ts";
import { fullAnswers } from "./dashboard/fixture-answers.ts";
import { startFixtureServer, type Answers } from "./dashboard/fixture-server.ts";
import { axeViolations, openBrowser, openWatchedPage, expectNoSidewaysScroll } from "./dashboard/open-dashboard.ts"; // prettier-ignore

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
  ["/activity", "Current desired state"],
  ["/activity?tab=alarms", "which ones, and why"],
  ["/activity?tab=schedules", "every Monday at 06:00"],
  ["/activity?tab=schedules&open=austin-weekly", "the run before had not ended"],
  ["/activity?tab=audit", "needs fleet:command"],
  ["/activity?tab=deliveries", "500 Internal Server Error"],
  ["/settings", "All sessions"],
  ["/settings?tab=users", "carla"],
  ["/settings?tab=tokens", "crm-sync"],
  ["/settings?tab=webhooks", "the receiver answered 410"],
  ["/settings?tab=suppressions", "asked by mail"],
  ["/settings?tab=server", "s3://acme-fleet"],
] as const;

async function expectFit(page: Page, what: string): Promise<void> {
  expect(await axeViolations(page), `${what}, light`).toEqual([]);
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoSidewaysScroll(page, what);
  await page.setViewportSize({ width: 1280, height: 800 });
}

/** Colours are the same everywhere: a list, a table with forms and a panel show them. */
const darkScreens: readonly string[] = ["/nodes", "/settings?tab=users", "/nodes?open=n3&tab=log"];

async function expectDark(page: Page, what: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 360, height: 740 });
  const rules = ["color-contrast", "scrollable-region-focusable", "target-size"];
  expect(await axeViolations(page, { rules }), `${what}, dark, on a phone`).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
}

test("nodes, activity and settings are accessible, fit a phone and run without errors", async () => {
  const { page, faults, origin } = await openFixture(fullAnswers({ companies: [] }));
  for (const [path, text] of screens) {
    await page.goto(origin + path);
    await page.getByText(text).first().waitFor();
    await expectFit(page, path);
    if (darkScreens.includes(path)) await expectDark(page, path);
  }
  expect(faults).toEqual([]);
});

test("hostile names, log lines and answers are shown as text", async () => {
  const bad = `<img src=x onerror="window.isHacked=1">\u202e${"A".repeat(100_000)}`;
  const full = fullAnswers({ companies: [] });
  const spoilt = (text: string): unknown => JSON.parse(text.replaceAll(/"(pi-3|anna|bob|crm-sync|asked by mail|204|10\.0\.0\.7|upkeep)"/g, JSON.stringify(bad))); // prettier-ignore
  const { page, faults, origin } = await openFixture((request) => {
    const found = full(request);
    if (request.path === "/api/logs") return { body: { node: "n3", lines: [bad, JSON.stringify({ level: bad, time: 1, msg: bad })] } }; // prettier-ignore
    return found && { ...found, body: spoilt(JSON.stringify(found.body)) };
  });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of [
    "/nodes",
    "/nodes?open=n3&tab=log",
    "/activity",
    "/activity?tab=schedules",
    "/activity?tab=audit",
    "/activity?tab=deliveries",
    "/settings",
    "/settings?tab=users",
    "/settings?tab=tokens",
    "/settings?tab=suppressions",
  ]) {
    await page.goto(origin + path);
    await page.getByText("<img src=x").first().waitFor();
    await expectNoSidewaysScroll(page, path);
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

async function signInAs(page: Page, origin: string, user: string): Promise<void> {
  await page.goto(`${origin}/settings`);
  await page.getByLabel("Name").fill(user);
  await page.getByLabel("Password").fill(testPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText(`signed in as ${user}`).waitFor();
}

test("a viewer is shown no writes and is refused one; a session that an admin ends is over", async () => {
  const { origin } = await openTestServe({ users: { anna: "admin", bob: "viewer" } });
  const viewer = await openPatientPage(origin);
  await signInAs(viewer.page, origin, "bob");
  await viewer.page.goto(`${origin}/nodes`);
  await viewer.page.getByRole("region", { name: "Nodes" }).getByRole("link").first().waitFor();
  expect(await viewer.page.getByRole("button", { name: "Pause all" }).count()).toBe(0);
  const refused = await viewer.page.evaluate(async () => {
    const body = JSON.stringify({ node: "all", what: ["pause"] });
    const headers = { "content-type": "application/json" };
    const answer = await fetch("/api/fleet/commands", { method: "POST", headers, body });
    return { status: answer.status, text: await answer.text() };
  });
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("fleet:command");
  await viewer.page.goto(`${origin}/settings`);
  await viewer.page.getByRole("link", { name: "Tokens" }).waitFor();
  expect(await viewer.page.getByRole("link", { name: "Users" }).count()).toBe(0);
  await viewer.page.getByRole("region", { name: "Sessions" }).getByText("this one").waitFor();
  expect(await axeViolations(viewer.page)).toEqual([]);

  const admin = await openPatientPage(origin);
  await signInAs(admin.page, origin, "anna");
  await admin.page.goto(`${origin}/settings`);
  await admin.page.getByRole("button", { name: "End the session of bob" }).click();
  await admin.page.getByText("The session has ended").waitFor();
  await expect.poll(() => admin.page.getByRole("button", { name: "End the session of bob" }).count()).toBe(0); // prettier-ignore
  // His page finds out by itself, and shows the way in.
  await viewer.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await admin.page.goto(`${origin}/activity?tab=audit`);
  await admin.page
    .getByRole("cell", { name: /denied/ })
    .first()
    .waitFor();
  // Before she signed in, the page was refused.
  expect(admin.faults.filter((text) => !text.includes("401 (Unauthorized)"))).toEqual([]);
});

test("users are added after the password was typed again, and the link is shown once", async () => {
  let isFresh = false;
  const full = fullAnswers({ companies: [] });
  const { page, origin } = await openFixture((request) => {
    const { method, path } = request;
    if (method === "POST" && path === "/api/session/confirm") {
      isFresh = true;
      return { body: { user: "anna", role: "admin" } };
    }
    if (method !== "POST" || path !== "/api/users") return full(request);
    if (!isFresh) return { status: 403, body: { type: "about:blank", title: "Forbidden", status: 403, detail: "sign in again", code: "fresh_login_needed", requestId: "1" } }; // prettier-ignore
    const user = { name: "dora", role: "editor", hasPassword: false, linkUntil: null, createdAt: "2026-11-17T19:00:00Z", createdBy: "anna" }; // prettier-ignore
    return { status: 201, body: { user, link: "http://x.example/welcome#dora/abc" } };
  });
  await page.goto(`${origin}/settings?tab=users`);
  await page.getByRole("button", { name: "Add a user" }).click();
  await page.getByLabel(/^Name/).fill("dora");
  await page.getByRole("radio", { name: /^editor/ }).check();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("http://x.example/welcome#dora/abc").waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByText("welcome#dora").waitFor({ state: "detached" });
});

test("somebody signs in with the identity provider, and again before a user is added", async () => {
  const provider = await openOidcProvider();
  onTestFinished(() => provider.stop());
  provider.groups.set("rita-5", ["admins"]);
  const { origin } = await openTestServe({ env: oidcEnv(provider) });
  provider.register(`${origin}/login/callback`);
  const { page } = await openPatientPage(origin);
  /** The provider may ask, or remember: both lead back to the dashboard. */
  const passProvider = async () => {
    const atHome = page.getByText("signed in as rita");
    const form = page.getByPlaceholder("Enter any login");
    await atHome.or(form).first().waitFor();
    if (await form.isVisible()) {
      await form.fill("rita-5");
      await page.getByPlaceholder("and password").fill("any");
      await page.getByRole("button", { name: "Sign-in" }).click();
    }
    await atHome.waitFor();
  };
  const addUser = async () => {
    await page.goto(`${origin}/settings?tab=users`);
    await page.getByRole("button", { name: "Add a user" }).click();
    await page.getByLabel(/^Name/).fill("dora");
    await page.getByRole("button", { name: "Add", exact: true }).click();
  };
  await page.goto(`${origin}/sign-in`);
  await page.getByRole("link", { name: "Sign in with your organisation" }).click();
  await passProvider();
  await addUser();
  const again = page.getByRole("dialog", { name: "Sign in again" });
  await again.getByRole("link", { name: "Sign in again" }).click();
  await passProvider();
  await addUser();
  await page.getByText("welcome#dora/").waitFor();
});
