import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tools } from "../../scripts/project.ts";
import {
  catcherOf,
  sabotaged,
  verdictOf,
  type Sabotage,
  type TestEnd,
  type Verdict,
} from "./sabotage.ts";

export const repository = fileURLToPath(new URL("../../", import.meta.url));

/** What the tests of src/, of the program, browsers and formats and the simulation need; the rest stays out. */
const copied = [
  "src",
  "scripts",
  "docs/formats",
  "test/browser",
  "test/docs",
  "test/e2e",
  "test/simulation",
  "test/support",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "vitest.config.ts",
];
const testRunMsMax = 180_000;

/** A copy of the tree in which code can be broken. The real one is never touched. */
export interface Workshop extends Disposable {
  /** Runs the named tests unbroken: how each catcher ends when nothing is wrong. */
  baseline(sabotages: readonly Sabotage[]): Promise<readonly string[]>;
  judge(sabotage: Sabotage): Promise<Verdict>;
  /** Runs a test file with this text in place of a file's own. True: a test failed, or none ran. */
  isKilled(file: string, text: string, testFile: string): Promise<boolean>;
}

export function openWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), "forager-sabotage-"));
  for (const name of copied)
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));

  return {
    async baseline(sabotages) {
      const wrong: string[] = [];
      const catchers = sabotages.map(catcherOf);
      for (const file of new Set(catchers.map((catcher) => catcher.file))) {
        const titles = new Set(catchers.filter((one) => one.file === file).map((one) => one.title));
        const ends = await runTests(folder, file, [...titles]);
        for (const title of titles) {
          const verdict = verdictOf(ends, title);
          if (verdict === "caught") wrong.push(`fails on the unbroken code: ${file} > ${title}`);
          if (verdict === "absent") wrong.push(`there is no such test: ${file} > ${title}`);
        }
      }
      return wrong;
    },
    async judge(sabotage) {
      const path = join(folder, sabotage.file);
      const source = readFileSync(path, "utf8");
      const { file, title } = catcherOf(sabotage);
      writeFileSync(path, sabotaged(source, sabotage));
      try {
        // A test of the built program fails when there is none, which proves nothing about it.
        if (file.startsWith("test/e2e/") && !(await compiles(folder))) return "absent";
        return verdictOf(await runTests(folder, file, [title]), title);
      } finally {
        writeFileSync(path, source);
      }
    },
    async isKilled(file, text, testFile) {
      const path = join(folder, file);
      const source = readFileSync(path, "utf8");
      writeFileSync(path, text);
      try {
        const ends = await runTests(folder, testFile, []);
        return ends.length === 0 || ends.some(({ status }) => status === "failed");
      } finally {
        writeFileSync(path, source);
      }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function compiles(folder: string): Promise<boolean> {
  const args = [tools.tsc, "-p", "tsconfig.build.json", "--noEmit"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code === 0;
}

async function runTests(
  folder: string,
  file: string,
  titles: readonly string[],
): Promise<readonly TestEnd[]> {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const pattern = titles.map((title) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  const program = join(repository, "node_modules/vitest/vitest.mjs");
  const child = spawn(
    process.execPath,
    [
      program,
      "run",
      file,
      ...(titles.length > 0 ? ["-t", pattern] : []),
      "--reporter=json",
      `--outputFile=${report}`,
    ],
    { cwd: folder, stdio: "ignore", timeout: testRunMsMax, killSignal: "SIGKILL" },
  );
  await once(child, "exit");
  return readEnds(report);
}

/** Nothing, when the run got nowhere. */
function readEnds(report: string): readonly TestEnd[] {
  let text: string;
  try {
    text = readFileSync(report, "utf8");
  } catch {
    return [];
  }
  const { testResults } = JSON.parse(text) as {
    testResults: { assertionResults: TestEnd[] }[];
  };
  return testResults.flatMap((result) => result.assertionResults);
}
