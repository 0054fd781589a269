// inputs: scripts/bootstrap.mjs
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readlinkSync } from "node:fs";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";

interface Bootstrap {
  readonly isNewEnough: (version: string) => boolean;
  readonly explainInstallFailure: (output: string) => string;
}

const bootstrapFile = join(root, "scripts/bootstrap.mjs");
const { isNewEnough, explainInstallFailure } = (await import(bootstrapFile)) as Bootstrap;

test("takes the Node that package.json asks for, and newer ones", () => {
  for (const version of ["22.14.0", "22.23.3", "24.0.0", "26.1.0"])
    expect(isNewEnough(version), version).toBe(true);
  for (const version of ["18.20.0", "20.20.2", "22.0.0", "22.13.1"])
    expect(isNewEnough(version), version).toBe(false);
});

test("an installation that fails says what to do, below npm's own words", () => {
  const offline = explainInstallFailure("npm http fetch GET\nnpm error code ENOTFOUND");
  expect(offline).toMatch(/^npm error code ENOTFOUND\n/);
  expect(offline).toContain("Check the network");
  expect(explainInstallFailure("npm error ENOSPC")).toContain("the disk is full");
  expect(explainInstallFailure("?")).toContain("`npm ci` shows them again");
});

describe("in a fresh clone", () => {
  let folder = "";

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "forager-bootstrap-"));
    mkdirSync(join(folder, "scripts"));
    cpSync(bootstrapFile, join(folder, "scripts/bootstrap.mjs"));
    write("scripts/test.ts", "console.log('ran', ...process.argv.slice(2)); process.exit(7);");
    writeProject({ script: "node mark.js" });
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx"));
    write("tsx/index.js", `import ${JSON.stringify(tsx)};`);
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test("installs once, then runs the script with its arguments and exit code", () => {
    const first = bootstrap(["test", "--check", "a b"]);
    expect(first.stderr).toContain("installing npm packages (first run");
    expect(first).toMatchObject({ status: 7, stdout: "ran --check a b\n" });
    expect(existsSync(join(folder, "native/marked"))).toBe(true);
    const second = bootstrap(["test"]);
    expect(second).toMatchObject({ status: 7, stdout: "ran\n", stderr: "" });
  });

  test("installs again when the lock has changed, not when npm has already done so", () => {
    bootstrap(["test"]);
    const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8")) as object;
    write("package-lock.json", JSON.stringify({ ...lock, changed: true }));
    expect(bootstrap(["test"]).stderr).toContain("package-lock.json changed");
    rmSync(join(folder, "node_modules/.forager-stamp.json"));
    expect(bootstrap(["test"]).stderr).toBe("");
  });

  test("on a Node that is too old it brings another one, once, and runs the script with it", () => {
    asksForNode(">=99.0");
    writeNodeLock();
    const first = bootstrap(["test", "x"]);
    expect(first.stderr).toContain("is too old for Forager (>=99.0): bringing Node 24 from npm");
    expect(first).toMatchObject({ status: 7, stdout: "brought\nran x\n" });
    const second = bootstrap(["test"]);
    expect(second).toMatchObject({ status: 7, stdout: "brought\nran\n", stderr: "" });
  });

  test("a platform without a package of Node is told what to install", () => {
    asksForNode(">=99.0");
    const lock = { name: "node", lockfileVersion: 3, requires: true, packages: { "": {} } };
    write("scripts/node/24/package.json", '{ "private": true }');
    write("scripts/node/24/package-lock.json", JSON.stringify(lock));
    const run = bootstrap(["test"]);
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(run.stderr).toContain("there is no npm package with Node 24 for");
  });

  test("a Node that is new enough is where bin/forager looks for it", () => {
    bootstrap(["test"]);
    expect(readlinkSync(join(folder, ".cache/node/bin/node"))).toBe(process.execPath);
  });

  test("refuses a script that does not exist", () => {
    const run = bootstrap(["lunch"]);
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(run.stderr).toContain('there is no script "lunch"');
  });

  function write(path: string, content: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }

  function asksForNode(range: string): void {
    const project = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as object;
    write("package.json", JSON.stringify({ ...project, engines: { node: range } }));
  }

  /** A package that has, as Node, a script that says so and then starts the real one. */
  function writeNodeLock(): void {
    const program = `#!/bin/sh\necho brought\nexec ${process.execPath} "$@"\n`;
    write("pack/package/package.json", '{ "name": "node-fake", "version": "1.0.0" }');
    write("pack/package/bin/node", program);
    chmodSync(join(folder, "pack/package/bin/node"), 0o755);
    const tarball = join(folder, "node-fake.tgz");
    spawnSync("tar", ["czf", tarball, "-C", join(folder, "pack"), "package"]);
    const optionalDependencies = { "node-fake": `file:${tarball}` };
    const packages = {
      "": { optionalDependencies },
      "node_modules/node-fake": { version: "1.0.0", resolved: `file:${tarball}`, optional: true },
    };
    const lock = { name: "node", lockfileVersion: 3, requires: true, packages };
    write("scripts/node/24/package.json", JSON.stringify({ private: true, optionalDependencies }));
    write("scripts/node/24/package-lock.json", JSON.stringify(lock));
  }

  /** A project with a dependency of its own folder that runs a script when it is installed. */
  function writeProject({ script }: { readonly script: string }): void {
    const dependencies = { native: "file:native", tsx: "file:tsx" };
    const native = { name: "native", version: "1.0.0", scripts: { install: script } };
    const tsx = { name: "tsx", version: "1.0.0", type: "module", exports: "./index.js" };
    const engines = { node: ">=22.14" };
    const project = { name: "fresh", version: "1.0.0", type: "module", engines, dependencies };
    write("package.json", JSON.stringify(project));
    write("native/package.json", JSON.stringify(native));
    write("native/mark.js", "require('node:fs').writeFileSync('marked', '')");
    write("tsx/package.json", JSON.stringify(tsx));
    const packages = {
      "": project,
      native: { version: "1.0.0", hasInstallScript: true },
      "node_modules/native": { resolved: "native", link: true },
      tsx: { version: "1.0.0" },
      "node_modules/tsx": { resolved: "tsx", link: true },
    };
    const lock = { name: "fresh", version: "1.0.0", lockfileVersion: 3, requires: true, packages };
    write("package-lock.json", JSON.stringify(lock));
  }

  function bootstrap(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, "scripts/bootstrap.mjs"), ...args],
      { encoding: "utf8", env: { ...process.env, ...env } },
    );
    return { status, stdout, stderr };
  }
});
