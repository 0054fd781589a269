// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { WorkOutcome } from "../../src/app/index.ts";
import { createSandbox } from "../support/built-cli.ts";

const contact = { FORAGER_CRAWL_CONTACT: "crawler@forager-tests.org" };

async function setUp(hosts: readonly string[]) {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const run = (words: string, env: Readonly<Record<string, string>> = contact) =>
    sandbox.forager([...words.split(" "), "--data", "d"], { env });
  const rows = hosts.map((host, at) => `Floors ${at},http://${host}/`);
  writeFileSync(join(sandbox.folder, "leads.csv"), ["name,website", ...rows, ""].join("\n"));
  const imported = await run("import companies leads.csv");
  expect(imported.exitCode, imported.stderr).toBe(0);
  const added = await run("enrich --all --batch leads");
  expect(added.stdout, added.stderr).toContain(`${hosts.length} to visit as batch leads`);
  return { run };
}

test("a job whose first 20 websites all fail alike is paused, says why, and continues when resumed", async () => {
  const hosts = Array.from({ length: 60 }, (_, at) => `127.0.1.${at + 1}`);
  const { run } = await setUp(hosts);

  const first = await run("work --drain --concurrency 4");
  expect(first.exitCode, first.stderr).toBe(3);
  expect(first.stdout).toMatch(
    /^visits: 0 done, \d+ unreachable \(\d+ private_address: see crawl.allowPrivateNetworks\)$/m,
  );
  expect(first.stdout).toContain(
    "job leads is paused: none of its first 20 websites could be read (private_address)",
  );
  expect(first.stdout).toContain("crawl.allowPrivateNetworks");
  const report = JSON.parse((await run("enrich --report leads --json")).stdout) as {
    readonly waiting: number;
    readonly reasons: Readonly<Record<string, number>>;
  };
  expect(report.reasons["private_address"]).toBe(60 - report.waiting);
  expect(report.waiting).toBeGreaterThan(20);
  const shown = await run("company show floors-0");
  expect(shown.stdout, shown.stderr).toMatch(/visit.*unreachable.*private_address/);

  const status = await run("status");
  expect(status.exitCode, status.stderr).toBe(3);
  expect(status.stdout).toMatch(
    /job leads is paused: none of its first 20 websites could be read \(private_address\); these addresses are not public: set crawl\.allowPrivateNetworks if they are yours; \d+ tasks left; continue with: forager --data d queue resume leads$/m,
  );

  // The operator has looked at it: it is not paused a second time.
  const resumed = await run("queue resume leads");
  expect(resumed.stdout, resumed.stderr).toBe(
    `job 'leads' was resumed: 60 tasks pending; ${60 - report.waiting} websites that could not be read are visited again\n`,
  );
  const second = await run("work --drain --concurrency 4 --json");
  // It visited the others and the first ones again, and again no website could be read.
  expect(second.exitCode, second.stderr).toBe(3);
  const { visits, paused } = JSON.parse(second.stdout) as WorkOutcome;
  expect(visits).toEqual([{ outcome: "unreachable", reason: "private_address", count: 60 }]);
  expect(paused).toEqual([]);
});

test("`work` ends with the reasons of what failed, and how to see the rest", async () => {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const handler = `export const note = { kind: "note", run() { throw new TypeError("boom"); } };`;
  writeFileSync(join(sandbox.folder, "handlers.mjs"), handler);
  for (const key of ["a", "b", "c"]) {
    await sandbox.forager(["queue", "add", "note", "--key", key, "--attempts", "1", "--data", "d"]);
  }
  const words = ["work", "--drain", "--handlers", "handlers.mjs", "--data", "d"];
  const { exitCode, stdout } = await sandbox.forager(words);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^failed: 3 note: TypeError: boom$/m);
  expect(stdout).toContain("see them all: forager --data d queue list --state failed");
});
