// inputs: scripts/** src/base/app-error.ts src/dashboard/parts/icon-names.ts test/support/services.ts test/support/service-addresses.ts
// inputs: tsconfig.json .oxlintrc.json .oxfmtrc.json vitest.config.ts
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { builtVariable } from "../../scripts/build-dist.ts";
import { root } from "../../scripts/project.ts";

/** A small project with our scripts in it, so that what passes and fails is ours to choose. */
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-run-"));
  const supports = ["test/support/services.ts", "test/support/service-addresses.ts"];
  const imported = ["src/base/app-error.ts", "src/dashboard/parts/icon-names.ts"];
  const copies = ["scripts", ...imported, ...supports];
  const settings = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"];
  const tools = ["vitest.config.ts", ".oxlintrc.json", ".oxfmtrc.json"];
  for (const path of [...copies, ...settings, ...tools])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  // These import what is not here.
  const importers = ["bench.ts", "sim.ts", "screenshots.ts", "docs.ts", "docs-reference.ts"];
  const data = ["data/place-samples.ts", "data/measure-pairs.ts"];
  for (const name of [...importers, ...data]) rmSync(join(folder, "scripts", name));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  write("src/base/one.ts", "export const one = 1;");
  write("src/base/one.test.ts", testOf("one", `import { one } from "./one.ts";`, "expect(one)"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("what is unchanged is not run twice, unless the cache is off", () => {
  expect(run(["base/one"])).toMatchObject({ status: 0, last: "1 passed, 0 failed" });
  const second = run(["base/one"]);
  expect(second).toMatchObject({ status: 0, last: "1 passed, 0 failed" });
  expect(second.row("unit")).toMatchObject({ passed: 1, cached: 1 });
  expect(second.output).not.toContain("RUN");
  for (const off of [run(["base/one", "--no-cache"]), run(["base/one"], cacheOff)])
    expect(off.row("unit")).toMatchObject({ passed: 1, cached: 0 });
});

test("a change in what a test imports runs it again", () => {
  run(["base/one"]);
  write("src/base/one.ts", "export const one = 2;");
  const changed = run(["base/one"]);
  expect(changed).toMatchObject({ status: 1, last: "0 passed, 1 failed" });
  expect(changed.output).toContain("expected 2 to be 1");
});

test("what failed or was skipped runs again every time", () => {
  write("src/base/bad.test.ts", testOf("bad", "", "expect(2)"));
  write("src/base/later.test.ts", testOf("later", "", "expect(1)").replace("test(", "test.skip("));
  const total = "1 passed, 1 failed, 1 skipped";
  expect(run(["src/base"])).toMatchObject({ status: 1, last: total });
  const second = run(["src/base"]);
  expect(second).toMatchObject({ status: 1, last: total });
  expect(second.row("unit")).toMatchObject({ passed: 1, failed: 1, skipped: 1, cached: 1 });
});

test("--check runs types, lint, format and quick unit tests, each counted, each cached", () => {
  write("test/e2e/other.test.ts", testOf("other", "", "expect(2)"));
  write("src/base/slow.test.ts", testOf("slow", "", "expect(2)"));
  write("test/durations.json", `{ "src/base/slow.test.ts": 2 }`);
  write("src/base/much-long.test.ts", `// long: chaos\n${testOf("much", "", "expect(2)")}`);
  commitAll();
  const first = run(["--check"]);
  expect(first.output).not.toContain("other.test.ts");
  expect(first, first.output).toMatchObject({ status: 0, last: "3 passed, 0 failed" });
  expect(first.output).toContain("files left to npm test, because they take 2 s or more: 1");
  // `forager deploy` asks on which commit the checks passed.
  const stamp: unknown = JSON.parse(
    readFileSync(join(folder, ".cache/checks-passed.json"), "utf8"),
  );
  const commit = String(git("rev-parse", "HEAD").stdout).trim();
  expect(stamp).toEqual({ format: 1, commit, checks: "quick" });
  // What it leaves out runs when it is named.
  expect(run(["src/base"])).toMatchObject({ status: 1, last: "1 passed, 2 failed" });
  const second = run(["--check"]);
  for (const step of ["types+lint", "format", "unit"])
    expect(second.row(step)).toMatchObject({ passed: 1, failed: 0, cached: 1 });
  write("src/base/one.ts", "export const one: number = '1';");
  const third = run(["--check"]);
  expect(third.row("types+lint")).toMatchObject({ failed: 1 });
  expect(third.row("format")).toMatchObject({ failed: 1 });
  expect(third.output).toContain("is not assignable to type 'number'");
});

test("tests of the built program are told that it is current, unless the build failed", () => {
  const isBuilt = `existsSync("dist/base/one.js") && process.env["${builtVariable}"] === "yes"`;
  const imports = `import { existsSync } from "node:fs";`;
  const source = testOf("built", imports, `expect(Number(${isBuilt}))`);
  write("test/e2e/built.test.ts", `// inputs: src/**\n${source}`);
  expect(run(["e2e/built"])).toMatchObject({ status: 0, last: "2 passed, 0 failed" });
  write("src/base/one.ts", "export const one = ;");
  expect(run(["e2e/built"])).toMatchObject({ status: 1, last: "0 passed, 2 failed" });
});

test("a run without a test is a failure", () => {
  expect(run(["no-such-file"])).toMatchObject({ status: 1, last: "0 passed, 0 failed" });
});

test("an error after the last test fails the run and is not cached", () => {
  const late = `process.nextTick(() => { throw new Error("late") });`;
  write("src/base/late.test.ts", testOf("late", late, "expect(1)"));
  for (const attempt of [run(["late"]), run(["late"])])
    expect(attempt).toMatchObject({ status: 1, last: "1 passed, 1 failed" });
});

test("a service that cannot be had is a skip with a reason, and a failure under CI", () => {
  const body =
    `import { needs } from "../../test/support/services.ts";\n` +
    `needs(["s3"], () => { test("stores", () => {}); });\n`;
  write("src/base/store.test.ts", `// needs: s3\nimport { test } from "vitest";\n${body}`);
  const env = { PATH: folder }; // no Ceph and no apt-get
  const laptop = run(["store"], env);
  expect(laptop).toMatchObject({ status: 1, last: "0 passed, 0 failed, 1 skipped" });
  expect(laptop.output).toContain("skipped: needs s3 (an S3 server is not installed.");
  const ci = run(["store"], { ...env, CI: "true" });
  expect(ci).toMatchObject({ status: 1, last: "0 passed, 1 failed" });
  expect(ci.output).toContain("needs s3 (an S3 server is not installed.");
});

describe("--long", () => {
  const long = `expect(Number(process.env["FORAGER_TEST_LONG"] ?? 0))`;
  beforeEach(() => {
    write("src/base/form.test.ts", `// long: chaos\n${testOf("form", "", long)}`);
    write("src/base/other-long.test.ts", `// long: shards\n${testOf("other", "", "expect(2)")}`);
    commitAll();
  });

  test("runs the long forms of the named groups, and notes when a group passed", () => {
    expect(run(["--long", "--list"]).output).toMatch(/^chaos +1 files {2}never$/m);
    const first = run(["--long", "chaos"]);
    expect(first).toMatchObject({ status: 0, last: "1 passed, 0 failed" });
    expect(first.output).toContain("chaos passed: noted in test/long-runs.json");
    const commit = String(git("rev-parse", "HEAD").stdout).slice(0, 10);
    expect(run(["--long", "--list"]).output).toMatch(
      new RegExp(`^chaos +1 files {2}20.*Z {2}${commit} +1 tests in`, "m"),
    );
  });

  test("does not note a group that failed, nor one of a tree that is not committed", () => {
    expect(run(["--long", "shards"])).toMatchObject({ status: 1, last: "0 passed, 1 failed" });
    write("src/base/one.ts", "export const one = 3;");
    expect(run(["--long", "chaos"]).output).toContain("not noted, because the tree has changes");
    expect(run(["--long", "--list"]).output).toMatch(/^chaos +1 files {2}never$/m);
    expect(run(["--long", "--list"]).output).toMatch(/^shards +1 files {2}never$/m);
  });

  test("refuses a group that does not exist", () => {
    const refused = run(["--long", "caos"]);
    expect(refused.status).toBe(2);
    expect(refused.output).toContain(
      'there is no long group "caos"; there are arm64, browser, chaos',
    );
  });
});

const git = (...args: readonly string[]) => spawnSync("git", args, { cwd: folder });

function commitAll(): void {
  git("init", "-q");
  write(".gitignore", "node_modules\n.cache\n");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "one");
}

const cacheOff = { FORAGER_TEST_CACHE: "off" };

function testOf(name: string, head: string, expectation: string): string {
  const imports = `import { expect, test } from "vitest";\n${head ? `${head}\n` : ""}`;
  return `${imports}\ntest("${name}", () => {\n  ${expectation}.toBe(1);\n});\n`;
}

function write(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content.endsWith("\n") ? content : `${content}\n`);
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const own = Object.entries(process.env).filter(
    ([name]) => name !== "CI" && !/^(FORAGER_|VITEST)/.test(name),
  );
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "scripts/test.ts", ...args],
    { cwd: folder, encoding: "utf8", env: { ...Object.fromEntries(own), ...env } },
  );
  const row = (name: string) => {
    const cells = stdout.split("\n").find((line) => line.startsWith(`${name} `));
    const [passed, failed, skipped, cached] = cells?.split(/ +/).slice(1).map(Number) ?? [];
    return { passed, failed, skipped, cached };
  };
  return { status, output: stdout + stderr, last: stdout.trimEnd().split("\n").at(-1), row };
}
