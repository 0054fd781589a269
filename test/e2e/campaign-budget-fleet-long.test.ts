// needs: postgres s3
// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
// long: fleet
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestPlace } from "../../src/bucket/testing/test-s3.ts";
import type { CampaignReport } from "../../src/campaign/index.ts";
import { createTestSchema } from "../../src/queue/adapters/postgres/testing/test-schema.ts";
import { builtCli, createSandbox } from "../support/built-cli.ts";
import { startFakeWeb } from "../support/fake-web.ts";
import { needs } from "../support/services.ts";

interface Machine {
  /** In the process that the commands of this file share. */
  readonly good: (line: string, exitCode?: number) => Promise<string>;
  /** A worker process of its own, until nothing is left that it may do. */
  readonly drain: () => Promise<Drained>;
  readonly report: () => Promise<CampaignReport>;
}

interface Drained {
  readonly exitCode: number | null;
  readonly text: string;
}

const concurrency = 2;

/** Machines with a data folder each, which share a queue. */
async function createFleet(size: number, env: Readonly<Record<string, string>>, machines = 2) {
  const web = await startFakeWeb(size);
  onTestFinished(() => web[Symbol.asyncDispose]());
  const sandbox = await createSandbox({ hasSharedProcess: true });
  onTestFinished(() => sandbox.remove());
  const main = await builtCli();
  const at = (...parts: string[]) => join(sandbox.folder, ...parts);
  const all = {
    FORAGER_BUCKET_URL: `dir:${at("bucket")}`,
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: web.network,
    FORAGER_CRAWL_BROWSER: "off",
    FORAGER_WORK_GRACE_MS: "2000",
    ...env,
  };
  const open = (folder: string): Machine => {
    const good: Machine["good"] = async (line, exitCode = 0) => {
      const args = [...line.split(" "), "--data", at(folder)];
      const { exitCode: code, stdout, stderr } = await sandbox.forager(args, { env: all });
      expect(code, `${line}: ${stderr}${stdout}`).toBe(exitCode);
      return stdout + stderr;
    };
    return {
      good,
      async drain() {
        const line = `work --drain --processes 1 --concurrency ${concurrency} --data ${at(folder)}`;
        const done = await sandbox.run(process.execPath, [main, ...line.split(" ")], { env: all });
        return { exitCode: done.exitCode, text: done.stdout + done.stderr };
      },
      report: async () => JSON.parse((await good("campaign report demo --json")).split("\n}\n")[0] + "\n}") as CampaignReport, // prettier-ignore
    };
  };
  const lines = web.places.map((place) => JSON.stringify(place)).join("\n");
  writeFileSync(at("places.jsonl"), lines);
  const first = open("m0");
  mkdirSync(at("m0"));
  await first.good(`init demo --contact you@forager-tests.org --source ${at("places.jsonl")}`);
  await first.good("campaign set demo politeness.delayMs=100");
  const rest = Array.from({ length: machines - 1 }, (_, index) => `m${index + 1}`);
  for (const folder of rest) {
    cpSync(at("m0", "campaigns"), at(folder, "campaigns"), { recursive: true });
  }
  return { web, machines: [first, ...rest.map(open)] as [Machine, ...Machine[]] };
}

async function drained({ drain }: Machine, exitCode: number): Promise<void> {
  const done = await drain();
  expect(done.exitCode, done.text).toBe(exitCode);
}

/** The limit is reached, everything says so, and raising it goes on through `campaign dispatch`. */
async function expectStopped({ good, report }: Machine, limit: string): Promise<void> {
  expect((await report()).budget).toMatchObject({ state: "budget", reached: limit });
  expect(await good("campaign status demo")).toMatch(/ +budget\n[^]*stopped by its budget/);
  expect(await good("campaign dispatch demo", 3)).toContain("a limit of the budget of demo is reached"); // prettier-ignore
}

test("B28: hours stop a campaign, then companies; raised, dispatch continues", async () => {
  const { web, machines } = await createFleet(4, { FORAGER_QUEUE_URL: "sqlite:queue.db" }, 1);
  const [one] = machines;
  await one.good("campaign set demo budget.hours=0.000001");
  await one.good("campaign dispatch demo", 3);
  await drained(one, 3);
  expect(web.requests).toEqual([]);
  await expectStopped(one, "hours");
  expect(await one.good("status", 3)).toContain("campaign demo: stopped by its budget");

  await one.good("campaign set demo budget.hours=24 budget.companies=1");
  expect(await one.good("campaign dispatch demo")).toContain("job demo was resumed");
  await drained(one, 3);
  await expectStopped(one, "companies");
  const { funnel } = await one.report();
  // Two of the four tiles may have been searched at the same time; what was found there was visited.
  expect(funnel.companies).toBeGreaterThanOrEqual(1);
  expect(funnel.companies).toBeLessThanOrEqual(concurrency);
  expect(funnel.visited).toBe(funnel.companies);

  await one.good("campaign set demo budget.companies=100");
  await one.good("campaign dispatch demo");
  await drained(one, 0);
  const last = await one.report();
  expect(last.funnel).toMatchObject({ companies: 4, visited: 4 });
  expect(last.budget).toMatchObject({ state: "within" });
});

/** Two machines stop at a number of requests, and go on when it is raised. */
async function expectFleetWide(machines: readonly Machine[], requests: readonly string[]) {
  const [first, second] = machines as [Machine, Machine];
  const limit = 6;
  await first.good(`campaign set demo budget.requests=${limit}`);
  // Each takes the configuration from the bucket.
  for (const { good } of machines) await good("campaign dispatch demo");
  const both = await Promise.all([first.drain(), second.drain()]);
  expect(both.map(({ exitCode }) => exitCode)).toContain(3);
  expect(requests.length).toBeGreaterThanOrEqual(limit);
  expect(requests.length).toBeLessThanOrEqual(limit + machines.length * concurrency);
  await expectStopped(second, "requests");
  const { budget } = await first.report();
  expect(budget?.limits.find((one) => one.limit === "requests")?.spent).toBe(requests.length);
  await first.good("campaign set demo budget.requests=1000");
  expect(await second.good("campaign dispatch demo")).toContain("job demo was resumed");
  const rest = await Promise.all([first.drain(), second.drain()]);
  expect(rest).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
  expect(requests.length).toBeGreaterThan(limit + machines.length * concurrency);
  expect((await first.report()).budget).toMatchObject({ state: "within" });
}

needs(["postgres"], ({ postgres }) => {
  test("B28: two machines stop at a budget of requests on PostgreSQL", async () => {
    const schema = await createTestSchema(postgres.url);
    onTestFinished(() => schema[Symbol.asyncDispose]());
    const url = `${postgres.url}?schema=${encodeURIComponent(schema.name)}`;
    const { web, machines } = await createFleet(4, { FORAGER_QUEUE_URL: url });
    await expectFleetWide(machines, web.requests);
  });
});

needs(["s3"], ({ s3 }) => {
  test("B28: two machines stop at dollars, then at requests, with a queue on a bucket", async () => {
    const { place, client } = await createTestPlace(s3);
    client.destroy();
    const { bucket, endpoint, region, credentials } = place;
    const query = new URLSearchParams({ endpoint: endpoint!, region: region! });
    const url = `s3://${bucket}/fleet?${query.toString()}`;
    const { web, machines } = await createFleet(4, {
      FORAGER_QUEUE_URL: url,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    });
    const [first] = machines;
    // Two requests of commits: adding the tasks has cost that.
    await first.good("campaign set demo budget.dollars=0.000001");
    await first.good("campaign dispatch demo", 3);
    await drained(first, 3);
    expect(web.requests).toEqual([]);
    await expectStopped(first, "dollars");
    await first.good("campaign set demo budget.dollars=1");
    await expectFleetWide(machines, web.requests);
  });
});
