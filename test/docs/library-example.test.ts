// inputs: docs/guides/queue.md src/** package.json tsconfig.build.json
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { fencedBlocks } from "../support/markdown.ts";
import { repositoryRoot } from "../support/repository.ts";

const guide = readFileSync(join(repositoryRoot, "docs/guides/queue.md"), "utf8");
const program = fencedBlocks(guide).find(({ language }) => language === "ts")?.body ?? "";
const loader = pathToFileURL(join(repositoryRoot, "node_modules/tsx/dist/loader.mjs")).href;

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
  // As `npm link` does: the package is this one, built, with the entries that users get.
  mkdirSync(join(sandbox.folder, "node_modules"));
  symlinkSync(repositoryRoot, join(sandbox.folder, "node_modules/forager"), "dir");
  writeFileSync(join(sandbox.folder, "package.json"), '{ "private": true, "type": "module" }');
  writeFileSync(join(sandbox.folder, "program.ts"), program);
});
afterEach(() => sandbox.remove());

const run = () => sandbox.run(process.execPath, ["--import", loader, "program.ts"]);

const visits = ["/", "/about", "/contact"].map((page) => `fetch https://example.org${page}`);
const report = "report for 2026-07";

describe("the program of the queue's guide", () => {
  test("does all its tasks, in the order of their gate, and none again", async () => {
    const first = await run();
    expect(first).toMatchObject({ exitCode: 0, stderr: "" });
    const lines = first.stdout.trim().split("\n");
    expect(lines.at(-1)).toBe("4 done, 0 failed");
    expect(lines.filter((line) => line.startsWith("fetch"))).toEqual(visits);
    expect(lines).toContain(report);
    expect(lines).toHaveLength(5);

    const second = await run();
    expect(second).toEqual({ exitCode: 0, stdout: "4 done, 0 failed\n", stderr: "" });
  });

  test("two of it at once share the work", async () => {
    const both = await Promise.all([run(), run()]);
    expect(both.map(({ exitCode, stderr }) => ({ exitCode, stderr }))).toEqual([
      { exitCode: 0, stderr: "" },
      { exitCode: 0, stderr: "" },
    ]);
    const lines = both.flatMap(({ stdout }) => stdout.trim().split("\n"));
    const work = lines.filter((line) => !line.endsWith("failed"));
    expect(work.sort()).toEqual([...visits, report].sort());
    expect(lines.filter((line) => line === "4 done, 0 failed")).toHaveLength(2);
  });
});
