import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { updateDurations } from "../../scripts/checks/durations.ts";
import {
  formatSlowest,
  formatTable,
  formatTotal,
  mergeOutcomes,
} from "../../scripts/checks/summary.ts";
import { parseTestHeader } from "../../scripts/checks/test-header.ts";
import { shortenError } from "../../scripts/checks/ci-reporter.ts";
import { interpretReport } from "../../scripts/checks/vitest-run.ts";
import { root } from "../../scripts/project.ts";

describe("vitest's report", () => {
  const file = (name: string, status: string, statuses: readonly string[]) => ({
    name: join(root, name),
    status,
    startTime: 1_000,
    endTime: 3_500,
    assertionResults: statuses.map((each) => ({ status: each, title: `a ${each} test` })),
  });
  const report = (...testResults: unknown[]) => JSON.stringify({ testResults });

  test("counts the tests of each file", () => {
    const statuses = ["passed", "passed", "failed", "skipped", "todo", "pending"];
    const run = interpretReport({
      report: report(file("a.test.ts", "failed", statuses)),
      paths: ["a.test.ts"],
      code: 1,
    });
    expect(run.isBroken).toBe(false);
    expect(run.results).toEqual([
      {
        path: "a.test.ts",
        passed: 2,
        failed: 1,
        skipped: 3,
        seconds: 2.5,
        skippedTitles: ["a skipped test", "a todo test", "a pending test"],
      },
    ]);
  });

  test("a file that could not be loaded is a failure", () => {
    const broken = report(file("a.test.ts", "failed", []));
    const run = interpretReport({ report: broken, paths: ["a.test.ts"], code: 1 });
    expect(run.results[0]).toMatchObject({ passed: 0, failed: 1 });
  });

  test("a file that is not mentioned, and a report that is not there, are failures", () => {
    const one = report(file("a.test.ts", "passed", ["passed"]));
    const run = interpretReport({ report: one, paths: ["a.test.ts", "b.test.ts"], code: 0 });
    expect(run.results.map(({ failed }) => failed)).toEqual([0, 1]);
    const none = interpretReport({ report: "", paths: ["a.test.ts"], code: 1 });
    expect(none.results[0]).toMatchObject({ passed: 0, failed: 1 });
  });

  test("a failure that no test shows, such as an error after the last, breaks the run", () => {
    const fine = report(file("a.test.ts", "passed", ["passed"]));
    expect(interpretReport({ report: fine, paths: ["a.test.ts"], code: 1 }).isBroken).toBe(true);
    expect(interpretReport({ report: fine, paths: ["a.test.ts"], code: 0 }).isBroken).toBe(false);
  });
});

describe("the summary", () => {
  const outcome = { name: "unit", passed: 3, failed: 0, skipped: 0, cached: 2, seconds: 1.25 };

  test("the last line names skipped tests only where there are some", () => {
    expect(formatTotal([outcome, { ...outcome, failed: 2 }])).toBe("6 passed, 2 failed");
    expect(formatTotal([{ ...outcome, skipped: 4 }])).toBe("3 passed, 0 failed, 4 skipped");
    expect(formatTotal([])).toBe("0 passed, 0 failed");
  });

  test("a row for each step, of the sum of its parts", () => {
    const rows = mergeOutcomes([outcome, { ...outcome, name: "types" }, outcome]);
    expect(formatTable(rows).split("\n")).toEqual([
      "step    passed   failed  skipped   cached  seconds",
      "unit         6        0        0        4      2.5",
      "types        3        0        0        2      1.3",
    ]);
  });

  test("names the files that took longest, and no other", () => {
    const files = [
      { ...outcome, path: "quick.test.ts" },
      { ...outcome, path: "slow.test.ts", seconds: 6 },
      { ...outcome, path: "slower.test.ts", seconds: 61.25 },
      { ...outcome, name: "types", seconds: 70 },
    ];
    expect(formatSlowest(files).split("\n")).toEqual([
      "   61.3 s  slower.test.ts",
      "    6.0 s  slow.test.ts",
    ]);
    expect(formatSlowest([outcome])).toBe("");
  });
});

describe("the recorded durations", () => {
  const known = { "scripts/test.ts": 9, "scripts/sim.ts": 5, "test/gone.test.ts": 30 };

  test("are those of the run, and of existing files that did not run", () => {
    const measured = [
      { path: "scripts/test.ts", seconds: 3.4 },
      { path: "a.test.ts", seconds: 2 },
      { path: "b.test.ts", seconds: 1.9 },
    ];
    const updated = updateDurations(root, known, measured);
    expect(updated).toEqual({ "a.test.ts": 2, "scripts/sim.ts": 5, "scripts/test.ts": 3 });
    expect(Object.keys(updated)).toEqual(["a.test.ts", "scripts/sim.ts", "scripts/test.ts"]);
  });

  test("forget a file that has become quick", () => {
    const measured = [{ path: "scripts/test.ts", seconds: 0.5 }];
    expect(updateDurations(root, known, measured)).toEqual({ "scripts/sim.ts": 5 });
  });
});

describe("the head of a test file", () => {
  test("says what it needs and what it reads", () => {
    const source =
      "// Why this file is here.\n// needs: postgres s3\n// inputs: docs/** README.md\n" +
      "\n// inputs: src/**\nimport {} from 'x';\n// needs: nothing\n";
    expect(parseTestHeader("a.test.ts", source)).toEqual({
      needs: ["postgres", "s3"],
      inputs: ["docs/**", "README.md", "src/**"],
      hasOwnProcess: false,
    });
  });

  test("may name the group of its long form, and ask for a process of its own", () => {
    expect(parseTestHeader("a.test.ts", "// long: chaos\n// process: own\n")).toEqual({
      needs: [],
      inputs: [],
      longGroup: "chaos",
      hasOwnProcess: true,
    });
  });

  test("a file that replaces a module shares no process", () => {
    const source = 'import { vi } from "vitest";\nvi.mock("node:fs", { spy: true });\n';
    expect(parseTestHeader("a.test.ts", source)).toMatchObject({ hasOwnProcess: true });
  });

  test("may not need what is not a service", () => {
    expect(() => parseTestHeader("a.test.ts", "// needs: postgres mysql")).toThrow(
      'a.test.ts needs "mysql"',
    );
  });
});

test("in CI a failure is a few lines: the beginning of its message, and where it was thrown", () => {
  const message = Array.from({ length: 40 }, (_, index) => `line ${index} ${"x".repeat(300)}`);
  const stack = "Error\n    at equal (node_modules/a.js:1:1)\n    at test/b.test.ts:2:3";
  const lines = shortenError({ message: message.join("\n"), stack }).split("\n");
  expect(lines).toHaveLength(16);
  expect(lines[0]).toMatch(/^ {4}line 0 x+$/u);
  expect(lines[0]!.length).toBeLessThan(210);
  expect(lines.slice(-2)).toEqual(["    … and 26 more lines", "    at test/b.test.ts:2:3"]);
});
