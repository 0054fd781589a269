// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type RunOptions, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox({ hasSharedProcess: true });
});
afterEach(() => sandbox.remove());

const at = (...path: readonly string[]) => join(sandbox.folder, ...path);
const run = (data: string, args: readonly string[], options: RunOptions = {}) =>
  sandbox.forager(["campaign", ...args, "--data", data], options);
/** Runs it, and wants it to go well. */
const good = async (data: string, args: readonly string[], options: RunOptions = {}) => {
  const result = await run(data, args, options);
  expect(result.exitCode, result.stderr).toBe(0);
  return result;
};
const configOf = (data: string) =>
  readFileSync(at(data, "campaigns", "austin", "config.toml"), "utf8");
/** An editor that replaces one text by another, after running a command. */
const editor = (replace: string, before = "true") => ({
  EDITOR: `sh -c '${before}; sed -i ${replace} "$1"' sh`,
});

test("show, set and edit: origins, checks, a diff, and nothing is written that is not valid", async () => {
  await good("d", ["new", "austin", "--location", "Austin@30.2672,-97.7431"]);
  await good("d", ["set", "--defaults", "politeness.concurrency=2"]);
  const set = [
    "austin",
    "proximityKm=20",
    "env.test.proximityKm=2",
    'phrases=["plumber","roofer"]',
  ];
  await good("d", ["set", ...set]);
  expect(configOf("d")).toContain('phrases = ["plumber","roofer"]');
  expect(configOf("d")).toContain("# What is looked for."); // comments stay
  const shown = await good("d", ["show", "austin", "--origin"]);
  expect(shown.stdout).toMatch(/phrases +plumber, roofer +\S+config\.toml:2/);
  expect(shown.stdout).toMatch(/politeness\.concurrency +1 +\S+config\.toml:\d+/);
  expect(shown.stdout).toMatch(/exclusions\.names +\S*config\.toml:\d+/);

  // The campaign by flag, variable or argument; two at once are refused.
  const env = { FORAGER_CAMPAIGN: "austin", FORAGER_ENVIRONMENT: "test" };
  const tested = await good("d", ["show", "--origin"], { env });
  expect(tested.stdout).toMatch(/proximityKm +2 +\S+config\.toml:\d+/);
  await good("d", ["show", "--campaign", "austin"]);
  const two = await run("d", ["show", "dallas", "--campaign", "austin"]);
  expect([two.exitCode, two.stderr]).toEqual([
    2,
    expect.stringContaining("two campaigns are named"),
  ]);

  const before = configOf("d");
  const wrong = await run("d", ["set", "austin", "proximityKm=far"]);
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    expect.stringContaining("must be kilometres"),
  ]);
  expect((await run("d", ["set", "austin", "proximity=3"])).stderr).toContain("did you mean");
  const broken = await run("d", ["edit", "austin", "--yes"], {
    env: editor("/^proximityKm/s/20/-1/"),
  });
  expect(broken.exitCode).toBe(2);
  expect(broken.stderr).toMatch(/config\.toml:\d+: proximityKm must be kilometres/);
  const [, kept = ""] = /--from (\S+) --base \w+ --yes`/.exec(broken.stderr) ?? [];
  expect(readFileSync(kept, "utf8")).toContain("proximityKm = -1");
  expect(configOf("d")).toBe(before);
  const edited = await good("d", ["edit", "austin", "--yes"], {
    env: editor("/^proximityKm/s/20/30/"),
  });
  expect(edited.stderr).toContain("- proximityKm = 20\n+ proximityKm = 30");
  expect(configOf("d")).toBe(before.replace("= 20", "= 30"));
});

test("environments have data of their own, by one setting, and share the configuration", async () => {
  await good("d", [
    "new",
    "austin",
    "--location",
    "Austin@30.2672,-97.7431",
    "--source",
    "p.jsonl",
  ]);
  const place = { id: "a", name: "A Plumber", latitude: 30.27, longitude: -97.74 };
  writeFileSync(at("d", "campaigns", "austin", "p.jsonl"), `${JSON.stringify(place)}\n`);
  const env = { FORAGER_ENVIRONMENT: "test" };
  await good("d", ["dispatch", "austin"], { env });
  const pending = async (options: RunOptions) => {
    const { stdout } = await good("d", ["status", "austin", "--json"], options);
    return (JSON.parse(stdout) as { tasks: { pending: number } }).tasks.pending;
  };
  expect(await pending({ env })).toBe(1);
  expect(await pending({})).toBe(0);
  expect(existsSync(at("d", "environments", "test", "queue.db"))).toBe(true);
  expect(existsSync(at("d", "queue.db"))).toBe(false);
});

test("a fleet's configuration is in the bucket: two who edit at once lose nothing, nodes fetch it", async () => {
  const env = { FORAGER_BUCKET_URL: `dir:${at("bucket")}` };
  await good("one", ["new", "austin", "--location", "Austin@30.2672,-97.7431"], { env });
  // The second machine has no file of it: it edits the fleet's, while the first one saves.
  const theirs = await sandbox.forager(["campaign", "edit", "austin", "--data", "two", "--yes"], {
    env: {
      ...env,
      ...editor(
        "s/plumber/roofer/",
        'node "$FORAGER_TEST_MAIN" campaign set austin proximityKm=33 --data one >/dev/null',
      ),
    },
  });
  expect(theirs.exitCode).toBe(1);
  expect(theirs.stderr).toContain("was changed by hand:");
  expect(theirs.stderr).toContain("- proximityKm = 33\n+ proximityKm = 10");
  expect(configOf("one")).toContain("proximityKm = 33");
  const [, kept = "", base = ""] = /--from (\S+) --base (\w+) --yes`/.exec(theirs.stderr) ?? [];
  expect(readFileSync(kept, "utf8")).toContain("roofer");

  // They take over both, and the first machine has it as soon as it works.
  writeFileSync(kept, readFileSync(kept, "utf8").replace("proximityKm = 10", "proximityKm = 33"));
  const over = ["edit", "austin", "--from", kept, "--base", base, "--yes"];
  await good("two", over, { env });
  // The same line does not overwrite what somebody saves after that.
  await good("one", ["set", "austin", "proximityKm=34"], { env });
  const third = await run("two", over, { env });
  expect(third.exitCode).toBe(1);
  expect(third.stderr).toContain("- proximityKm = 34\n+ proximityKm = 33");
  await good("one", ["set", "austin", "proximityKm=33"], { env });
  // Two values that are set at once are both set.
  await Promise.all([
    good("one", ["set", "austin", "politeness.delayMs=1500"], { env }),
    good("two", ["set", "austin", "politeness.concurrency=2"], { env }),
  ]);
  await good("three", ["set", "austin", "freshness.foundDays=60"], { env });
  for (const line of [
    "roofer",
    "proximityKm = 33",
    "delayMs = 1500",
    "concurrency = 2",
    "foundDays = 60",
  ]) {
    expect(configOf("three")).toContain(line);
  }

  // A file that was edited by hand is shared before tasks are, unless the fleet's has changed too.
  writeFileSync(
    at("one", "campaigns", "austin", "config.toml"),
    configOf("one").replace("roofer", "tiler"),
  );
  const late = await run("one", ["dispatch", "austin"], { env });
  expect(late.stderr).toContain("was changed by hand:");
  expect(configOf("one")).toContain("tiler");
  // The line that a conflict advises works, though this file was edited too.
  const both = await run("one", ["edit", "austin", "--yes"], { env: { ...env, EDITOR: "true" } });
  expect(both.exitCode).toBe(1);
  const [, mine = "", now = ""] = /--from (\S+) --base (\w+) --yes`/.exec(both.stderr) ?? [];
  writeFileSync(mine, configOf("three").replace("roofer", "tiler"));
  await good("one", ["edit", "austin", "--from", mine, "--base", now, "--yes"], { env });
  await good("three", ["set", "austin", "freshness.emptyDays=7"], { env });
  for (const line of ["tiler", "foundDays = 60", "emptyDays = 7"]) {
    expect(configOf("three")).toContain(line);
  }
  // What looks at a campaign fetches a newer configuration first.
  await good("one", ["plan", "austin", "--dry-run"], { env });
  expect(configOf("one")).toContain("emptyDays = 7");
});

test("values that several commands set at once in one folder are all set", async () => {
  await good("d", ["new", "austin", "--location", "Austin@30.2672,-97.7431"]);
  const values = ["proximityKm=33", "politeness.delayMs=1500", "politeness.concurrency=2", "freshness.foundDays=60", "freshness.emptyDays=7"]; // prettier-ignore
  await Promise.all(values.map((one) => good("d", ["set", "austin", one])));
  for (const one of values) {
    const [, line = ""] = /(\w+=\d+)$/.exec(one) ?? [];
    expect(configOf("d")).toContain(line.replace("=", " = "));
  }
});
