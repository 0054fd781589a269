// inputs: src/** scripts/dashboard/** test/browser/dashboard/**
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openQueue } from "../../src/app/queue/open-queue.ts";
import { openTestServe } from "../../src/app/serve/testing/open-test-serve.ts";
import { builtCli } from "../support/built-cli.ts";
import { fullAnswers } from "./dashboard/fixture-answers.ts";
import { startFixtureServer, type Answers } from "./dashboard/fixture-server.ts";
import { axeViolations, openBrowser, openWatchedPage, expectNoSidewaysScroll } from "./dashboard/open-dashboard.ts"; // prettier-ignore

/** A step waits for a browser and a server on a machine that may be busy. */
const pageTimeoutMs = 120_000;

/** Each screen with a text that is there when its data is. */
const screens = [
  ["/queue", "Why 1,284 tasks wait"],
  ["/queue/tasks", "Retry later"],
  ["/queue/tasks?open=4711", "Where it happened"],
  ["/queue/tasks?open=4713", "Start now"],
  ["/queue/jobs", "leads-2026-11"],
  ["/queue/failed", "has expired"],
  ["/queue/actions", "20 changed"],
  ["/charts?chart=waiting", "Tasks claimed and finished"],
  ["/hosts", "overpass.example"],
  ["/hosts?host=overpass.example", "Asked to slow down"],
] as const;

let browser: Browser;
beforeAll(async () => {
  await builtCli();
  browser = await openBrowser();
});
afterAll(() => browser?.close());

async function serve(answers: Answers): Promise<string> {
  const server = await startFixtureServer(answers);
  onTestFinished(() => server.stop());
  return server.origin;
}

test("every screen of operations is accessible, fits a phone and runs without errors", async () => {
  const origin = await serve(fullAnswers());
  const { page, faults } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  for (const [path, text] of screens) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.goto(origin + path);
    await page.getByText(text).first().waitFor();
    expect(await axeViolations(page), `${path}, light`).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await expectNoSidewaysScroll(page, path);
    await page.setViewportSize({ width: 360, height: 740 });
    const rules = ["color-contrast", "scrollable-region-focusable", "target-size"];
    expect(await axeViolations(page, { rules }), `${path}, dark, on a phone`).toEqual([]);
    await expectNoSidewaysScroll(page, path);
  }
  expect(faults).toEqual([]);
});

test("hostile names, errors and payloads are shown as text", async () => {
  const bad = `<img src=x onerror="window.isHacked=1">\u202egpj.exe${"A".repeat(30_000)}`;
  const answers = fullAnswers();
  const hostile = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (key, one: unknown) =>
        ["kind", "job", "gate", "key", "error", "example", "name", "reason", "by", "stack"].includes(key) && typeof one === "string" && !one.includes("_") // prettier-ignore
          ? bad
          : key === "payload"
            ? JSON.stringify({ bad })
            : one,
      ),
    );
  const origin = await serve((request) => {
    const answer = answers(request);
    return answer && /^\/api\/(?:queue|selections)/.test(request.path)
      ? { ...answer, body: hostile(answer.body) }
      : answer;
  });
  const { page, faults } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of screens.map(([one]) => one).filter((one) => !one.startsWith("/charts"))) {
    await page.goto(origin + path);
    await expect.poll(() => page.locator("main").innerText(), { message: path }).toContain("<img src=x"); // prettier-ignore
    await expectNoSidewaysScroll(page, path);
  }
  expect(await page.evaluate(() => "isHacked" in globalThis)).toBe(false);
  expect(faults).toEqual([]);
});

test("dead letters are grouped by their error, and one group is tried again", async () => {
  const { origin, paths, client } = await openTestServe({ isOpen: true });
  await using queue = await openQueue(`sqlite:${paths.resolve("queue.db")}`);
  await queue.add(Array.from({ length: 5 }, (_, at) => ({ kind: "page", key: `k${at}` })));
  const { leases } = await queue.claim({ worker: "w", kinds: ["page"], limit: 5 });
  const reasonAt = (at: number) => (at < 3 ? `BusyError: answered 429, number ${at}7` : "gone");
  await queue.finish(
    leases.map(({ id, token }, at) => ({ id, token, outcome: { kind: "fail", reason: reasonAt(at) } })), // prettier-ignore
  );
  const { page, faults } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  await page.goto(`${origin}/queue/failed`);
  const group = page.getByRole("listitem").filter({ hasText: "BusyError: answered 429, number …" });
  // The number of a group leads to its tasks.
  await group.getByRole("link", { name: "3 tasks" }).click();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(3);
  await page.goBack();
  await group.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Try again 3 tasks" }).click();
  await page.getByText("retry: done, 3 changed").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  expect((await client.get("/api/queue/stats")).states).toMatchObject({ pending: 3, failed: 2 });
  await page.getByRole("link", { name: "Bulk actions" }).click();
  await page.getByText("3 of 3, 3 changed").waitFor();
  expect(faults).toEqual([]);
});

test("find why a task waits, and lift it: a paused job, a retry, a blocked host", async () => {
  const { origin, paths } = await openTestServe({ isOpen: true });
  await using queue = await openQueue(`sqlite:${paths.resolve("queue.db")}`);
  await queue.add([
    { kind: "page", key: "a", job: "nightly" },
    { kind: "page", key: "b", delayMs: 3_600_000 },
    { kind: "page", key: "c", gate: "shop.example" },
  ]);
  await queue.pause("nightly");
  await queue.block("shop.example", 3_600_000);
  const { page, faults } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  await page.goto(`${origin}/queue`);
  const reasons = page.getByRole("region", { name: "Why tasks wait" });
  await reasons.getByRole("link", { name: "Paused" }).click();
  await page.getByRole("link", { name: "1", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Resume the job" }).click();
  await dialog.getByText("Worker capacity").waitFor();
  expect((await queue.job("nightly"))?.isPaused).toBe(false);

  await page.goto(`${origin}/queue/tasks?q=reason:scheduled&open=2`);
  await dialog.getByRole("button", { name: "Start now" }).click();
  await dialog.getByText("Worker capacity").waitFor();
  await page.goto(`${origin}/queue/tasks?q=gate:shop.example&open=3`);
  await dialog.getByRole("button", { name: "Remove the block" }).click();
  await dialog.getByText("Worker capacity").waitFor();
  await dialog.getByLabel("New priority").fill("901");
  await dialog.getByRole("button", { name: "Raise" }).click();
  await expect.poll(async () => (await queue.show(3))?.task.priority).toBe(901);
  expect(faults).toEqual([]);
});

test("the filter of tasks has suggestions by keyboard, and lives in the address", async () => {
  const origin = await serve(fullAnswers());
  const { page } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  await page.goto(`${origin}/queue/tasks`);
  await page.getByText("4719").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("rea");
  await page.getByRole("option", { name: "reason:" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type("retry");
  await page.getByRole("option", { name: "reason:retry_backoff" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  expect(new URL(page.url()).searchParams.get("q")).toBe("reason:retry_backoff");
  await page.reload();
  await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
  await page.getByText("forager queue list --waits retry_backoff").waitFor();
});

test("a chart is exported as CSV, and its range lives in the address", async () => {
  const origin = await serve(fullAnswers());
  const { page, faults } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  await page.goto(`${origin}/charts`);
  await page.getByRole("link", { name: "1 h", exact: true }).click();
  expect(new URL(page.url()).search).toBe("?minutes=60");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV of Open tasks" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("forager-open.csv");
  const lines = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\r\n");
  expect(lines[0]).toBe("time,tasksPending,tasksRunning");
  expect(lines.length).toBeGreaterThan(50);
  expect(faults).toEqual([]);
});
