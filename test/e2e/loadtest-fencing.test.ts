// inputs: src/** package.json tsconfig.json tsconfig.build.json scripts/bundle-program.ts test/sabotage/**
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundleProgram } from "../../scripts/bundle-program.ts";
import { loadtestSabotages } from "../sabotage/loadtest.ts";
import { sabotaged, type Sabotage } from "../sabotage/sabotage.ts";
import { createSandbox } from "../support/built-cli.ts";
import { repositoryRoot } from "../support/repository.ts";
import { failedChecks, runLoadtest } from "../support/run-loadtest.ts";

/** The program, built with one fault in it. */
async function breakProgram(sabotage: Sabotage): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "forager-broken-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of ["src", "package.json"])
    cpSync(join(repositoryRoot, path), join(folder, path), { recursive: true });
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, sabotage.file);
  writeFileSync(file, sabotaged(readFileSync(file, "utf8"), sabotage));
  const to = join(folder, "dist");
  expect(await bundleProgram({ from: join(folder, "src"), to })).toBeUndefined();
  return join(folder, "dist/cli/main.js");
}

// The other faults of that list take longer together: `npm run test:long` looks for them.
test("lesson 64: a load test finds that fencing was removed, and its exit code says so", async () => {
  const main = await breakProgram(loadtestSabotages[0]!);
  const sandbox = await createSandbox();
  onTestFinished(() => sandbox.remove());
  const { result, exitCode } = await runLoadtest((words) =>
    sandbox.run(process.execPath, [main, ...words]),
  );
  expect(exitCode).toBe(1);
  // Other marks may fail too, depending on who finishes first.
  expect(failedChecks(result)).toContain("late finishes accepted");
});
