// inputs: src/** scripts/dashboard/**
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openQueue } from "../../src/app/queue/open-queue.ts";
import { openTestServe } from "../../src/app/serve/testing/open-test-serve.ts";
import { builtCli } from "../support/built-cli.ts";
import { openBrowser, openWatchedPage } from "./dashboard/open-dashboard.ts";

/** A step waits for a browser and a server on a machine that may be busy. */
const pageTimeoutMs = 120_000;

let browser: Browser;
beforeAll(async () => {
  await builtCli();
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const openPage = async (origin: string) => {
  const { page, faults } = await openWatchedPage(browser, origin);
  page.setDefaultTimeout(pageTimeoutMs);
  return { page, faults };
};

test("a view is saved for everybody: another browser opens it, and deletes it", async () => {
  const { origin } = await openTestServe({ isOpen: true });
  const first = await openPage(origin);
  await first.page.goto(`${origin}/queue/tasks?q=state:failed+kind:page`);
  await first.page.getByRole("button", { name: "Views" }).click();
  await first.page.getByLabel("Save what is shown now as").fill("failed pages");
  await first.page.getByRole("button", { name: "Save for everybody" }).click();
  await first.page.getByRole("button", { name: "failed pages", exact: true }).waitFor();
  const second = await openPage(origin);
  await second.page.goto(`${origin}/queue/tasks?views=yes`);
  await second.page.getByRole("button", { name: "failed pages", exact: true }).click();
  await second.page.getByText("forager queue list --state failed --kind page").waitFor();
  expect(new URL(second.page.url()).searchParams.get("q")).toBe("state:failed kind:page");
  await second.page.getByRole("button", { name: "Views" }).click();
  await second.page.getByRole("button", { name: "Delete failed pages" }).click();
  await second.page.getByText("No views yet").waitFor();
  expect([...first.faults, ...second.faults]).toEqual([]);
});

test("a schedule is added, changed and removed", async () => {
  const { origin, client } = await openTestServe({ isOpen: true });
  const { page, faults } = await openPage(origin);
  await page.goto(`${origin}/activity?tab=schedules`);
  await page.getByRole("button", { name: "Add a schedule" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("nightly");
  await dialog.getByLabel("What it does").selectOption("resolve");
  await dialog.getByLabel("Minute, hour, day, month, weekday").fill("30 2 * * 1-5");
  await dialog.getByText("Monday to Friday at 02:30").waitFor();
  await dialog.getByLabel("Time zone").fill("America/Chicago");
  await dialog.getByRole("button", { name: "Add it" }).click();
  await page.getByText("Monday to Friday at 02:30 (America/Chicago)").waitFor();
  await page.getByRole("link", { name: "nightly" }).click();
  await dialog.getByRole("link", { name: "Change" }).click();
  await dialog.getByLabel("Minute, hour, day, month, weekday").fill("61 2 * * *");
  await dialog.getByRole("button", { name: "Save" }).click();
  // The server says what is wrong, and the form stays.
  await dialog.getByText("Not saved").waitFor();
  await dialog.getByLabel("after an interval").check();
  await dialog.getByLabel("Every so many minutes").fill("90");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("cell", { name: "every 1.5 h" }).waitFor();
  const { rows } = await client.get("/api/schedules");
  expect(rows).toMatchObject([{ name: "nightly", action: { kind: "resolve" }, timing: { everyMs: 5_400_000 } }]); // prettier-ignore
  await page.getByRole("link", { name: "nightly" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.getByRole("button", { name: "Remove nightly" }).click();
  await page.getByText("Nothing is scheduled").waitFor();
  expect((await client.get("/api/schedules")).rows).toEqual([]);
  // The refused change is logged by the browser as an error of the request.
  expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
});

test("the palette finds tasks, hosts and jobs, and opens the form of a command", async () => {
  const { origin, paths } = await openTestServe({ isOpen: true });
  await using queue = await openQueue(`sqlite:${paths.resolve("queue.db")}`);
  await queue.add([
    { kind: "page", key: "a", gate: "shop.example", job: "nightly", payload: { at: 1 } },
  ]);
  const { page, faults } = await openPage(origin);
  await page.goto(`${origin}/settings`);
  await page.getByText("All sessions").waitFor();
  const choose = async (words: string, option: RegExp) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
    await page.getByRole("option", { name: option }).first().click();
  };
  await choose("shop", /shop\.example.*host/);
  await page.getByRole("heading", { name: "shop.example" }).waitFor();
  await choose("1", /Task 1.*page, pending/);
  await page.getByRole("dialog", { name: "Task 1" }).waitFor();
  await page.keyboard.press("Escape");
  await choose("night", /nightly.*job/);
  await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("job:nightly");
  await choose("add a", /Add a task/);
  const dialog = page.getByRole("dialog", { name: "Add a task" });
  await dialog.getByLabel("Any kind of task").check();
  await dialog.getByLabel("Kind (selects the handler)").fill("page");
  await dialog.getByRole("button", { name: "Copy the payload" }).click();
  await expect.poll(() => dialog.getByLabel("Payload, as JSON").inputValue()).toContain('"at": 1');
  await dialog.getByRole("button", { name: "Add it" }).click();
  await page.getByRole("dialog", { name: "Task 2" }).waitFor();
  expect((await queue.show(2))?.task.payload).toBe('{"at":1}');
  expect(faults).toEqual([]);
});

test("the website of a company is visited from a form", async () => {
  const { origin, client, paths } = await openTestServe({ isOpen: true });
  await client.send("POST", "/api/companies", { body: { name: "Acme", fields: { website: "https://acme.example/" } } }); // prettier-ignore
  const { page, faults } = await openPage(origin);
  await page.goto(`${origin}/queue?add=yes`);
  const dialog = page.getByRole("dialog", { name: "Add a task" });
  await dialog.getByLabel("Find a company").fill("acme");
  await expect.poll(() => dialog.getByLabel("Company whose website is visited").innerText()).toContain("acme.example"); // prettier-ignore
  await dialog.getByRole("button", { name: "Add it" }).click();
  await page.getByRole("dialog", { name: "Task 1" }).waitFor();
  await using queue = await openQueue(`sqlite:${paths.resolve("queue.db")}`);
  const { task } = (await queue.show(1))!;
  expect(task).toMatchObject({ kind: "enrich", gate: "acme.example" });
  expect(JSON.parse(task.payload)).toMatchObject({ website: "https://acme.example/" });
  expect(faults).toEqual([]);
});

test("map pictures come from the server of the settings, and from our own map if it does not answer", async () => {
  const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"); // prettier-ignore
  let isAway = false;
  const tiles = createServer((_, response) => {
    if (isAway) return void response.writeHead(503).end();
    response.writeHead(200, { "content-type": "image/png" }).end(pixel);
  });
  await new Promise<void>((resolve) => tiles.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void tiles.close());
  const host = `http://127.0.0.1:${(tiles.address() as AddressInfo).port}`;
  const { origin, paths } = await openTestServe({
    isOpen: true,
    env: {
      FORAGER_SERVE_MAP_TILE_URL: `${host}/{z}/{x}/{y}.png`,
      FORAGER_SERVE_MAP_TILE_CREDIT: "Pictures by <b>Acme</b>",
    },
  });
  mkdirSync(paths.resolve("campaigns", "austin"), { recursive: true });
  writeFileSync(
    paths.resolve("campaigns", "austin", "config.toml"),
    `phrases = ["plumber"]\nproximityKm = 10\n[[locations]]\nname = "Austin"\nlat = 30.27\nlon = -97.74\n`,
  );
  const { page, faults } = await openPage(origin);
  await page.goto(`${origin}/map?campaign=austin`);
  await page.getByText("Pictures by <b>Acme</b>").waitFor();
  await page.locator("img.leaflet-tile-loaded").first().waitFor();
  expect(new Set(faults.map((fault) => fault.split("/").slice(0, 3).join("/")))).toEqual(new Set([`request to ${host}`])); // prettier-ignore
  isAway = true;
  await page.reload();
  await page.getByText("Natural Earth").waitFor();
  expect(await page.locator("img.leaflet-tile").count()).toBe(0);
});
