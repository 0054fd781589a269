/**
 * `npm run screenshots`: makes the pictures of docs/dashboard.md and of the README. They show the
 * sample data of the browser tests at a fixed time, so the same code makes the same pictures.
 * `--review FOLDER` takes every screen instead, wide and narrow, light and dark, to look at after a
 * change.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { fullAnswers } from "../test/browser/dashboard/fixture-answers.ts";
import { startFixtureServer } from "../test/browser/dashboard/fixture-server.ts";
import { buildDist } from "./build-dist.ts";
import { root } from "./project.ts";
import { findChromium } from "./services/chromium.ts";

interface Shot {
  readonly name: string;
  readonly path: string;
  /** There when the data is. */
  readonly text: string;
  /** A button to press before the picture. */
  readonly button?: string;
  /** There after the button. */
  readonly opened?: string;
  readonly isInTour?: boolean;
}

const campaign = "/campaigns/austin-flooring";
const company = "/companies?open=capital-hardwood-floors";

const shots: readonly Shot[] = [
  { name: "dashboard", path: "/", text: "Newest companies", isInTour: true },
  { name: "campaigns", path: "/campaigns", text: "munich-bakers" },
  { name: "campaign", path: campaign, text: "Downloads", isInTour: true },
  { name: "run", path: campaign, text: "Downloads", button: "Run", opened: "290 searches due", isInTour: true }, // prettier-ignore
  { name: "retry", path: campaign, text: "Downloads", button: "Retry failed tasks", opened: "38 failed tasks" }, // prettier-ignore
  { name: "phrases", path: `${campaign}?tab=phrases`, text: "craft=floorer" },
  { name: "config", path: `${campaign}?tab=config`, text: "config.toml" },
  { name: "map", path: "/map?campaign=austin-flooring&tile=30.2_-97.8", text: "in this tile", isInTour: true }, // prettier-ignore
  { name: "companies", path: "/companies", text: "Lone Star Tile & Stone", isInTour: true },
  { name: "bulk", path: "/companies", text: "Lone Star Tile & Stone", button: "Change all", opened: "Records that match later" }, // prettier-ignore
  { name: "company", path: company, text: "_index.md", isInTour: true },
  { name: "notes", path: `${company}&tab=notes`, text: "Save note" },
  { name: "history", path: `${company}&tab=history`, text: "as it was at" },
  { name: "trace", path: `${company}&tab=trace`, text: "Found in tile" },
  { name: "duplicates", path: "/companies/duplicates", text: "certainly the same" },
  { name: "merge", path: "/companies/duplicates", text: "certainly the same", button: "Compare", opened: "Merge into", isInTour: true }, // prettier-ignore
  { name: "activity", path: "/activity", text: "Current desired state" },
  { name: "schedules", path: "/activity?tab=schedules", text: "every Monday at 06:00" },
  { name: "audit", path: "/activity?tab=audit", text: "needs fleet:command" },
  { name: "deliveries", path: "/activity?tab=deliveries", text: "500 Internal Server Error" },
  { name: "settings", path: "/settings", text: "All sessions" },
  { name: "users", path: "/settings?tab=users", text: "carla" },
  { name: "webhooks", path: "/settings?tab=webhooks", text: "disabled" },
  { name: "suppressions", path: "/settings?tab=suppressions", text: "asked by mail" },
  { name: "nodes", path: "/nodes", text: "Who lacks what", isInTour: true },
  { name: "node", path: "/nodes?open=n3", text: "Heartbeat" },
  { name: "node-log", path: "/nodes?open=n3&tab=log", text: "host asks to wait" },
  { name: "node-scaling", path: "/nodes?open=n3&tab=scaling", text: "could not keep up" },
  { name: "command", path: "/nodes", text: "Who lacks what", button: "Pause all", opened: "Which node" }, // prettier-ignore
  { name: "queue", path: "/queue", text: "Tasks by kind", isInTour: true },
  { name: "tasks", path: "/queue/tasks", text: "4719" },
  { name: "task", path: "/queue/tasks?open=4713", text: "Start now", isInTour: true },
  { name: "task-failed", path: "/queue/tasks?open=4711", text: "Where it happened" },
  { name: "jobs", path: "/queue/jobs", text: "leads-2026-11" },
  { name: "failed", path: "/queue/failed", text: "has expired", isInTour: true },
  { name: "actions", path: "/queue/actions", text: "20 changed" },
  { name: "hosts", path: "/hosts", text: "overpass.example" },
  {
    name: "host",
    path: "/hosts?host=overpass.example",
    text: "Asked to slow down",
    isInTour: true,
  },
  { name: "charts", path: "/charts", text: "Tasks claimed and finished" },
  { name: "chart", path: "/charts?chart=waiting", text: "Tasks claimed and finished" },
  { name: "add-task", path: "/queue", text: "Tasks by kind", button: "Add a task", opened: "Find a company" }, // prettier-ignore
];

interface Look {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
}

async function openPage(browser: Browser, { width, height, colorScheme }: Look): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-US",
  });
  return await context.newPage();
}

/** A picture when nothing changes any more. */
async function photograph(page: Page, origin: string, shot: Shot): Promise<Buffer> {
  await page.goto(origin + shot.path);
  await page.getByText(shot.text).first().waitFor();
  if (shot.button !== undefined) {
    await page.getByRole("button", { name: shot.button }).first().click();
    await page.getByText(shot.opened ?? "").first().waitFor(); // prettier-ignore
  }
  let before = await page.screenshot();
  for (let taken = 0; taken < 20; taken += 1) {
    await page.waitForTimeout(250);
    const next = await page.screenshot();
    if (next.equals(before)) break;
    before = next;
  }
  return before;
}

/** A third of the size of a PNG. The browser has the encoder. */
async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const encoded = await page.evaluate(`(async () => {
    const bytes = await (await fetch("data:image/png;base64,${png.toString("base64")}")).blob();
    const image = await createImageBitmap(bytes);
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.9 });
    const reader = new FileReader();
    reader.readAsDataURL(blob);
    await new Promise((resolve) => (reader.onload = resolve));
    return reader.result.split(",")[1];
  })()`);
  return Buffer.from(String(encoded), "base64");
}

async function takeTour(browser: Browser, origin: string): Promise<void> {
  const folder = join(root, "docs", "images");
  const page = await openPage(browser, { width: 1280, height: 800, colorScheme: "light" });
  const blank = await browser.newPage();
  for (const shot of shots.filter(({ isInTour }) => isInTour)) {
    const picture = await toWebp(blank, await photograph(page, origin, shot));
    writeFileSync(join(folder, `${shot.name}.webp`), picture);
    process.stderr.write(`docs/images/${shot.name}.webp, ${Math.ceil(picture.length / 1_000)} KB\n`); // prettier-ignore
  }
}

async function takeReview(browser: Browser, origin: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [width, height] of [
      [1280, 800],
      [360, 740],
    ] as const) {
      // prettier-ignore
      const page = await openPage(browser, { width, height, colorScheme });
      for (const shot of shots) {
        const file = join(folder, `${shot.name}-${width}-${colorScheme}.png`);
        writeFileSync(file, await photograph(page, origin, shot));
      }
      await page.context().close();
    }
  }
}

async function main([flag, folder]: readonly string[]): Promise<void> {
  const built = await buildDist();
  if (built.kind === "failed") throw new Error(`the build failed:\n${built.output}`);
  const { path } = await findChromium((line) => void process.stderr.write(`${line}\n`));
  const server = await startFixtureServer(fullAnswers());
  const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
  try {
    if (flag === "--review" && folder !== undefined)
      await takeReview(browser, server.origin, folder); // prettier-ignore
    else await takeTour(browser, server.origin);
  } finally {
    await browser.close();
    await server.stop();
  }
}

await main(process.argv.slice(2));
