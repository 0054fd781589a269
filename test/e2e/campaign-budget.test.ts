// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import type { CampaignReport } from "../../src/campaign/index.ts";
import { openReceiver, signedHeaders } from "../../src/notify/testing/receiver.ts";
import { createSandbox } from "../support/built-cli.ts";
import { startFakeWeb, type FakeWeb } from "../support/fake-web.ts";

/** A campaign `demo` that finds all sites of a fake web. */
async function setUp(
  size: number,
  more: (web: FakeWeb) => string,
  placeOf: (place: object, at: number) => object = (place) => place,
) {
  const web = await startFakeWeb(size);
  onTestFinished(() => web[Symbol.asyncDispose]());
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const at = (...parts: string[]) => join(sandbox.folder, ...parts);
  writeFileSync(at("places.jsonl"), web.places.map((place, at) => JSON.stringify(placeOf(place, at))).join("\n")); // prettier-ignore
  const env = {
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: web.network,
    FORAGER_CRAWL_BROWSER: "off",
    FORAGER_WEBHOOK_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
    FORAGER_WORK_GRACE_MS: "2000",
  };
  const forager = (line: string) => sandbox.forager(line.split(" "), { env });
  const made = await forager("init demo --contact you@forager-tests.org --source places.jsonl");
  expect(made.exitCode, made.stderr).toBe(0);
  const file = at("campaigns", "demo", "config.toml");
  const config = readFileSync(file, "utf8").replace("# delayMs = 1000", "delayMs = 100");
  writeFileSync(file, `${config}\n${more(web)}\n`);
  return { web, forager };
}

test("B28: two processes stop at a budget of requests, everything says so, and a raised one continues", async () => {
  const [budget, concurrency] = [15, 2];
  const { web, forager } = await setUp(10, () => `[budget]\nrequests = ${budget}`);
  expect((await forager("campaign dispatch demo")).exitCode).toBe(0);
  const line = `work --drain --processes 1 --concurrency ${concurrency}`;
  const both = await Promise.all([forager(line), forager(line)]);
  expect(web.requests.length).toBeGreaterThanOrEqual(budget);
  expect(web.requests.length).toBeLessThanOrEqual(budget + 2 * concurrency);
  // One of them may have found nothing to do before the other one had planned a visit.
  expect(both.map(({ exitCode }) => exitCode)).toContain(3);
  const told = both.map(({ stdout }) => stdout).join("");
  expect(told).toMatch(/campaign demo: stopped by its budget, \d+ of 15 requests: raise it/);

  const report = await forager("campaign report demo --json");
  const { budget: reported, funnel, cost } = JSON.parse(report.stdout) as CampaignReport;
  expect(cost.websiteRequests).toBe(web.requests.length);
  expect(reported).toMatchObject({ state: "budget", reached: "requests" });
  expect(reported!.limits[0]!.spent).toBe(web.requests.length);
  const state = await forager("campaign status demo");
  expect(state.stdout).toMatch(/ +budget\n[^]*campaign demo: stopped by its budget/);
  const status = await forager("status");
  expect(status.exitCode).toBe(3);
  expect(status.stdout).toContain("campaign demo: stopped by its budget");

  const before = web.requests.length;
  const again = await forager("campaign run demo");
  expect(again.exitCode, again.stderr).toBe(3);
  expect(again.stderr).toContain("stopped by its budget");
  expect(web.requests).toHaveLength(before);

  expect((await forager("campaign set demo budget.requests=1000")).exitCode).toBe(0);
  const done = await forager("campaign run demo --json");
  expect(done.exitCode, done.stderr).toBe(0);
  const { report: last } = JSON.parse(done.stdout) as { report: CampaignReport };
  expect(last.budget).toMatchObject({ state: "within" });
  expect(last.funnel.companies).toBeGreaterThanOrEqual(funnel.companies);
  expect(last.funnel.visited).toBe(last.funnel.companies);
});

test("B28: a limit of companies holds inside a tile at any concurrency, is reported once, and can be removed", async () => {
  const { web, forager } = await setUp(12, () => "[budget]\ncompanies = 2");
  expect((await forager("campaign dispatch demo")).exitCode).toBe(0);
  const work = await forager("work --drain");
  expect(work.exitCode, work.stderr).toBe(3);
  expect(work.stdout.match(/stopped by its budget, 2 of 2 companies: raise it/g)).toHaveLength(1);
  expect(work.stdout).not.toContain("no handler");
  expect(work.stderr.match(/stopped by its budget/g)).toHaveLength(1);
  const hosts = new Set(web.requests.map((request) => request.split("/")[0]));
  expect(hosts.size).toBe(2);
  const stopped = await forager("campaign report demo --json");
  const { budget, funnel, cost, tasks } = JSON.parse(stopped.stdout) as CampaignReport;
  expect(budget).toMatchObject({ state: "budget", limits: [{ max: 2, spent: 2 }] });
  expect(funnel).toMatchObject({ companies: 2, visited: 2 });
  expect(cost.websiteRequests).toBe(web.requests.length);
  expect(tasks!.pending).toBeGreaterThan(0);
  expect((await forager("status")).stdout).toContain("campaign demo: stopped by its budget");

  expect((await forager("campaign set demo budget.companies=none")).exitCode).toBe(0);
  const done = await forager("campaign run demo --json");
  expect(done.exitCode, done.stderr).toBe(0);
  const { report } = JSON.parse(done.stdout) as { report: CampaignReport };
  expect(report.budget).toBeUndefined();
  expect(report.funnel).toMatchObject({ companies: 12, visited: 12 });
  expect((await forager("campaign set demo budget.companies=5")).exitCode).toBe(0);
  const exceeded = await forager("campaign run demo");
  expect(exceeded.exitCode).toBe(3);
  expect(exceeded.stderr).toContain("over its budget, 12 of 5 companies");
});

test("B28: what a filter rejects is asked for nothing, and counted by filter", async () => {
  const statuses = ["OPERATIONAL", "CLOSED_TEMPORARILY"];
  const { web, forager } = await setUp(6, ({ places: [first] }) => {
    const { latitude, longitude } = first!;
    const around = [-1, 1, 1, -1].map((east, corner) => [
      longitude + east * 1e-6,
      latitude + (corner < 2 ? -1e-6 : 1e-6),
    ]);
    return `[filters]\nopen = true\npolygon = ${JSON.stringify(around)}`;
  }, (place, at) => ({ ...place, "Business Status": statuses[at] })); // prettier-ignore
  const estimated = await forager("campaign plan demo --estimate --json");
  const { estimate } = JSON.parse(estimated.stdout) as { estimate: { filtered: number } };
  const ran = await forager("campaign run demo --json");
  expect(ran.exitCode, ran.stderr).toBe(0);
  const { report } = JSON.parse(ran.stdout) as { report: CampaignReport };
  expect(report.funnel.companies).toBe(1);
  expect(report.filtered).toHaveLength(2);
  expect(report.filtered).toContainEqual({ filter: "open", companies: 1 });
  expect(report.filtered).toContainEqual({ filter: "polygon", companies: 4 });
  expect(estimate.filtered).toBe(5);
  expect(web.requests.length).toBeGreaterThan(0);
  const hosts = new Set(web.requests.map((request) => request.split("/")[0]));
  expect([...hosts]).toEqual([new URL(web.places[0]!.website).hostname]);
});

test("D17: a budget that is reached and an export that is ready are delivered, signed", async () => {
  const { forager } = await setUp(4, () => "[budget]\nrequests = 2");
  const { got, url } = await openReceiver();
  const added = await forager(`webhook add ${url} --event budget.reached --event export.ready --json`); // prettier-ignore
  const { secret } = JSON.parse(added.stdout) as { readonly secret: string };
  expect((await forager("campaign dispatch demo")).exitCode).toBe(0);
  await forager("work --drain --processes 1 --concurrency 1");
  expect((await forager("schedule add leads --does export --campaign demo --every 1d")).exitCode).toBe(0); // prettier-ignore
  expect((await forager("schedule run-now leads")).exitCode).toBe(0);
  // The run adds the delivery, which the same process or the next one makes.
  for (let count = 0; count < 3 && got.length < 2; count++) await forager("work --drain --processes 1"); // prettier-ignore
  const events = got.map((received) => {
    const verified = new Webhook(secret).verify(received.body, signedHeaders(received));
    return verified as { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
  });
  expect(events.map(({ type }) => type)).toEqual(["budget.reached", "export.ready"]);
  expect(events[0]!.data).toMatchObject({ campaign: "demo", limit: "requests", max: 2 });
  expect(events[1]!.data).toMatchObject({ campaign: "demo", schedule: "leads", format: "csv", file: "demo.csv" }); // prettier-ignore
  expect(events[1]!.data["rows"]).toBeGreaterThan(0);
});
