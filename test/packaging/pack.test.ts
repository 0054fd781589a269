// inputs: src/** docs/** README.md LICENSE CHANGELOG.md CONTRIBUTING.md tsconfig.build.json
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
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
import { readRepository, repositoryRoot } from "../support/repository.ts";
import { scanSource } from "../support/source-scan.ts";
import { isTestCode } from "../support/tidy-violation.ts";

const run = promisify(execFile);
const { version } = readPackage();
const entries = libraryEntries();

let folder = "";
let packed: readonly string[] = [];
let tarball = "";

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "forager-pack-")));
  ({ tarball, files: packed } = await packForager(folder));
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

  test("the modules that bundlers must keep exist, in the sources and in the package", () => {
    const { sideEffects } = JSON.parse(
      readFileSync(join(repositoryRoot, "package.json"), "utf8"),
    ) as {
      sideEffects: readonly string[];
    };
    expect(sideEffects.length).toBe(2);
    for (const path of sideEffects) {
      const folderOf = path.startsWith("./dist/")
        ? join(folder, "node_modules/forager")
        : repositoryRoot;
      expect(existsSync(join(folderOf, path)), path).toBe(true);
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

describe("the shape of the package", () => {
  const read = () => new Uint8Array(readFileSync(tarball));

  test("publint finds nothing to improve", async () => {
    const { messages, pkg } = await publint({ pack: { tarball: read().buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg!, { color: false }))).toEqual([]);
  });

  /**
   * "Are the types wrong?" with its profile for packages of ES modules: how node10 and a `require`
   * of node16 see the package does not count.
   */
  test("the types of each entry are those of its code, for Node and for bundlers", async () => {
    const analysis = await checkPackage(createPackageFromTarballData(read()));
    if (analysis.types === false) throw new Error("the package has no types");
    const names = entries.map((name) => name.replace("forager", "."));
    expect(Object.keys(analysis.entrypoints)).toEqual([...names, "./package.json"]);
    const problems = analysis.problems.filter((problem) =>
      (["node16-esm", "bundler"] as const).some((kind) =>
        problemAffectsResolutionKind(problem, kind, analysis),
      ),
    );
    expect(problems).toEqual([]);
  });
});

describe("pages that messages and help name", () => {
  const sources = readRepository().filter(
    ({ path }) =>
      path.startsWith("src/") && !isTestCode(path) && path !== "src/base/files/docs-page.ts",
  );
  /** The tidy test checks that messages name pages by docsPage. */
  const pages = new Set(
    sources.flatMap(({ text }) =>
      [...text.matchAll(/\bdocsPage\("([^"]+)"\)/g)].map(([, name]) => `docs/${name!}`),
    ),
  );

  test("every call names its page in plain text, so that this test can find it", () => {
    const calls = sources.flatMap(({ text }) => scanSource(text).code.match(/\bdocsPage\(/g) ?? []);
    const plain = sources.flatMap(({ text }) => text.match(/\bdocsPage\("[^"]+"\)/g) ?? []);
    expect(plain.length).toBeGreaterThan(0);
    expect(plain.length).toBe(calls.length);
  });

  test("every page that a message names is in the package", () => {
    expect([...pages].filter((page) => !packed.includes(page))).toEqual([]);
  });

  test("help of a global install names pages and folders that are there", async () => {
    // Where npm puts a global package, with its program and the packages that it needs.
    const home = join(folder, "global/lib/node_modules/forager");
    mkdirSync(home, { recursive: true });
    await run("tar", ["-xzf", tarball, "-C", home, "--strip-components=1"]);
    symlinkSync(join(folder, "node_modules"), join(home, "node_modules"));
    const program = join(folder, "global/forager");
    symlinkSync(join(home, "dist/cli/main.js"), program);
    const pathsIn = async (args: readonly string[]) => {
      const { stdout } = await run(process.execPath, [program, ...args], { env: userEnvironment });
      return stdout.match(/\/[^\s:]*\/docs\b[^\s:]*/g) ?? [];
    };
    const named = [
      ...(await pathsIn(["--help"])),
      ...(await pathsIn(["work", "--help"])),
      ...(await pathsIn(["fleet", "set", "--help"])),
    ];
    expect(named.map((path) => relative(home, path))).toEqual([
      "docs",
      "docs/campaigns.md",
      "docs/enrich.md",
      "docs/guides/write-a-handler.md",
      "docs/guides/handler-bucket.md",
      "docs/fleet.md",
    ]);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
    expect([...pages].filter((page) => !existsSync(join(home, page)))).toEqual([]);
  });
});

/** How projects of today resolve modules, each with the kind of modules that goes with it. */
const resolutions = [
  { moduleResolution: "node16", module: "node16" },
  { moduleResolution: "nodenext", module: "nodenext" },
  { moduleResolution: "bundler", module: "esnext" },
] as const;

describe.each(resolutions)("in a project with moduleResolution $moduleResolution", (resolution) => {
  const program = (use: string) =>
    [
      'import { openQueue } from "forager/queue";',
      'await using queue = await openQueue<{ fetch: { url: string } }>("sqlite:queue.db");',
      'const { leases } = await queue.claim({ worker: "w", kinds: ["fetch"], limit: 10 });',
      `for (const { payload } of leases) void (${use});`,
      "export {};",
    ].join("\n");
  let errors: (file: string) => readonly string[];
  beforeAll(async () => {
    errors = await compile(resolution, {
      "all.ts": entries.map((name, at) => `import * as entry${at} from "${name}"; void entry${at};`).join("\n"), // prettier-ignore
      "right.ts": program("payload.url satisfies string"),
      "wrong.ts": program("payload.url satisfies number"),
      "missing.ts": 'import * as a from "forager/no-such-entry";\nvoid a;',
    });
  });

  test("each entry has types", () => {
    expect(errors("all.ts")).toEqual([]);
  });

  test("the types are those of the program", () => {
    expect(errors("right.ts")).toEqual([]);
    expect(errors("wrong.ts")).toEqual([expect.stringContaining("does not satisfy")]);
  });

  test("an entry that does not exist is an error", () => {
    expect(errors("missing.ts")).toEqual([expect.stringContaining("forager/no-such-entry")]);
  });

  test("nothing else is wrong: our declarations are checked too", () => {
    expect(errors("")).toEqual([...errors("missing.ts"), ...errors("wrong.ts")]);
  });
});

async function runProgram(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  return (await run(process.execPath, [name], { cwd: folder })).stdout;
}

/** What the compiler says of a user's files: the errors whose file begins with a name. */
async function compile(
  { module, moduleResolution }: (typeof resolutions)[number],
  files: Readonly<Record<string, string>>,
): Promise<(file: string) => readonly string[]> {
  const user = join(folder, moduleResolution);
  mkdirSync(user);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(user, name), text);
  const compiler = join(repositoryRoot, "node_modules/typescript/bin/tsc");
  const options = ["--strict", "--noEmit", "--target", "es2023", "--lib", "es2023,esnext"];
  const modules = ["--module", module, "--moduleResolution", moduleResolution];
  const typeRoots = ["--typeRoots", join(repositoryRoot, "node_modules/@types"), "--types", "node"];
  const names = Object.keys(files);
  const args = [compiler, ...options, ...modules, ...typeRoots, "--ignoreConfig", ...names];
  const output = await run(process.execPath, args, { cwd: user }).then(
    () => "",
    (error: { readonly stdout: string }) => error.stdout,
  );
  const lines = output.split("\n").filter((line) => / error TS/.test(line));
  return (file) => lines.filter((line) => line.startsWith(file));
}
