// inputs: src/queue/** src/bucket/** src/ledger/** src/gossip/** src/node/** src/showcase/** src/app/** src/base/** src/usv/** src/records/** src/worker/** test/e2e/** test/sabotage/** test/simulation/**
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sabotageLists } from "./lists.ts";
import { mutantsOf, sampleOf } from "./mutants.ts";
import { catcherOf, sabotaged, verdictOf, type Sabotage } from "./sabotage.ts";
import { repository } from "./workshop.ts";

const read = (path: string) => readFileSync(join(repository, path), "utf8");

describe.each(Object.values(sabotageLists))(
  "the sabotages of the $name",
  ({ part, sabotages, countMin }) => {
    const suiteText = readdirSync(join(repository, "src", part, "testing"), { recursive: true })
      .map(String)
      .filter((path) => path.endsWith(".ts"))
      .map((path) => read(`src/${part}/testing/${path}`))
      .join("\n");

    test("are enough, each with a name of its own", () => {
      expect(sabotages.length).toBeGreaterThanOrEqual(countMin);
      expect(new Set(sabotages.map(({ name }) => name)).size).toBe(sabotages.length);
    });

    test("still fit the code: each text occurs exactly once, and is replaced by another", () => {
      const wrong = sabotages.flatMap((sabotage) => {
        try {
          const source = read(sabotage.file);
          return sabotaged(source, sabotage) === source
            ? [`"${sabotage.name}" changes nothing`]
            : [];
        } catch (error) {
          return [(error as Error).message];
        }
      });
      expect(wrong).toEqual([]);
    });

    test("name tests that exist", () => {
      const wrong = sabotages.map(catcherOf).filter(({ file, title }) => {
        const isThere = existsSync(join(repository, file));
        return !isThere || !(read(file) + suiteText).includes(title);
      });
      expect(wrong).toEqual([]);
    });
  },
);

describe("mutants", () => {
  const source = 'import { a } from "a";\nif (a === 1 && b < 2) return "x === y"; // a === b\n';

  test("change code one place at a time, never comments, strings or imports", () => {
    const mutants = mutantsOf(source);
    expect(mutants.map(({ line, change }) => `${line} ${change}`)).toEqual([
      "2 === → !==",
      "2 && → ||",
      "2 < → <=",
    ]);
    expect(mutants[1]!.text).toBe(source.replace("&&", "||"));
  });

  test("are sampled evenly, and the same each time", () => {
    const many = mutantsOf("a === b;\n".repeat(100));
    expect(sampleOf(many, 4).map(({ line }) => line)).toEqual([1, 26, 51, 76]);
    expect(sampleOf(many, 500)).toHaveLength(100);
  });
});

describe("the workshop", () => {
  const sabotage: Sabotage = {
    name: "wrong",
    file: "a.ts",
    find: "one",
    replace: "two",
    caughtBy: "a.test.ts > counts",
  };

  test("breaks exactly one place, and refuses text that is gone or ambiguous", () => {
    expect(sabotaged("is one.", sabotage)).toBe("is two.");
    expect(() => sabotaged("missing", sabotage)).toThrow(/occurs 0 times in a\.ts/);
    expect(() => sabotaged("one one", sabotage)).toThrow(/occurs 2 times/);
  });

  test("says caught only when the named test ran and failed", () => {
    const ends = (status: string) => [{ fullName: "suite counts well", status }];
    expect(verdictOf(ends("failed"), "counts")).toBe("caught");
    expect(verdictOf(ends("passed"), "counts")).toBe("missed");
    expect(verdictOf(ends("skipped"), "counts")).toBe("absent");
    expect(verdictOf(ends("failed"), "sums")).toBe("absent");
    expect(verdictOf([], "counts")).toBe("absent");
  });

  test("refuses a catcher that names no test", () => {
    expect(() => catcherOf({ ...sabotage, caughtBy: "a.test.ts" })).toThrow(/not "file > title"/);
  });
});
