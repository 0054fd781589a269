// inputs: src/** docs/** README.md LICENSE CHANGELOG.md CONTRIBUTING.md tsconfig.build.json
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localLinks } from "../support/markdown.ts";
import {
  installIntoEmptyProject,
  installMsMax,
  libraryEntries,
  packForager,
  readPackage,
  userEnvironment,
} from "../support/package-tarball.ts";
import { repositoryRoot } from "../support/repository.ts";

const run = promisify(execFile);
const { version } = readPackage();
const entries = libraryEntries();

let folder = "";
let packed: readonly string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "forager-pack-"));
  const { tarball, files } = await packForager(folder);
  packed = files;
  await installIntoEmptyProject(tarball, folder);
}, installMsMax);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the npm package", () => {
  test("has the program, its documentation and nothing else", () => {
    const single = [
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "package.json",
    ];
    const others = packed.filter((path) => !/^(?:dist|docs)\//.test(path));
    expect(others.toSorted()).toEqual(single);
    expect(packed).toContain("dist/cli/main.js");
    expect(packed.filter((path) => /\.test\.|\/testing\//.test(path))).toEqual([]);
    const program = packed.filter((path) => path.startsWith("dist/"));
    const data = /^dist\/sources\/data\/[a-z-]+\.(?:json|tsv\.gz|LICENCE\.txt)$/;
    const page = /^dist\/dashboard\/(?:index\.html|licences\.txt|assets\/[\w-]+\.(?:css|svg)|basemap\/[\w-]+\.json)$/; // prettier-ignore
    const isKnown = (path: string) =>
      /\.(?:js|d\.ts)$/.test(path) || data.test(path) || page.test(path);
    expect(program.filter((path) => !isKnown(path))).toEqual([]);
    expect(program).toContain("dist/dashboard/licences.txt");
    // What is made of others' data goes nowhere without their terms.
    for (const name of ["osm-presets", "towns"]) {
      expect(program).toContain(`dist/sources/data/${name}.LICENCE.txt`);
    }
  });

  test("links in its pages lead to files of the package", () => {
    const pages = packed.filter((path) => path.endsWith(".md"));
    expect(pages.length).toBeGreaterThan(20);
    const broken = pages.flatMap((path) =>
      localLinks(readFileSync(join(folder, "node_modules/forager", path), "utf8"))
        .filter((to) => !existsSync(join(folder, "node_modules/forager", dirname(path), to)))
        .map((to) => `${path} → ${to}`),
    );
    expect(broken).toEqual([]);
  });

  test("installs without compiling anything", () => {
    const driver = join(folder, "node_modules/better-sqlite3");
    expect(existsSync(join(driver, "prebuilds"))).toBe(true);
    expect(existsSync(join(driver, "build"))).toBe(false);
  });

  test("imports, entry by entry", async () => {
    const program = [
      'import { createRequire } from "node:module";',
      'const { version } = createRequire(import.meta.url)("forager/package.json");',
      `for (const name of ${JSON.stringify(entries)}) {`,
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

  test("has a program that runs", async () => {
    const npx = (flag: string) =>
      run("npx", ["--no-install", "forager", flag], { cwd: folder, env: userEnvironment });
    expect((await npx("--version")).stdout.trim()).toBe(version);
    expect((await npx("--help")).stdout).toContain("Start with: forager doctor");
  });

  test("has a queue that opens with the database driver it brought", async () => {
    const program = [
      'import { openQueue } from "forager/queue";',
      'const queue = await openQueue("sqlite:queue.db");', // Node 22 does not know `await using`
      'await queue.add([{ kind: "fetch", payload: {} }]);',
      'const { leases } = await queue.claim({ worker: "w", kinds: ["fetch"], limit: 10 });',
      "console.log(leases.length);",
      "await queue.close();",
    ].join("\n");
    expect(await runProgram("queue.js", program)).toBe("1\n");
  });
});

/** How projects of today resolve modules, each with the kind of modules that goes with it. */
const resolutions = [
  { moduleResolution: "node16", module: "node16" },
  { moduleResolution: "nodenext", module: "nodenext" },
  { moduleResolution: "bundler", module: "esnext" },
] as const;

describe.each(resolutions)("in a project with moduleResolution $moduleResolution", (resolution) => {
  test("each entry has types", async () => {
    const imports = entries.map((name, at) => `import * as entry${at} from "${name}";`);
    const uses = entries.map((_, at) => `void entry${at};`);
    expect(await compile([...imports, ...uses].join("\n"), resolution)).toBe("");
  });

  test("the types are those of the program", async () => {
    const program = (use: string) => [
      'import { openQueue } from "forager/queue";',
      'await using queue = await openQueue<{ fetch: { url: string } }>("sqlite:queue.db");',
      'const { leases } = await queue.claim({ worker: "w", kinds: ["fetch"], limit: 10 });',
      `for (const { payload } of leases) void (${use});`,
      "export {};",
    ];
    const right = program("payload.url satisfies string").join("\n");
    expect(await compile(right, resolution)).toBe("");
    const wrong = program("payload.url satisfies number").join("\n");
    expect(await compile(wrong, resolution)).toContain("does not satisfy");
  });

  test("an entry that does not exist is an error", async () => {
    const program = 'import * as a from "forager/no-such-entry";\nvoid a;';
    expect(await compile(program, resolution)).toContain("forager/no-such-entry");
  });
});

async function runProgram(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  return (await run(process.execPath, [name], { cwd: folder })).stdout;
}

/** What the compiler says of a user's file, "" if nothing. Our declarations are checked too. */
async function compile(
  text: string,
  { module, moduleResolution }: (typeof resolutions)[number],
): Promise<string> {
  const name = `user-${moduleResolution}.ts`;
  writeFileSync(join(folder, name), text);
  const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  const options = ["--strict", "--noEmit", "--target", "es2023", "--lib", "es2023,esnext"];
  const modules = ["--module", module, "--moduleResolution", moduleResolution];
  const typeRoots = ["--typeRoots", join(repositoryRoot, "node_modules/@types"), "--types", "node"];
  const args = [compiler, ...options, ...modules, ...typeRoots, "--ignoreConfig", name];
  try {
    await run(process.execPath, args, { cwd: folder });
    return "";
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}
