// inputs: src/** README.md LICENSE CHANGELOG.md tsconfig.build.json
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtCli } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";

const run = promisify(execFile);
const installMsMax = 300_000;

const { exports, version } = readPackage(repositoryRoot);
const entries = Object.keys(exports).map((entry) => `forager${entry.slice(1)}`);
const modules = entries.filter((entry) => !entry.endsWith(".json"));

let folder = "";
let packed: readonly string[] = [];

beforeAll(async () => {
  await builtCli();
  folder = mkdtempSync(join(tmpdir(), "forager-pack-"));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: repositoryRoot,
  });
  const [made] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  packed = made.files.map(({ path }) => path);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await install(join(folder, made.filename));
}, installMsMax);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("what npm pack makes", () => {
  test("holds the program, its papers and nothing else", () => {
    const papers = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
    const others = packed.filter((path) => !path.startsWith("dist/") && !papers.includes(path));
    expect(others).toEqual([]);
    expect(packed).toEqual(expect.arrayContaining(["dist/cli/main.js", "LICENSE", "README.md"]));
    expect(packed.filter((path) => /\.test\.|\/testing\//.test(path))).toEqual([]);
    expect(packed.filter((path) => !/\.(?:js|d\.ts|json|md)$|LICENSE$/.test(path))).toEqual([]);
  });

  test("imports, entry by entry", async () => {
    const program = [
      'import { createRequire } from "node:module";',
      'const { version } = createRequire(import.meta.url)("forager/package.json");',
      `for (const name of ${JSON.stringify(modules)}) {`,
      "  const found = Object.keys(await import(name));",
      "  if (found.length === 0) throw new Error(`${name} exports nothing`);",
      "}",
      "console.log(version);",
    ].join("\n");
    expect(await runProgram("import.js", program)).toBe(`${version}\n`);
  });

  test("an entry that is not exported cannot be imported", async () => {
    const program = 'await import("forager/dist/cli/main.js");';
    await expect(runProgram("deep.js", program)).rejects.toThrow("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });

  test("has types that resolve", async () => {
    const imports = entries.map((name, at) =>
      name.endsWith(".json")
        ? `import entry${at} from "${name}" with { type: "json" };`
        : `import * as entry${at} from "${name}";`,
    );
    const uses = entries.map((_, at) => `void entry${at};`);
    writeFileSync(join(folder, "types.ts"), [...imports, ...uses].join("\n"));
    expect(await compile("types.ts")).toBe("");
  });

  test("a missing type is noticed", async () => {
    writeFileSync(join(folder, "wrong.ts"), 'import * as a from "forager/no-such-entry";\nvoid a;');
    expect(await compile("wrong.ts")).toContain("forager/no-such-entry");
  });

  test("has a program that runs", async () => {
    const { stdout } = await run("npx", ["--no-install", "forager", "--version"], { cwd: folder });
    expect(stdout.trim()).toBe(version);
  });

  test("opens a database with the driver it brought", async () => {
    const program = [
      'import Database from "better-sqlite3";',
      'console.log(new Database(":memory:").prepare("select 40 + 2").pluck().get());',
    ].join("\n");
    expect(await runProgram("sqlite.js", program)).toBe("42\n");
  });
});

/** Installs the package with its dependencies, as a user does. */
async function install(tarball: string): Promise<void> {
  const args = ["install", tarball, "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", args, { cwd: folder });
}

function readPackage(path: string): {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly version: string;
} {
  return JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as ReturnType<
    typeof readPackage
  >;
}

async function runProgram(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  return (await run(process.execPath, [name], { cwd: folder })).stdout;
}

/** What the compiler says of a user's file; "" when all is well. */
async function compile(name: string): Promise<string> {
  const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023"];
  const typeRoots = ["--typeRoots", join(repositoryRoot, "node_modules/@types"), "--types", "node"];
  const args = [compiler, ...options, ...typeRoots, "--ignoreConfig", name];
  try {
    await run(process.execPath, args, { cwd: folder });
    return "";
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}
