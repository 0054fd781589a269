// inputs: test/support/services.ts vitest.config.ts
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cacheFolder, root, tools } from "../../scripts/project.ts";

let folder = "";

beforeEach(() => {
  mkdirSync(cacheFolder, { recursive: true });
  folder = mkdtempSync(join(cacheFolder, "needs-")); // inside the project, to find vitest
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs a test file that calls `needs`, in an environment without services but for `env`. */
function runNeeds(source: string, env: Readonly<Record<string, string>> = {}) {
  const support = JSON.stringify(join(root, "test/support/services.ts"));
  const head = /^\/\/.*\n/.exec(source)?.[0] ?? "";
  const body = `import { test } from "vitest";\nimport { needs } from ${support};\n`;
  writeFileSync(join(folder, "sample.test.ts"), head + body + source.slice(head.length));
  writeFileSync(join(folder, "vitest.config.ts"), "export default {};\n");
  const own = Object.entries(process.env).filter(
    ([name]) => name !== "CI" && !/^(FORAGER_TEST_|VITEST)/.test(name),
  );
  const reportFile = join(folder, "report.json");
  const { stderr } = spawnSync(
    process.execPath,
    [tools.vitest, "run", "--reporter=json", `--outputFile=${reportFile}`],
    { cwd: folder, env: { ...Object.fromEntries(own), ...env } },
  );
  const report = JSON.parse(readFileSync(reportFile, "utf8")) as {
    numPassedTests: number;
    numFailedTests: number;
    numPendingTests: number;
    testResults: { status: string; message: string; assertionResults: { title: string }[] }[];
  };
  const [file] = report.testResults;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
    status: file!.status,
    text: `${file!.message}${file!.assertionResults.map(({ title }) => title).join("\n")}`,
    stderr: String(stderr),
  };
}

const usesPostgres = `// needs: postgres
needs(["postgres"], ({ postgres }) => {
  test("has " + postgres.url, () => {});
});
`;
const url = "postgres://somewhere/db";

test("hands over the address of a service that is there", () => {
  const run = runNeeds(usesPostgres, { FORAGER_TEST_POSTGRES_URL: url });
  expect(run).toMatchObject({ passed: 1, failed: 0, skipped: 0 });
  expect(run.text).toContain(`has ${url}`);
});

test("on a laptop the tests are skipped aloud", () => {
  const env = { FORAGER_TEST_MISSING_POSTGRES: "install it so and so" };
  const run = runNeeds(usesPostgres, env);
  expect(run).toMatchObject({ passed: 0, failed: 0, skipped: 1 });
  expect(run.text).toContain("skipped: needs postgres (install it so and so)");
  expect(run.stderr).toContain("skipped: needs postgres (install it so and so)");
});

test("under CI=true a missing service fails and says how to get it", () => {
  const run = runNeeds(usesPostgres, { CI: "true" });
  expect(run).toMatchObject({ passed: 0, failed: 1, skipped: 0 });
  expect(run.text).toContain("needs postgres (`npm test -- PART_OF_PATH` starts it");
});

test("an unknown service fails anywhere", () => {
  const run = runNeeds(`// needs: postgres\nneeds(["mysql"], () => {});\n`);
  expect(run.status).toBe("failed");
  expect(run.text).toContain('there is no service "mysql"');
});

test("a service that the head of the file does not name fails anywhere", () => {
  const run = runNeeds(usesPostgres.replace("// needs: postgres\n", "\n"), {
    FORAGER_TEST_POSTGRES_URL: url,
  });
  expect(run.status).toBe("failed");
  expect(run.text).toContain('add "// needs: postgres"');
});
