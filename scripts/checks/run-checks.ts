/**
 * Runs the checks: the steps for the whole tree (types, lint, format), and all test files in one run
 * of vitest. Services start immediately and in parallel. A test file that needs a service waits for
 * its address; files that need none come first (see scripts/checks/file-order.ts).
 */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildDist, builtVariable } from "../build-dist.ts";
import { cacheFolder, root } from "../project.ts";
import type { ServiceName } from "../services/service.ts";
import type { ServiceStarter } from "../services/start-services.ts";
import type { CheckCache } from "./check-cache.ts";
import { slowSecondsMin } from "./durations.ts";
import type { NodeRunner } from "./node-runner.ts";
import { createSigner } from "./signature.ts";
import type { Signer, SourceTree } from "./signature.ts";
import { listSourceFiles } from "./source-files.ts";
import { servicesFileVariable } from "./services-file.ts";
import { steps } from "./steps.ts";
import type { Step } from "./steps.ts";
import type { Outcome } from "./summary.ts";
import { findTestFiles, isQuickKind } from "./test-files.ts";
import type { Selection, TestFile } from "./test-files.ts";
import { runVitest } from "./vitest-run.ts";
import type { FileResult } from "./vitest-run.ts";

export interface RunChecksOptions {
  readonly selection: Selection;
  readonly cache: CheckCache;
  readonly runner: NodeRunner;
  readonly starter: ServiceStarter;
  readonly print: (line: string) => void;
  /** Environment variables for the tests, in addition to the addresses of the services. */
  readonly env: Readonly<Record<string, string>>;
}

/** Tests start the program a thousand times: Node compiles its modules once. */
const compileCache = { NODE_COMPILE_CACHE: join(cacheFolder, "compile") };

export async function runChecks(options: RunChecksOptions): Promise<readonly Outcome[]> {
  const { selection, cache, print } = options;
  const signer = await newSigner();
  const tree = { root, files: await listSourceFiles(root) };
  const files = await findTestFiles(tree, selection);
  const due: TestFile[] = [];
  const cached: Outcome[] = [];
  for (const file of files) {
    const passed = cache.find(file.path, await signer.signTest(file.path, file.inputs));
    if (passed === undefined) due.push(file);
    else cached.push({ ...zero, name: file.group, passed, cached: passed });
  }
  if (selection.kind === "quick") await sayWhatIsLeftOut(tree, files, print);
  const services = startNeeded(due, options);

  const outcomes: Outcome[] = [];
  // Only tests outside src run the built program. The steps begin after it is built: tests wait
  // for the build, and nothing waits for the steps.
  let env: Readonly<Record<string, string>> = { ...compileCache, ...options.env, ...services.env };
  if (due.some(({ path, group }) => path.startsWith("test/") && group !== "tidy")) {
    const built = await build(print);
    outcomes.push(built);
    if (built.failed === 0) env = { ...env, [builtVariable]: "yes" };
  }
  const isWhole = selection.kind === "whole" || selection.kind === "quick";
  // The steps run concurrently with the first tests, because one tool does not use two processors.
  const stepping = Promise.all(
    isWhole ? steps.map((step) => runStep(step, { ...options, signer })) : [],
  );
  stepping.catch(() => {}); // awaited below
  outcomes.push(...cached);
  outcomes.push(...(await runTests(due, { ...options, env })));
  outcomes.unshift(...(await stepping));
  outcomes.push(...(await services.stop()));
  return outcomes;
}

const zero = { passed: 0, failed: 0, skipped: 0, cached: 0, seconds: 0 };

async function sayWhatIsLeftOut(
  tree: SourceTree,
  files: readonly TestFile[],
  print: (line: string) => void,
): Promise<void> {
  const all = await findTestFiles(tree, { kind: "whole" });
  const left = all.filter(isQuickKind).length - files.length;
  if (left > 0)
    print(`files left to npm test, because they take ${slowSecondsMin} s or more: ${left}`);
}

async function newSigner(): Promise<Signer> {
  return createSigner({ root, files: await listSourceFiles(root) });
}

interface StartedServices {
  /** Names the file in which the tests find the addresses of the services. */
  readonly env: Readonly<Record<string, string>>;
  /** Stops the services. Each service that could not be started is a failure. */
  stop(): Promise<readonly Outcome[]>;
}

function startNeeded(
  due: readonly TestFile[],
  { starter, print }: RunChecksOptions,
): StartedServices {
  const needed = [...new Set<ServiceName>(due.flatMap(({ needs }) => needs))];
  if (needed.length === 0) return { env: {}, stop: async () => [] };
  print(`starting ${needed.join(", ")}`);
  const file = join(cacheFolder, `services-${process.pid}.json`);
  const answers: Record<string, Readonly<Record<string, string>>> = {};
  let written = mkdir(cacheFolder, { recursive: true }).then(() => {});
  const started = starter.start(needed, (name, env) => {
    answers[name] = env;
    const text = JSON.stringify(answers);
    written = written.then(() => writeFile(`${file}.new`, text)).then(() => rename(`${file}.new`, file)); // prettier-ignore
  });
  started.catch(() => {}); // awaited in stop
  return {
    env: { [servicesFileVariable]: file },
    async stop() {
      const { failed } = await started;
      for (const { name, text } of failed) print(`could not start ${name}: ${text}`);
      await starter.stop();
      await written;
      await rm(file, { force: true });
      return failed.map(() => ({ ...zero, name: "services", failed: 1 }));
    },
  };
}

async function runStep(
  step: Step,
  { cache, runner, print, signer }: RunChecksOptions & { readonly signer: Signer },
): Promise<Outcome> {
  const { name, args, inputs } = step;
  const sign = (signed: Signer) => signed.signFiles(inputs, args);
  const signature = await sign(signer);
  if (cache.find(name, signature) !== undefined) return { ...zero, name, passed: 1, cached: 1 };
  const startMs = performance.now();
  const { code, output } = await runner.run(args);
  const seconds = (performance.now() - startMs) / 1_000;
  print(`${name}: ${code === 0 ? "ok" : `failed\n${output.trim()}`}`);
  if (code !== 0) return { ...zero, name, failed: 1, seconds };
  if ((await sign(await newSigner())) === signature) cache.set(name, { signature, passed: 1 });
  return { ...zero, name, passed: 1, seconds };
}

async function build(print: (line: string) => void): Promise<Outcome> {
  const startMs = performance.now();
  const { kind, output } = await buildDist();
  const seconds = (performance.now() - startMs) / 1_000;
  if (kind === "failed") print(`build: failed\n${output}`);
  const passed = kind === "failed" ? 0 : 1;
  const cached = kind === "unchanged" ? 1 : 0;
  return { ...zero, name: "build", passed, failed: 1 - passed, cached, seconds };
}

async function runTests(
  files: readonly TestFile[],
  { cache, runner, print, env }: RunChecksOptions,
): Promise<Outcome[]> {
  if (files.length === 0) return [];
  const before = await newSigner();
  const { results, isBroken } = await runVitest({
    runner,
    env,
    paths: files.map(({ path }) => path),
  });
  const after = await newSigner();
  const outcomes: Outcome[] = isBroken ? [{ ...zero, name: "vitest", failed: 1 }] : [];
  for (const [index, result] of results.entries()) {
    const { path, group, inputs, isCacheable } = files[index]!;
    for (const title of result.skippedTitles)
      if (title.startsWith("skipped: ")) print(`${path}: ${title}`);
    outcomes.push({ ...result, name: group, cached: 0, path });
    const signature = await after.signTest(path, inputs);
    // If a file was edited while it ran, its result is not cached.
    const isSame = (await before.signTest(path, inputs)) === signature;
    if (isCacheable && isSame && !isBroken && hasPassed(result))
      cache.set(path, { signature, passed: result.passed });
    else cache.forget(path);
  }
  return outcomes;
}

function hasPassed({ passed, failed, skipped }: FileResult): boolean {
  return passed > 0 && failed === 0 && skipped === 0;
}
