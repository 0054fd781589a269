// inputs: scripts/bootstrap.mjs
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { root } from "../../scripts/project.ts";

interface Bootstrap {
  readonly nodeProblem: (version: string) => string | undefined;
  readonly explainInstallFailure: (output: string) => string;
}

const bootstrapFile = join(root, "scripts/bootstrap.mjs");
const { nodeProblem, explainInstallFailure } = (await import(bootstrapFile)) as Bootstrap;

test("takes Node 20.19 and newer, and names the version it needs otherwise", () => {
  for (const version of ["20.19.0", "20.20.2", "22.0.0", "24.1.0"])
    expect(nodeProblem(version)).toBeUndefined();
  for (const version of ["20.18.3", "18.20.0", "20.9.0", "8.0.0"])
    expect(nodeProblem(version)).toMatch(`Node ${version} is too old: Forager needs 20.19`);
});

describe("an installation that fails", () => {
  test.for([
    ["Python", "gyp ERR! find Python You need to install the latest version of Python."],
    ["make", "gyp ERR! stack Error: not found: make"],
    ["g++", "make: g++: No such file or directory\ngyp ERR! build error"],
    ["g++ (shell)", "/bin/sh: 1: g++: not found\ngyp ERR! stack Error: `make` failed"],
    ["Xcode", "gyp: No Xcode or CLT version detected!\ngyp ERR! configure error"],
  ])("for want of %s names the packages to install", ([, output]) => {
    const text = explainInstallFailure(output!);
    expect(text).toContain(output);
    expect(text).toContain("apt-get install python3 make g++");
    expect(text).toContain("xcode-select --install");
  });

  test("for other reasons does not blame the compiler", () => {
    const offline = explainInstallFailure("npm error code ENOTFOUND\nnpm error network");
    expect(offline).toContain("does not let npm through");
    const headers = "gyp http GET node-headers\ngyp ERR! stack getaddrinfo ENOTFOUND";
    for (const text of [offline, explainInstallFailure(headers), explainInstallFailure("?")])
      expect(text).not.toContain("apt-get");
  });
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
    expect(first.stderr).toContain("installing npm dependencies (first run");
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

  test("without a compiler the error names what to install, and nothing runs", () => {
    writeProject({ script: "node-gyp rebuild" });
    write("native/binding.gyp", '{ "targets": [{ "target_name": "native", "sources": [] }] }');
    mkdirSync(join(folder, "bin"));
    for (const [name, path] of Object.entries({ node: process.execPath, sh: "/bin/sh" }))
      symlinkSync(path, join(folder, "bin", name));
    const run = bootstrap(["test"], { PATH: join(folder, "bin"), npm_execpath: npmProgram() });
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(run.stderr).toContain("find Python");
    expect(run.stderr).toContain("apt-get install python3 make g++");
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

  /** A project with a dependency of its own folder that runs a script when it is installed. */
  function writeProject({ script }: { readonly script: string }): void {
    const dependencies = { native: "file:native", tsx: "file:tsx" };
    const native = { name: "native", version: "1.0.0", scripts: { install: script } };
    const tsx = { name: "tsx", version: "1.0.0", type: "module", exports: "./index.js" };
    const project = { name: "fresh", version: "1.0.0", type: "module", dependencies };
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

/** The npm that belongs to this Node, to be run by path where PATH has none. */
function npmProgram(): string {
  const { stdout } = spawnSync("npm", ["root", "--global"], { encoding: "utf8" });
  return join(stdout.trim(), "npm/bin/npm-cli.js");
}
