// inputs: src/** docs/** README.md LICENSE CHANGELOG.md CONTRIBUTING.md tsconfig.build.json
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  installFlags,
  installMsMax,
  packForager,
  runNpm,
  userEnvironment,
} from "../support/package-tarball.ts";
import { readRepository } from "../support/repository.ts";
import { scanSource } from "../support/source-scan.ts";
import { isTestCode } from "../support/tidy-violation.ts";

const run = promisify(execFile);

const sources = readRepository().filter(
  ({ path }) => path.startsWith("src/") && !isTestCode(path) && path !== "src/base/docs-page.ts",
);
/** The pages that messages and help name; the tidy test sees to it that they do so by docsPage. */
const pages = new Set(
  sources.flatMap(({ text }) =>
    [...text.matchAll(/\bdocsPage\("([^"]+)"\)/g)].map(([, name]) => `docs/${name!}`),
  ),
);

let folder = "";
let packed: readonly string[] = [];

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "forager-global-")));
  const { tarball, files } = await packForager(folder);
  packed = files;
  await runNpm(["install", "--global", "--prefix", folder, tarball, ...installFlags], folder);
}, installMsMax);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
  const named = [
    ...(await pathsIn(["--help"])),
    ...(await pathsIn(["work", "--help"])),
    ...(await pathsIn(["fleet", "set", "--help"])),
  ];
  const home = join(folder, "lib/node_modules/forager");
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

async function pathsIn(args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(join(folder, "bin/forager"), args, { env: userEnvironment });
  return stdout.match(/\/[^\s:]*\/docs\b[^\s:]*/g) ?? [];
}
