// inputs: src/** scripts/dashboard/** test/browser/dashboard/**
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { builtCli } from "../support/built-cli.ts";
import { fullAnswers } from "./dashboard/fixture-answers.ts";
import { startFixtureServer } from "./dashboard/fixture-server.ts";
import { openBrowser, openWatchedPage } from "./dashboard/open-dashboard.ts";

/** A crawl opens some eighty pages on a machine that may be busy. */
const crawlTimeoutMs = 600_000;
/** Pages found later differ only in combinations of filters. */
const pagesMax = 100;

let browser: Browser;
beforeAll(async () => {
  await builtCli();
  browser = await openBrowser();
});
afterAll(() => browser?.close());

/** Waits until nothing is loading, and the answers have been drawn. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle").catch(() => {}); // live events never end
  await expect.poll(() => page.locator(".loading[role=status]").count()).toBe(0);
}

const openSample = async () => {
  const server = await startFixtureServer(fullAnswers({ tiles: 60 }));
  onTestFinished(() => server.stop());
  const { page, faults } = await openWatchedPage(browser, server.origin);
  await page.route("**/api/events*", (route) => route.abort());
  page.setDefaultTimeout(120_000);
  return { page, origin: server.origin, faults };
};

/** Pages that differ only in one company, task or tile are opened once. */
const shapeOf = (path: string) =>
  path
    .replace(/(open|tile|host|tag|category|city|day)=[^&]*/g, "$1=x")
    .replace(/q=[^&]*/, (query) => query.replaceAll(/%22[^%]*%22|\d+|:[^+&]*/g, "x"));

test(
  "every link leads to a page that is there, names its command, and asks for nothing that is not",
  async () => {
    const { page, origin } = await openSample();
    const broken: string[] = [];
    page.on("pageerror", ({ message }) => broken.push(`${page.url()}: ${message}`));
    page.on("response", (response) => {
      if (response.status() >= 400) broken.push(`${page.url()}: ${response.status()} ${response.url()}`); // prettier-ignore
    });
    const due = ["/"];
    const seen = new Set(due.map(shapeOf));
    let visited = 0;
    for (let path = due.shift(); path !== undefined && visited < pagesMax; path = due.shift()) {
      await page.goto(origin + path);
      await settle(page);
      visited += 1;
      if ((await page.locator("main h1").count()) === 0) broken.push(`${path}: no title`);
      if ((await page.getByText("There is no such page").count()) > 0) broken.push(`${path}: no such page`); // prettier-ignore
      if ((await page.locator(".same").count()) === 0) broken.push(`${path}: no command that shows the same`); // prettier-ignore
      const found = await page
      .locator("a[href^='/']:not([download])")
      .evaluateAll((links) => links.map((link) => (link as unknown as { getAttribute(name: string): string }).getAttribute("href"))); // prettier-ignore
      for (const href of found) {
        if (href.startsWith("/api/") || seen.has(shapeOf(href))) continue;
        seen.add(shapeOf(href));
        due.push(href);
      }
    }
    expect(broken).toEqual([]);
    expect(visited).toBeGreaterThan(50);
  },
  crawlTimeoutMs,
);

/**
 * Numbers without a list of their own, by a part of the place that `numbersIn` reports, and why.
 */
const withoutList: readonly (readonly [part: string, why: string])[] = [
  ["| Priority", "a property of the task, whose number is a link"],
  ["| Attempts", "they are in the panel of the row"],
  ["| At once", "a setting"],
  ["Visits at once", "a setting"],
  ["at most", "a setting"],
  ["Attempts (", "the list is below"],
  ["| Starts", "counted since the queue was created: older tasks are pruned"],
  ["How long", "what was measured, not a number of tasks"],
  ["Started", "what workers measured: a number of attempts, not of tasks"],
  ["task 4", "the number of the task in a sentence with a link to it"],
  ["Drift", "changes of data, which have no list"],
  ["May run at once", "a setting"],
  ["Caches", "a measured value"],
  ["Limiter", "a measured value"],
  ["Worker slots", "a measured value"],
  ["Load", "a measured value"],
  ["Tasks claimed and finished", "a measured value per minute"],
  ["Open tasks", "the last value of a chart"],
  ["Why tasks wait |", "the last value of a chart"],
  ["no values in this time", "charts without values"],
  ["Published sites", "of the site, not of this data folder"],
  ["| Answer", "a status code"],
  ["| 250", "they are on the map"],
  ["pi-3 |", "how many may run at once: a setting"],
  ["All tiles as a table", "the list is below"],
  ["Bulk actions", "the tasks have changed since"],
  ["web requests", "an average"],
  ["Websites visited", "companies are not listed by the date of their visit"],
  ["Never visited", "companies are not listed by the date of their visit"],
  ["| Companies", "companies are not listed by phrase"],
  ["| Visited", "companies are not listed by phrase"],
  ["| With email", "companies are not listed by phrase"],
  ["such as", "companies are not listed by this reason; examples are links"],
  ["hours", "companies are not listed by this field"],
  ["Places found", "the companies of the tile are listed below"],
  ["Answers", "of the command in the same line"],
  [" ago", "a time"],
];

/** Whole numbers on the page that are not in a link, with where they stand. */
const numbersIn = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const found = [];
    const walker = document.createTreeWalker(document.querySelector("#app, body"), NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      const text = node.data.trim();
      const element = node.parentElement;
      if (!/^\\d[\\d,]*$/.test(text) || !element.checkVisibility()) continue;
      if (node.nextSibling?.data?.startsWith(" %")) continue; // a share
      if (element.closest("a, button, input, select, svg, .uplot, code, pre, script, style, nav")) continue;
      const section = element.closest("section, dialog")?.getAttribute("aria-label") ?? "";
      const label = element.closest("td")?.dataset.label ?? "";
      const before = element.closest("dd")?.previousElementSibling?.textContent ?? "";
      const line = (element.closest("tr, li, p, h2, h3, summary, label, small") ?? element.parentElement).innerText;
      found.push(section + " | " + label + before + " | " + line.replaceAll(/\\s+/g, " ").slice(0, 80));
    }
    return [...new Set(found)];
  })()`);

/** Each screen and panel with numbers. */
const screens = [
  "/", "/campaigns", "/campaigns/austin-flooring", "/campaigns/austin-flooring?tab=phrases", "/map?campaign=austin-flooring",
  "/companies", "/companies?open=capital-hardwood-floors", "/companies/duplicates", "/queue", "/queue/tasks", "/queue/tasks?open=4711",
  "/queue/jobs", "/queue/failed", "/queue/actions", "/hosts", "/hosts?host=overpass.example", "/charts", "/nodes", "/nodes?open=n3",
  "/activity", "/activity?tab=schedules", "/activity?tab=deliveries", "/settings?tab=users",
]; // prettier-ignore

test(
  "every number leads to its list, or is named here with the reason",
  async () => {
    const { page, origin } = await openSample();
    const left: string[] = [];
    const used = new Set<string>();
    for (const path of screens) {
      await page.goto(origin + path);
      await settle(page);
      for (const place of await numbersIn(page)) {
        const reason = withoutList.find(([part]) => place.includes(part));
        if (reason) used.add(reason[0]);
        else left.push(`${path}: ${place}`);
      }
    }
    expect(left).toEqual([]);
  },
  crawlTimeoutMs,
);
