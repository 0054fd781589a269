/**
 * `npm test [-- OPTIONS] [PART OF A PATH …]`: types, lint, format, build, then all tests. What
 * is unchanged since it last passed is not run again.
 *   --check      the under-a-minute loop: types, lint, format, tidy, unit; no services
 *   --long       the long forms of chaos, load and simulation too (FORAGER_TEST_LONG=1), no cache
 *   --no-cache   runs everything; so does FORAGER_TEST_CACHE=off
 * With parts of paths only the test files that match run. The last line is `N passed, N failed`.
 */
import { join } from "node:path";
import { AppError } from "../src/base/app-error.ts";
import { noCheckCache, openCheckCache } from "./checks/check-cache.ts";
import { createNodeRunner } from "./checks/node-runner.ts";
import { runChecks } from "./checks/run-checks.ts";
import { formatSlowest, formatTable, formatTotal, mergeOutcomes, total } from "./checks/summary.ts";
import { cacheFolder } from "./project.ts";
import { createServiceStarter } from "./services/start-services.ts";
import { onStopSignal } from "./stop-signals.ts";

const say = (line: string) => void process.stderr.write(`${line}\n`);
const stepNames = new Set(["types", "lint", "format", "build"]);

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  say(`error: ${error.message}`);
  process.exitCode = error.kind === "invalid" ? 2 : 1;
}

async function main(args: readonly string[]): Promise<void> {
  const { isQuick, isLong, isCached, filters } = parseArguments(args);
  const cache = isCached ? await openCheckCache(join(cacheFolder, "checks.json")) : noCheckCache;
  const runner = createNodeRunner();
  const starter = createServiceStarter(say);
  onStopSignal((exitCode) => {
    say("stopping");
    runner.stop();
    void Promise.all([starter.stop(), cache.save()]).finally(() => process.exit(exitCode));
  });
  const env: Record<string, string> = isLong ? { FORAGER_TEST_LONG: "1" } : {};
  try {
    const selection = { isQuick, isLong, filters };
    const all = await runChecks({ selection, cache, runner, starter, say, env });
    const outcomes = mergeOutcomes(all);
    const slowest = formatSlowest(all);
    if (slowest !== "") say(`\nslowest files\n${slowest}`);
    process.stdout.write(`\n${formatTable(outcomes)}\n${formatTotal(outcomes)}\n`);
    const tests = total(outcomes.filter(({ name }) => !stepNames.has(name)));
    const hasNoTests = tests.passed + tests.failed === 0;
    process.exitCode = total(outcomes).failed > 0 || hasNoTests ? 1 : 0;
  } finally {
    await starter.stop();
    await cache.save();
  }
}

function parseArguments(args: readonly string[]) {
  const known = new Set(["--check", "--long", "--no-cache"]);
  const unknown = args.filter((arg) => arg.startsWith("-") && !known.has(arg));
  if (unknown.length > 0) {
    const message = `unknown option ${unknown.join(" ")}; there are ${[...known].join(", ")}`;
    throw new AppError("invalid", "unknown_option", message);
  }
  const isLong = args.includes("--long");
  const isOff = args.includes("--no-cache") || process.env["FORAGER_TEST_CACHE"] === "off";
  return {
    isQuick: args.includes("--check"),
    isLong,
    isCached: !isLong && !isOff,
    filters: args.filter((arg) => !arg.startsWith("-")),
  };
}
