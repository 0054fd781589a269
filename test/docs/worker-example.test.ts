// inputs: docs/worker.md src/** package.json tsconfig.build.json
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../support/built-cli.ts";
import { fencedBlocks } from "../support/markdown.ts";
import { repositoryRoot } from "../support/repository.ts";

const page = readFileSync(join(repositoryRoot, "docs/worker.md"), "utf8");
const block = (language: string) =>
  fencedBlocks(page).find((one) => one.language === language)?.body ?? "";
const loader = pathToFileURL(join(repositoryRoot, "node_modules/tsx/dist/loader.mjs")).href;

async function setUp() {
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  return sandbox;
}

test("the program of the page does its tasks, and those they add", async () => {
  const sandbox = await setUp();
  // As a user has them: this package, built, and a schema library of their own.
  mkdirSync(join(sandbox.folder, "node_modules"));
  symlinkSync(repositoryRoot, join(sandbox.folder, "node_modules/forager"), "dir");
  symlinkSync(join(repositoryRoot, "node_modules/zod"), join(sandbox.folder, "node_modules/zod"));
  writeFileSync(join(sandbox.folder, "package.json"), '{ "private": true, "type": "module" }');
  writeFileSync(join(sandbox.folder, "program.ts"), block("ts"));
  const run = await sandbox.run(process.execPath, ["--import", loader, "program.ts"]);
  expect(run).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: "page https://example.org/a\npage https://example.org/a/next\n2 done, 1 skipped\n",
  });
});
