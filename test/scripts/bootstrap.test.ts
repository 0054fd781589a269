// inputs: scripts/bootstrap.mjs
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
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
    const second = bootstrap(["test"]);
    expect(second).toMatchObject({ status: 7, stdout: "ran\n", stderr: "" });
  });

  test("two commands at once install once, and both run", async () => {
    const both = await Promise.all([startBootstrap(["test", "a"]), startBootstrap(["test", "b"])]);
    expect(both.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
      { code: 7, stdout: "ran a\n" },
      { code: 7, stdout: "ran b\n" },
    ]);
    const installed = both.filter(({ stderr }) =>
      stderr.includes("installing npm packages (first"),
    );
    expect(installed).toHaveLength(1);
    expect(existsSync(join(folder, ".cache/installing.pid"))).toBe(false);
  });

  test("a command that ended while it installed keeps nobody waiting", () => {
    mkdirSync(join(folder, ".cache"));
    write(".cache/installing.pid", String(spawnSync(process.execPath, ["-e", "0"]).pid));
    expect(bootstrap(["test"])).toMatchObject({ status: 7, stdout: "ran\n" });
  });

  test("runs no script of a package that package.json does not allow, and compiles nothing", () => {
    const run = bootstrap(["test"]);
    expect(run).toMatchObject({ status: 7, stdout: "ran\n" });
    expect(existsSync(join(folder, "native/marked"))).toBe(true);
    expect(existsSync(join(folder, "refused/marked"))).toBe(false);
    expect(readdirSync(join(folder, "node_modules/prebuilt"))).toEqual([
      "binding.gyp",
      "package.json",
    ]);
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
    writeNodeLock("24");
    const first = bootstrap(["test", "x"]);
    expect(first.stderr).toContain("is too old for Forager (>=99.0): bringing Node 24 from npm");
    expect(first).toMatchObject({ status: 7, stdout: "brought\nran x\n" });
    const second = bootstrap(["test"]);
    expect(second).toMatchObject({ status: 7, stdout: "brought\nran\n", stderr: "" });
  });

  test("--node brings the Node that is asked for, and programs of the script find it too", () => {
    writeNodeLock("22");
    const lines = [
      'import { execSync } from "node:child_process";',
      "console.log(...process.argv.slice(2));",
      'execSync("node -p 1+1", { stdio: "inherit" });',
    ];
    write("scripts/test.ts", lines.join("\n"));
    const first = bootstrap(["test", "--node", "22", "a"]);
    expect(first.stderr).toContain("the tests are to run on Node 22: bringing Node 22 from npm");
    expect(first).toMatchObject({ status: 0, stdout: "brought\na\nbrought\n2\n" });
    const other = bootstrap(["test", "--node", "21"]);
    expect(other).toMatchObject({ status: 1, stdout: "" });
    expect(other.stderr).toContain('--node takes 22 or 24, not "21"');
  });

  test("on a platform without a package of Node the error says what to install", () => {
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
  function writeNodeLock(major: string): void {
    const program = `#!/bin/sh\necho brought\nexec ${process.execPath} "$@"\n`;
    const tarball = join(folder, "node-fake.tgz");
    const description = '{ "name": "node-fake", "version": "1.0.0" }';
    pack(tarball, { "package.json": description, "bin/node": program });
    const optionalDependencies = { "node-fake": `file:${tarball}` };
    const packages = {
      "": { optionalDependencies },
      "node_modules/node-fake": { version: "1.0.0", resolved: `file:${tarball}`, optional: true },
    };
    const lock = { name: "node", lockfileVersion: 3, requires: true, packages };
    write(
      `scripts/node/${major}/package.json`,
      JSON.stringify({ private: true, optionalDependencies }),
    );
    write(`scripts/node/${major}/package-lock.json`, JSON.stringify(lock));
  }

  /**
   * A project whose dependencies are folders of its own: two with a script that runs when they are
   * installed, and one that, like better-sqlite3, has a binding.gyp and `gypfile: false`, which
   * npm forgets when it installs from a lock.
   */
  function writeProject({ script }: { readonly script: string }): void {
    const version = "1.0.0";
    const parts = {
      native: { scripts: { install: script } },
      refused: { scripts: { install: script } },
      tsx: { type: "module", exports: "./index.js" },
    };
    const tarball = join(folder, "prebuilt.tgz");
    const dependencies = {
      ...Object.fromEntries(Object.keys(parts).map((name) => [name, `file:${name}`])),
      prebuilt: `file:${tarball}`,
    };
    const engines = { node: ">=22.14" };
    const allowScripts = { native: true, refused: false, absent: true };
    const project = { name: "fresh", version, type: "module", engines, allowScripts, dependencies };
    write("package.json", JSON.stringify(project));
    const packages: Record<string, object> = { "": project };
    for (const [name, fields] of Object.entries(parts)) {
      write(`${name}/package.json`, JSON.stringify({ name, version, ...fields }));
      packages[name] = { version, ...("scripts" in fields && { hasInstallScript: true }) };
      packages[`node_modules/${name}`] = { resolved: name, link: true };
    }
    for (const name of ["native", "refused"])
      write(`${name}/mark.js`, "require('node:fs').writeFileSync('marked', '')");
    const prebuilt = { name: "prebuilt", version, gypfile: false };
    pack(tarball, { "package.json": JSON.stringify(prebuilt), "binding.gyp": "not a gyp file" });
    packages["node_modules/prebuilt"] = { version, resolved: `file:${tarball}` };
    const lock = { name: "fresh", version, lockfileVersion: 3, requires: true, packages };
    write("package-lock.json", JSON.stringify(lock));
  }

  /** Makes a package as npm does: its files are in a folder `package` of the archive. */
  function pack(tarball: string, files: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(files)) write(`pack/package/${path}`, content);
    spawnSync("chmod", ["-R", "755", join(folder, "pack")]);
    spawnSync("tar", ["czf", tarball, "-C", join(folder, "pack"), "package"]);
    rmSync(join(folder, "pack"), { recursive: true });
  }

  function bootstrap(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, "scripts/bootstrap.mjs"), ...args],
      { encoding: "utf8", env: { ...process.env, ...env } },
    );
    return { status, stdout, stderr };
  }

  async function startBootstrap(args: readonly string[]) {
    const file = join(folder, "scripts/bootstrap.mjs");
    const started = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, [code]] = await Promise.all([
      text(started.stdout),
      text(started.stderr),
      once(started, "close") as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  }
});
