// inputs: README.md CONTRIBUTING.md CHANGELOG.md docs/** src/** tsconfig.build.json
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtCli, createSandbox } from "../support/built-cli.ts";
import type { RunResult } from "../support/built-cli.ts";
import {
  commandRuns,
  fencedBlocks,
  firstMissingLine,
  labelViolations,
} from "../support/markdown.ts";
import { readPages } from "../support/pages.ts";

const pages = readPages().map(({ path, text }) => ({ path, blocks: fencedBlocks(text) }));
const runs = pages.flatMap(({ path, blocks }) =>
  commandRuns(blocks).map((run) => ({ where: `${path}:${run.line}`, ...run })),
);

let bin = "";
beforeAll(async () => {
  bin = mkdtempSync(join(tmpdir(), "forager-docs-"));
  const program = join(bin, "forager");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${await builtCli()}" "$@"\n`);
  chmodSync(program, 0o755);
});
afterAll(() => rmSync(bin, { recursive: true, force: true }));

describe("commands in the pages", () => {
  test("every block says what it is, and why if it is not checked", () => {
    const wrong = pages.flatMap(({ path, blocks }) =>
      labelViolations(blocks).map((words) => `${path}:${words}`),
    );
    expect(wrong).toEqual([]);
  });

  test("README has some that are run", () => {
    expect(runs.filter(({ where }) => where.startsWith("README.md")).length).toBeGreaterThan(0);
  });

  test.each(runs)("$where runs as written", async ({ script, expected }) => {
    const { exitCode, stdout, stderr } = await runScript(script);
    expect(exitCode, stderr).toBe(0);
    expect(firstMissingLine(expected, stdout), `in this output:\n${stdout}`).toBeUndefined();
  });

  test("a failing command anywhere in a script is noticed", async () => {
    expect((await runScript("forager no-such-command\necho fine")).exitCode).not.toBe(0);
    expect((await runScript("forager no-such-command | cat")).exitCode).not.toBe(0);
  });
});

/** Runs a script in an empty folder with a home of its own, so it finds no settings of anyone's. */
async function runScript(script: string): Promise<RunResult> {
  const sandbox = await createSandbox();
  try {
    const env = { PATH: [bin, process.env["PATH"] ?? ""].join(delimiter) };
    return await sandbox.run("bash", ["-euo", "pipefail", "-c", script], { env });
  } finally {
    sandbox.remove();
  }
}
