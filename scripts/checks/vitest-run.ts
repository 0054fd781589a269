import { mkdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { cacheFolder, root, tools } from "../project.ts";
import type { NodeRunner } from "./node-runner.ts";

export interface FileResult {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Titles of what was skipped: a test that needs a service says which in its title. */
  readonly skippedTitles: readonly string[];
}

export interface VitestRun {
  readonly results: readonly FileResult[];
  /** Vitest failed and no test says why, such as by an error after the last test. */
  readonly isBroken: boolean;
}

export interface VitestOptions {
  readonly runner: NodeRunner;
  readonly paths: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Runs test files, showing a dot for each test and every failure in full; in CI only failures. */
export async function runVitest({ runner, paths, env }: VitestOptions): Promise<VitestRun> {
  const reportFile = join(cacheFolder, `vitest-${process.pid}.json`);
  await mkdir(cacheFolder, { recursive: true });
  const isCi = process.env["CI"] === "true";
  const shown = isCi ? join(root, "scripts/checks/ci-reporter.ts") : "dot";
  const reporters = [`--reporter=${shown}`, "--reporter=json", `--outputFile.json=${reportFile}`];
  // Whole paths: a filter of vitest's matches any part of one.
  const files = paths.map((path) => join(root, path));
  const { code } = await runner.run([tools.vitest, "run", ...reporters, ...files], {
    isShown: true,
    env,
  });
  const report = await readFile(reportFile, "utf8").catch(() => "");
  await rm(reportFile, { force: true });
  return interpretReport({ report, paths, code });
}

export interface ReportOptions {
  readonly report: string;
  readonly paths: readonly string[];
  readonly code: number;
}

/** What vitest's report says of each file. A file it does not mention has failed. */
export function interpretReport({ report, paths, code }: ReportOptions): VitestRun {
  const reported = new Map<string, FileResult>();
  for (const file of parseReport(report)) {
    const path = relative(root, file.name).replaceAll("\\", "/");
    reported.set(path, fileResult(path, file));
  }
  const nothing = { passed: 0, failed: 1, skipped: 0, seconds: 0, skippedTitles: [] };
  const results = paths.map((path) => reported.get(path) ?? { path, ...nothing });
  return { results, isBroken: code !== 0 && results.every(({ failed }) => failed === 0) };
}

/** The part of vitest's JSON report that we read. */
interface ReportedFile {
  readonly name: string;
  readonly status: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
}

function parseReport(report: string): readonly ReportedFile[] {
  if (report === "") return [];
  return (JSON.parse(report) as { testResults: readonly ReportedFile[] }).testResults;
}

function fileResult(path: string, file: ReportedFile): FileResult {
  const { status, assertionResults, startTime, endTime } = file;
  const passed = assertionResults.filter((test) => test.status === "passed").length;
  const failed = assertionResults.filter((test) => test.status === "failed").length;
  const skipped = assertionResults.filter(
    (test) => test.status !== "passed" && test.status !== "failed",
  );
  return {
    path,
    passed,
    // A file that could not be loaded, or whose hook failed, has no failed test to show for it.
    failed: failed === 0 && status !== "passed" ? 1 : failed,
    skipped: skipped.length,
    seconds: Math.max(0, endTime - startTime) / 1_000,
    skippedTitles: skipped.map(({ title }) => title),
  };
}
