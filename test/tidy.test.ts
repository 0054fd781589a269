// inputs: **
import { describe, expect, test } from "vitest";
import { readRepository } from "./support/repository.ts";
import { tidyViolations } from "./support/tidy-rules.ts";
import { formatViolations } from "./support/tidy-violation.ts";

describe("the repository", () => {
  const files = readRepository();

  test("was found, with its sources and its pages", () => {
    const paths = files.map(({ path }) => path);
    expect(paths).toContain("src/base/app-error.ts");
    expect(paths).toContain("README.md");
    expect(paths.filter((path) => /node_modules|^dist\//.test(path))).toEqual([]);
  });

  test("keeps its own rules", () => {
    expect(formatViolations(tidyViolations(files))).toBe("");
  });
});
