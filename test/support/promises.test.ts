import { describe, expect, test } from "vitest";
import { parsePromises, promiseViolations } from "./promises.ts";

const files: Readonly<Record<string, string>> = {
  "src/a.test.ts": 'test("keeps order", () => {});',
  "src/a.ts": "export const a = 1;",
};

const check = (...rows: readonly string[]) =>
  promiseViolations(parsePromises(rows.join("\n")), {
    ids: ["A1"],
    readTest: (path) => files[path],
  });

describe("promiseViolations", () => {
  test("lets a true page pass", () => {
    expect(
      check(
        "| id | promise | shown by | tests | state |",
        "| --- | --- | --- | --- | --- |",
        "| A1 | leases | `forager a \\| head` | `src/a.test.ts` › keeps order<br>`src/a.test.ts` | works |",
      ),
    ).toEqual([]);
    expect(check("| A1 | leases | – | – | not yet |")).toEqual([]);
  });

  test.each([
    ["nothing here", "A1: is missing"],
    ["| A1 | a | – | – | not yet |\n| A9 | b | – | – | not yet |", "A9: nobody was promised this"],
    ["| A1 | a | – | – | not yet |\n| A1 | b | – | – | not yet |", "A1: comes twice"],
    ["| A1 | a | – | – | soon |", 'A1: unknown state "soon"'],
    ["| A1 |  | – | – | not yet |", "A1: says nothing"],
    ["| A1 | a | `forager a` | – | works |", "A1: works, but no test is named"],
    ["| A1 | a | – | – | partly |", "A1: partly, but no test is named"],
    ["| A1 | a | – | `src/a.test.ts` | works |", "A1: works, but no command shows it"],
    ["| A1 | a | – | `src/b.test.ts` | partly |", "A1: there is no test file src/b.test.ts"],
    ["| A1 | a | – | `src/a.ts` | partly |", "A1: src/a.ts is no test file"],
    [
      "| A1 | a | – | `src/a.test.ts` › keeps time | partly |",
      'A1: no test "keeps time" in src/a.test.ts',
    ],
  ])("refuses %j", (page, wanted) => {
    expect(check(page)).toEqual([wanted]);
  });
});
