// inputs: src/** test/support/** package.json tsconfig.json tsconfig.build.json
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  campaignReportSchema,
  type CampaignEstimate,
  type CampaignReport,
} from "../../src/campaign/index.ts";
import { builtCli, createSandbox } from "../support/built-cli.ts";
import { startFakeWeb } from "../support/fake-web.ts";

async function setUp(size: number) {
  const web = await startFakeWeb(size);
  onTestFinished(() => web[Symbol.asyncDispose]());
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const at = (...parts: string[]) => join(sandbox.folder, ...parts);
  writeFileSync(at("places.jsonl"), web.places.map((place) => JSON.stringify(place)).join("\n"));
  const env = {
    FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: web.network,
    FORAGER_CRAWL_BROWSER: "off",
    FORAGER_QUEUE_LEASE_MS: "3000",
    FORAGER_WORK_GRACE_MS: "2000",
  };
  const forager = (line: string, options = {}) =>
    sandbox.forager(line.split(" "), { env, ...options });
  /** As `init` leaves it, but at a pace for tests. */
  const hurry = (name: string) => {
    const file = at("campaigns", name, "config.toml");
    writeFileSync(file, readFileSync(file, "utf8").replace("# delayMs = 1000", "delayMs = 100"));
  };
  return { web, sandbox, at, forager, hurry };
}

const init = "init --contact you@forager-tests.org --source places.jsonl";

test("from init to 20 companies with an address in two commands; again, nothing is asked twice", async () => {
  const { web, at, forager, hurry } = await setUp(27);
  const made = await forager(init);
  expect(made.exitCode, made.stderr).toBe(0);
  const next = /^next: forager (campaign run (\S+))$/m.exec(made.stdout);
  expect(next, made.stdout).not.toBeNull();
  const [, command = "", name = ""] = next!;
  expect(readFileSync(at("forager.toml"), "utf8")).toContain('contact = "you@forager-tests.org"');
  expect(statSync(at("forager.toml")).mode & 0o777).toBe(0o600);
  hurry(name);
  const planned = await forager(`campaign plan ${name} --estimate --json`);
  const { estimate } = JSON.parse(planned.stdout) as { estimate: CampaignEstimate };
  expect(estimate.companies).toMatchObject({ value: 27, basis: "counted" });
  expect(estimate.websites).toMatchObject({ value: 27, basis: "counted" });
  expect(estimate.websiteRequests.basis).toBe("guess");

  const ran = await forager(`${command} --json`);
  expect(ran.exitCode, ran.stderr).toBe(0);
  const { report, file, left } = JSON.parse(ran.stdout) as Result;
  expect(campaignReportSchema.parse(report)).toEqual(report);
  expect(left).toBe(0);
  expect(report.funnel.companies).toBe(27);
  expect(report.funnel.withEmail).toBeGreaterThanOrEqual(20);
  const reasons = report.withoutEmail.reasons.reduce((sum, one) => sum + one.companies, 0);
  expect(reasons).toBe(27 - report.funnel.withEmail);
  const rows = readFileSync(file, "utf8").trim().split("\r\n");
  expect(rows).toHaveLength(28);
  expect(rows.filter((row) => row.includes("@")).length).toBeGreaterThanOrEqual(20);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(`${file}.about.json`, "utf8"))).toMatchObject({ rows: 27 });
  expect(JSON.parse(readFileSync(at("campaigns", name, "report.json"), "utf8"))).toEqual(report);

  // B28: the estimate is compared with what happened, and one that is made afterwards changes nothing.
  expect(report.estimate).toMatchObject({ at: estimate.at, isFinal: true, isOutdated: false });
  const errorOf = (figure: string) =>
    report.estimate?.rows.find((row) => row.figure === figure && row.phrase === undefined);
  expect(errorOf("companies")).toMatchObject({ estimated: 27, actual: 27, errorPercent: 0 });
  expect(errorOf("places")).toMatchObject({ errorPercent: 0 });
  expect(errorOf("websiteRequests")).toMatchObject({
    estimated: estimate.websiteRequests.value,
    actual: report.cost.websiteRequests,
    errorPercent: expect.any(Number) as number,
  });
  expect(errorOf("bytes")!.actual).toBeGreaterThan(1_000);
  const later = await forager(`campaign plan ${name} --estimate`);
  expect(later.stdout).toMatch(/^requests to websites +\d+ +measured /m);
  const kept = JSON.parse(readFileSync(at("campaigns", name, "estimate.json"), "utf8")) as object;
  expect(kept).toEqual(estimate);

  const { companies, visited, withContact } = report.funnel;
  const funnel = new RegExp(
    ` places → ${companies} companies → ${visited} visited → \\d+ read → ${withContact} with contact`,
  );
  const status = await forager(`campaign status ${name}`);
  expect(status.stdout).toMatch(funnel);
  const watched = await forager(`campaign status ${name} --watch --every 100ms`, {
    onStdout: (text: string, kill: (signal: NodeJS.Signals) => void) => {
      if (text.split("\n").length > 2) kill("SIGINT");
    },
  });
  expect(watched.exitCode, watched.stderr).toBe(130);
  expect(watched.stdout).toMatch(funnel);

  const before = web.requests.length;
  const again = await forager(command);
  expect(again.exitCode, again.stderr).toBe(0);
  expect(again.stdout).toContain("27 companies written to");
  expect(web.requests).toHaveLength(before);
  const shown = await forager(`campaign report ${name}`);
  expect(shown.stdout).toMatch(/^all +4 +27 +27 /m);
  expect(shown.stdout).toMatch(/^companies +27 +27 +0 % +counted$/m);

  const map = await forager(`campaign coverage ${name} --format geojson --by tile`);
  const { features } = JSON.parse(map.stdout) as { features: { properties: { state: string } }[] };
  expect(features).toHaveLength(report.tiles.planned);
  const fresh = features.filter(({ properties }) => properties.state === "fresh");
  expect(fresh).toHaveLength(report.tiles.fresh);
  const kml = await forager(`campaign coverage ${name} --format kml --to map.kml`);
  expect(kml.exitCode, kml.stderr).toBe(0);
  expect(readFileSync(at("map.kml"), "utf8")).toContain("<Folder><name>carpenter</name>");
  const leads = await forager(
    `export companies --campaign ${name} --has email --columns name,email`,
  );
  expect(leads.stdout.trim().split("\r\n")).toHaveLength(report.funnel.withEmail + 1);
});

test("B7: with a bucket, the export of a run lands in the campaign's folder there", async () => {
  const { at, forager, hurry } = await setUp(1);
  const made = await forager(`${init} --bucket dir:${at("bucket")}`);
  const [, name = ""] = /^next: forager campaign run (\S+)$/m.exec(made.stdout) ?? [];
  hurry(name);
  const ran = await forager(`campaign run ${name}`);
  expect(ran.exitCode, ran.stderr).toBe(0);
  expect(ran.stdout).toContain(`${name}.csv and forager-exports-${name}/${name}.csv of the bucket`);
  for (const file of [`${name}.csv`, `${name}.csv.about.json`]) {
    const copy = readFileSync(at("bucket", `forager-exports-${name}`, file), "utf8");
    expect(copy).toBe(readFileSync(at("campaigns", name, "exports", file), "utf8"));
  }
});

test("killed with -9 and stopped with Ctrl-C it continues where it was", async () => {
  const { web, forager, hurry } = await setUp(12);
  expect((await forager(`${init} demo`)).exitCode).toBe(0);
  hurry("demo");
  const endAfter = (requests: number, signal: NodeJS.Signals) =>
    forager("campaign run demo", {
      onStart: (kill: (signal: NodeJS.Signals) => void) => {
        const from = web.requests.length;
        const looking = setInterval(() => {
          if (web.requests.length < from + requests) return;
          clearInterval(looking);
          kill(signal);
        }, 20);
        onTestFinished(() => clearInterval(looking));
      },
    });
  const killed = await endAfter(12, "SIGKILL");
  expect(killed.exitCode).toBeNull();
  const stopped = await endAfter(12, "SIGINT");
  expect(stopped.exitCode, stopped.stderr).toBe(130);
  expect(stopped.stderr).toMatch(
    /stopped, \d+ tasks? left: continue with `forager campaign run demo`/,
  );
  const done = await forager("campaign run demo --json");
  expect(done.exitCode, done.stderr).toBe(0);
  const { report, left, failed } = JSON.parse(done.stdout) as Result;
  expect({ left, failed }).toEqual({ left: 0, failed: 0 });
  expect(report.funnel).toMatchObject({ companies: 12, visited: 12 });
  // Only what was under way when it was killed is asked for again.
  expect(web.requests.length).toBeLessThan(2 * new Set(web.requests).size);
});

test("if no website can be reached, it says why and exits 3; the command that it names visits them later", async () => {
  const { forager, hurry, web } = await setUp(3);
  expect((await forager(`${init} demo`)).exitCode).toBe(0);
  hurry("demo");
  const env = { FORAGER_CRAWL_BROWSER: "off", FORAGER_CRAWL_ALLOW_PRIVATE_NETWORKS: "" };
  const refused = await forager("campaign run demo", { env });
  expect(refused.exitCode, refused.stderr).toBe(3);
  expect(refused.stderr).toMatch(
    /no website could be read: visits: 0 done, \d unreachable \(\d private_address/,
  );
  expect(web.requests).toEqual([]);
  // Nothing is due in the second run, and still nothing was read.
  const again = await forager("campaign run demo", { env });
  expect(again.exitCode, again.stderr).toBe(3);
  expect(again.stderr).toContain("no website of this campaign was read\n");
  expect((await forager("status")).exitCode).toBe(3);
  expect(refused.stderr).toContain("forager enrich --missing email");
  expect((await forager("enrich --missing email")).exitCode).toBe(0);
  const worked = await forager("work --drain");
  expect(worked.exitCode, worked.stderr).toBe(0);
  expect(web.requests.length).toBeGreaterThan(0);
});

test("on a terminal, init asks its four questions and writes what was answered", async () => {
  const { sandbox, at } = await setUp(1);
  const main = await builtCli();
  const answers = ["you@forager-tests.org", "", "places.jsonl", "", ""].join("\n");
  const command = `'${process.execPath}' '${main}' init demo`;
  // script(1) runs it on a pseudo terminal of its own.
  const { exitCode, stdout } = await sandbox.run("script", ["-qefc", command, "/dev/null"], {
    input: answers,
  });
  expect(exitCode, stdout).toBe(0);
  for (const question of ["1/4 ", "2/4 ", "3/4 ", "4/4 "]) expect(stdout).toContain(question);
  expect(stdout).toMatch(/next: forager campaign run demo/);
  const settings = readFileSync(at("forager.toml"), "utf8");
  expect(settings).toContain('contact = "you@forager-tests.org"');
  expect(existsSync(at("campaigns", "demo", "config.toml"))).toBe(true);
});

test("init refuses what cannot work, and never replaces settings", async () => {
  const { at, forager } = await setUp(1);
  const cases: readonly (readonly [line: string, message: RegExp])[] = [
    ["init", /not a terminal: pass --contact/],
    ["init --contact nobody", /crawl\.contact must be an e-mail address/],
    [
      "init --contact a@b.example --bucket postgres://me:Barracuda@127.0.0.1/x",
      /the address of the bucket contains a password .*bucket\.password = .*nothing was written/,
    ],
    ["init --contact a@b.org --source none.csv", /none\.csv is not a file/],
    [`${init} Bad_Name`, /is not a valid campaign name/],
  ];
  for (const [line, message] of cases) {
    const { exitCode, stderr } = await forager(line);
    expect(exitCode, line).toBe(2);
    expect(stderr).toMatch(message);
  }
  expect(existsSync(at("forager.toml"))).toBe(false);
  expect((await forager(`${init} one`)).exitCode).toBe(0);
  const before = readFileSync(at("forager.toml"), "utf8");
  expect((await forager(`${init} one`)).exitCode).toBe(0);
  const refused = await forager("init two --contact other@b.org --source places.jsonl");
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain("with other settings");
  expect(readFileSync(at("forager.toml"), "utf8")).toBe(before);
  expect(readdirSync(at("campaigns"))).toEqual(["one"]);
});

test("init finds where the places of a file are also if they do not say what they are", async () => {
  const { at, forager } = await setUp(1);
  writeFileSync(at("munich.csv"), "id,name,lat,lon,city\nx1,Acme,48.15,11.55,Munich\n");
  const made = await forager("init --contact you@forager-tests.org --source munich.csv");
  expect(made.exitCode, made.stderr).toBe(0);
  expect(made.stderr).toContain("have no categories, so munich looks for an example, plumber");
  expect(readFileSync(at("campaigns", "munich", "config.toml"), "utf8")).toContain("lat = 48.15");
});

test("without a source init ends with a plan, and a run says what is missing", async () => {
  const { forager } = await setUp(1);
  const made = await forager("init --contact you@forager-tests.org");
  const [, command = ""] = /^next: forager (campaign plan \S+)$/m.exec(made.stdout) ?? [];
  expect((await forager(command)).exitCode).toBe(0);
  const ran = await forager(command.replace("plan", "run"));
  expect(ran.exitCode).toBe(2);
  expect(ran.stderr).toContain("has no source");
});

interface Result {
  readonly report: CampaignReport;
  readonly file: string;
  readonly left: number;
  readonly failed: number;
}
