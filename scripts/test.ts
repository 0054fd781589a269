/**
 * `npm test [-- OPTIONS] [PART OF A PATH …]`: types, lint, format, build, then all tests. What
 * is unchanged since it last passed is not run again.
 *   --check            the quick loop: types, lint, format, tidy, unit; no services
 *   --no-cache         runs everything; so does FORAGER_TEST_CACHE=off
 *   --node 22|24       runs with that Node, which bootstrap.mjs brings
 *   --save-durations   notes in test/durations.json how long the files took that ran
 * With parts of paths only the test files that match run.
 *
 * `npm run test:long [-- GROUP …]`: the long forms of tests (FORAGER_TEST_LONG=1), without cache.
 *   --list             the groups, and when each last passed
 *
 * The last line is `N passed, N failed`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../src/base/app-error.ts";
import { noCheckCache, openCheckCache } from "./checks/check-cache.ts";
import { durationsFile, readDurations, updateDurations } from "./checks/durations.ts";
import { checkGroups, listLongGroups, longGroups, recordLongRun } from "./checks/long-runs.ts";
import { createNodeRunner } from "./checks/node-runner.ts";
import { runChecks } from "./checks/run-checks.ts";
import { listSourceFiles } from "./checks/source-files.ts";
import { formatSlowest, formatTable, formatTotal, mergeOutcomes, total } from "./checks/summary.ts";
import type { Outcome } from "./checks/summary.ts";
import { findTestFiles } from "./checks/test-files.ts";
import type { Selection } from "./checks/test-files.ts";
import { cacheFolder, root } from "./project.ts";
import { cleanCommit, writeStamp } from "./source-stamp.ts";
import { createServiceStarter } from "./services/start-services.ts";
import { onStopSignal } from "./stop-signals.ts";

const print = (line: string) => void process.stderr.write(`${line}\n`);
const stepNames = new Set(["types+lint", "format", "build"]);

interface Arguments {
  readonly selection: Selection;
  readonly isList: boolean;
  readonly isCached: boolean;
  readonly savesDurations: boolean;
}

try {
  await main(parseArguments(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  print(`error: ${error.message}`);
  process.exitCode = error.kind === "invalid" ? 2 : 1;
}

async function main({ selection, isList, isCached, savesDurations }: Arguments): Promise<void> {
  if (isList) {
    const files = await findTestFiles({ root, files: await listSourceFiles(root) }, selection);
    return void process.stdout.write(`${await listLongGroups(files)}\n`);
  }
  const commit = await cleanCommit();
  const cache = isCached ? await openCheckCache(join(cacheFolder, "checks.json")) : noCheckCache;
  const runner = createNodeRunner();
  const starter = createServiceStarter(print);
  onStopSignal((exitCode) => {
    print("stopping");
    runner.stop();
    void Promise.all([starter.stop(), cache.save()]).finally(() => process.exit(exitCode));
  });
  try {
    const common = { cache, runner, starter, print };
    const all =
      selection.kind === "long"
        ? await runLongGroups(selection.groups, common)
        : await runChecks({ ...common, selection, env: {} });
    if (savesDurations) await saveDurations(all);
    const hasPassed = finish(all);
    const isAll = selection.kind === "whole" || selection.kind === "quick";
    if (hasPassed && isAll) await writeStamp("checks-passed", commit, { checks: selection.kind });
  } finally {
    await starter.stop();
    await cache.save();
  }
}

/** Each group is a run of its own, so that one can pass while another fails. */
async function runLongGroups(
  groups: readonly string[],
  common: Omit<Parameters<typeof runChecks>[0], "selection" | "env">,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const group of groups.length > 0 ? groups : Object.keys(longGroups)) {
    print(`\nlong group ${group}`);
    const startMs = performance.now();
    const env = { FORAGER_TEST_LONG: "1" };
    const selection = { kind: "long", groups: [group] } as const;
    const found = await runChecks({ ...common, selection, env });
    const { passed, failed, skipped } = total(found);
    const seconds = (performance.now() - startMs) / 1_000;
    if (failed === 0 && skipped === 0 && passed > 0) {
      const isRecorded = await recordLongRun(group, { tests: passed, seconds });
      print(
        isRecorded
          ? `${group} passed: noted in test/long-runs.json`
          : `${group} passed; not noted, because the tree has changes that are not committed`,
      );
    }
    outcomes.push(...found.map((outcome) => ({ ...outcome, name: group })));
  }
  return outcomes;
}

/** Prints the result, and says whether everything passed. */
function finish(all: readonly Outcome[]): boolean {
  const outcomes = mergeOutcomes(all);
  const slowest = formatSlowest(all);
  if (slowest !== "") print(`\nslowest files\n${slowest}`);
  process.stdout.write(`\n${formatTable(outcomes)}\n${formatTotal(outcomes)}\n`);
  const tests = total(outcomes.filter(({ name }) => !stepNames.has(name)));
  const hasNoTests = tests.passed + tests.failed === 0;
  const hasPassed = total(outcomes).failed === 0 && !hasNoTests;
  process.exitCode = hasPassed ? 0 : 1;
  return hasPassed;
}

async function saveDurations(outcomes: readonly Outcome[]): Promise<void> {
  const measured = outcomes.flatMap(({ path, seconds }) =>
    path === undefined ? [] : [{ path, seconds }],
  );
  const durations = updateDurations(root, readDurations(root), measured);
  await writeFile(durationsFile(root), `${JSON.stringify(durations, undefined, 2)}\n`);
}

function parseArguments(args: readonly string[]): Arguments {
  const isLong = args.includes("--long");
  const known = isLong
    ? ["--long", "--list"]
    : ["--check", "--no-cache", "--node", "--save-durations"];
  const unknown = args.filter((arg) => arg.startsWith("-") && !known.includes(arg));
  if (unknown.length > 0) {
    const message = `unknown option ${unknown.join(" ")}; there are ${known.join(", ")}`;
    throw new AppError("invalid", "unknown_option", message);
  }
  const words = args.filter((arg) => !arg.startsWith("-"));
  if (isLong) checkGroups(words);
  const isOff = args.includes("--no-cache") || process.env["FORAGER_TEST_CACHE"] === "off";
  return {
    selection: isLong
      ? { kind: "long", groups: words }
      : args.includes("--check")
        ? { kind: "quick" }
        : words.length > 0
          ? { kind: "parts", parts: words }
          : { kind: "whole" },
    isList: args.includes("--list"),
    isCached: !isLong && !isOff,
    savesDurations: args.includes("--save-durations"),
  };
}
