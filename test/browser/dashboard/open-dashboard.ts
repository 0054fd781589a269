import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type Page } from "playwright-core";
import { expect } from "vitest";
import { findChromium } from "../../../scripts/services/chromium.ts";

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

export async function openBrowser(): Promise<Browser> {
  const { path } = await findChromium(() => {});
  return await chromium.launch({ executablePath: path, args: ["--no-sandbox"] });
}

export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts and of the content policy, and requests to other servers. */
  readonly faults: readonly string[];
}

export async function openWatchedPage(browser: Browser, origin: string): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request to ${request.url()}`);
  });
  return { page, faults };
}

/** What axe-core finds. A script tag would be refused by the content policy. */
export async function axeViolations(
  page: Page,
  { rules, selector }: { readonly rules?: readonly string[]; readonly selector?: string } = {},
): Promise<readonly string[]> {
  // prettier-ignore
  await page.evaluate(axeSource);
  const found = await page.evaluate(
    async ([only, part]) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(
            context: string,
            options: object,
          ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
      };
      const { violations } = await axe.run(part ?? "html", only ? { runOnly: only } : {});
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`)); // prettier-ignore
    },
    [rules, selector] as const,
  );
  return found;
}

const sidewaysPixels = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const { documentElement: root } = (globalThis as unknown as { document: { documentElement: { scrollWidth: number; clientWidth: number } } }).document; // prettier-ignore
    return root.scrollWidth - root.clientWidth;
  });

/** Waits, because charts and tables get their new width a moment after the page. */
export async function expectNoSidewaysScroll(page: Page, what: string): Promise<void> {
  await expect.poll(() => sidewaysPixels(page), { message: `${what} scrolls sideways` }).toBe(0);
}

/** What can be clicked, but not be reached with the Tab key. Options of a list have arrow keys. */
export const mouseOnly = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll("body *")]
    .filter((element) => element.checkVisibility() && getComputedStyle(element).cursor === "pointer")
    .filter((element) => !element.closest("a[href], button, input, select, textarea, summary, label, [role=option], .leaflet-container, svg"))
    .map((element) => element.outerHTML.slice(0, 120))`);
