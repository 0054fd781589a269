// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openQueue } from "../../src/app/index.ts";
import { openNodeIn } from "../../src/app/node/open-node.ts";
import { silentLogger } from "../../src/base/log/logger.ts";
import { readVersion } from "../../src/base/version.ts";
import { createPaths } from "../../src/config/index.ts";
import { startSiteServer, type SiteServer } from "../../src/crawl/testing/site-server.ts";
import { builtCli, createSandbox, type Sandbox } from "../support/built-cli.ts";

const delayMs = 200;
const companies = 3;
const env = {
  FORAGER_CRAWL_CONTACT: "crawler@forager-tests.org",
  FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "127.0.0.1",
  FORAGER_CRAWL_DELAY_MS: String(delayMs),
  FORAGER_QUEUE_LEASE_MS: "1500",
};

let sandbox: Sandbox;
let site: SiteServer;
const children: ChildProcess[] = [];
beforeEach(async () => {
  sandbox = await createSandbox();
  site = await startSiteServer({ pages });
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await site[Symbol.asyncDispose]();
  sandbox.remove();
});

/** Companies whose pages lie on one host, each with its own address. */
const pages = Object.fromEntries(
  Array.from({ length: companies }, (_, at) => [
    [`/c${at}/`, `<p>We lay floors.</p><footer><a href="/c${at}/contact">Contact</a></footer>`],
    [`/c${at}/contact`, `<p>Write to <a href="mailto:box${at}@floors-${at}.com">us</a></p>`],
  ]).flat(),
) as Readonly<Record<string, string>>;

async function startWork(): Promise<ChildProcess> {
  const words = [await builtCli(), "work", "--drain", "--concurrency", "4", "--data", "d"];
  const child = spawn(process.execPath, words, {
    cwd: sandbox.folder,
    env: { PATH: process.env["PATH"], HOME: sandbox.folder, ...env },
    stdio: "ignore",
  });
  children.push(child);
  return child;
}

test("lesson 52: three workers, one host, kill -9 of the one at work: the gap holds by the server's log, every visit ends once", async () => {
  const data = join(sandbox.folder, "d");
  const open = () =>
    openNodeIn({
      kind: "command",
      paths: createPaths(data),
      log: silentLogger,
      user: "tester",
      version: readVersion(),
    });
  const targets: string[] = [];
  {
    await using node = await open();
    for (let at = 0; at < companies; at++) {
      const website = `${site.origin}/c${at}/`;
      const fields = { name: `Floors ${at}`, place: `p/${at}`, website };
      targets.push((await node.api.records.create({ source: `place:p/${at}`, fields })).target);
    }
  }
  const run = await sandbox.forager(["enrich", "--all", "--batch", "b", "--data", "d"], { env });
  expect(run.stdout, run.stderr).toContain("3 companies: 3 to visit as batch b");

  const workers = await Promise.all([startWork(), startWork(), startWork()]);
  await expect.poll(() => site.requests.length, { interval: 5 }).toBeGreaterThan(3);
  {
    await using queue = await openQueue(`sqlite:${join(data, "queue.db")}`);
    let pid = 0;
    const atWork = async () => {
      for (const { id } of await queue.browse({ states: ["running"], kind: "enrich" })) {
        pid = Number((await queue.show(id))?.worker?.split(".").at(-1) ?? 0) || pid;
      }
      return pid;
    };
    await expect.poll(atWork, { interval: 1 }).toBeGreaterThan(0);
    process.kill(pid, "SIGKILL");
  }
  for (const child of workers) if (child.exitCode === null) await once(child, "close");
  expect(workers.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);

  const moments = site.requests.map(({ atMs }) => atMs);
  const gaps = moments.slice(1).map((atMs, at) => atMs - moments[at]!);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delayMs - 2);
  await using node = await open();
  for (const [at, target] of targets.entries()) {
    const { fields } = await node.api.ledger.read(target);
    const of = (field: string) => fields.find((one) => one.field === field)?.value;
    expect(of("visit")).toMatchObject({ outcome: "done", pages: 2 });
    expect(of(`email/box${at}@floors-${at}.com`)).toMatchObject({ method: "mailto" });
    const ends = (await node.api.ledger.log({ from: 0, limit: 100_000 })).filter(
      (one) => one.target === target && one.field === "visit",
    );
    expect(ends).toHaveLength(1);
  }
  const report = await sandbox.forager(["enrich", "--report", "b", "--data", "d", "--json"], {
    env,
  });
  expect(JSON.parse(report.stdout)).toMatchObject({
    companies: 3,
    waiting: 0,
    read: 3,
    found: 3,
    lost: 0,
    unreachable: 0,
    emailsFound: 3,
  });
});

test("a campaign from its plan to an address, with nothing but forager work", async () => {
  const forager = async (...words: readonly string[]) => {
    const result = await sandbox.forager([...words, "--data", "d"], { env });
    expect(result.exitCode, result.stderr).toBe(0);
    return result.stdout;
  };
  const at = ["--phrase", "floors", "--location", "M@48.15,11.55", "--proximity-km", "1"];
  await forager("campaign", "new", "munich", ...at, "--source", "p.jsonl");
  const place = { id: "p/1", name: "Floors 0", latitude: 48.15, longitude: 11.55 };
  const line = JSON.stringify({ ...place, website: `${site.origin}/c0/` });
  writeFileSync(join(sandbox.folder, "d", "campaigns", "munich", "p.jsonl"), line);
  await forager("campaign", "dispatch", "munich");
  await forager("work", "--drain");
  const shown = await forager("company", "show", "floors-0");
  expect(shown).toContain("box0@floors-0.com");
});
