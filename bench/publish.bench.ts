import { chromium, type CDPSession } from "playwright-core";
import { buildDist } from "../scripts/build-dist.ts";
import { root } from "../scripts/project.ts";
import { findChromium } from "../scripts/services/chromium.ts";
import { join } from "node:path";
import type { Bench } from "./frame/bench.ts";
import { publishSample, sampleCompany, serveStore } from "./ours/published-site.ts";

const companies = 100_000;
const cpuSlowdown = 4;

/** One, two and three words; frequent ones, rare ones and beginnings. */
function searches(): readonly (readonly [words: string, slug: string])[] {
  return [17, 4_242, 31_337, 77_777].flatMap((at) => {
    const { company } = sampleCompany(at);
    const [owner = ""] = company.name.split(" ");
    const city = company.texts.city ?? "";
    return [
      [owner, company.name],
      [`${city} ${owner}`, company.name],
      [`llc ${owner.slice(0, 5)} ${city.slice(0, 3)}`, company.name],
    ] as const;
  });
}

/** In the page: when the browser begins to draw the first row with this name, and when it has, since 1970. */
const firstRowWith = (name: string) => `new Promise((resolve) => {
  const observer = new MutationObserver(() => {
    const rows = [...document.querySelectorAll("table.rows tbody tr")];
    if (!rows.some((row) => row.textContent.includes(${JSON.stringify(name)}))) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      const drawnMs = Date.now();
      setTimeout(() => resolve({ drawnMs, shownMs: Date.now() }));
    });
  });
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
})`;

/** How long the main thread was at work. */
async function taskMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

export const bench: Bench = {
  name: "publish",
  summary: "a published site of 100,000 companies: search in Chromium at a quarter of the speed",
  bars: {
    publishRequestsMax: { max: 3 },
    publishSearchMedianMs: { max: 1_000 },
    publishFileKbMax: { max: 120 },
  },
  async run({ log }) {
    await buildDist();
    log("a site of 100,000 companies is built in memory");
    const site = await publishSample(companies, join(root, "dist", "dashboard"));
    const { origin, sent, server } = await serveStore(site.store);
    const { path } = await findChromium(() => {});
    const browser = await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
    const times: number[] = [];
    const busy: number[] = [];
    const requests: number[] = [];
    const sizes: number[] = [];
    try {
      for (const [words, name] of searches()) {
        // A page of its own, so that nothing is in its cache.
        const page = await (await browser.newContext()).newPage();
        await page.goto(`${origin}/#/companies`);
        await page.getByText("100,000").first().waitFor();
        const session = await page.context().newCDPSession(page);
        await session.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
        await session.send("Performance.enable");
        const box = page.getByPlaceholder(/several words/);
        await box.focus();
        const from = { sent: sent.length, busyMs: await taskMs(session) };
        const shown = page.evaluate(firstRowWith(name));
        const startMs = Date.now();
        await page.keyboard.insertText(words);
        const { drawnMs, shownMs } = (await shown) as { drawnMs: number; shownMs: number };
        times.push(shownMs - startMs);
        busy.push((await taskMs(session)) - from.busyMs);
        const asked = sent.slice(from.sent);
        requests.push(asked.filter(({ atMs }) => atMs < drawnMs).length);
        sizes.push(...asked.map(({ bytes }) => bytes));
        await page.context().close();
      }
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
    return {
      values: {
        publishRequestsMax: Math.max(...requests),
        publishSearchMedianMs: median(times),
        publishSearchMaxMs: Math.max(...times),
        publishSearchBusyMs: median(busy),
        publishFileKbMax: Math.max(...sizes) / 1_000,
        publishParts: site.parts,
        publishManifestKb: site.manifestBytes / 1_000,
        publishBuildS: site.buildMs / 1_000,
      },
      notes: [
        `${times.length} searches, each in a page of its own; the time is from typing to the first row, with 150 ms that the page waits for more letters`,
        "requests are those for data until the first row is shown; busy is the time of tasks of the page's main thread, at a quarter of the speed",
      ],
    };
  },
};
