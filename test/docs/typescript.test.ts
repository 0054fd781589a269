// inputs: README.md CONTRIBUTING.md docs/** src/** package.json tsconfig.json
import { describe, expect, test } from "vitest";
import { compileSnippets, sourceOfExports } from "../support/compile-snippets.ts";
import { fencedBlocks } from "../support/markdown.ts";
import { readPages } from "../support/pages.ts";

const snippets = readPages().flatMap(({ path, text }) =>
  fencedBlocks(text)
    .filter(({ language, tags }) => language === "ts" && !tags.includes("no-check"))
    .map(({ body, line }) => ({ page: path, line, body })),
);

describe("TypeScript in the pages", () => {
  test("there is some, and it compiles", () => {
    expect(snippets.length).toBeGreaterThan(0);
    expect(compileSnippets(snippets)).toBe("");
  });

  test("what does not compile is found, with the page and its line", () => {
    const body =
      'import { AppError } from "../src/base/app-error.ts";\nnew AppError("sad", "a", "b");';
    const said = compileSnippets([{ page: "docs/sample.md", line: 7, body }]);
    expect(said).toContain("docs-sample-md-line-7.ts(9,");
    expect(said).toContain('"sad"');
  });

  test("forager/… is the source of what the package exports", () => {
    expect(
      sourceOfExports({
        "./package.json": "./package.json",
        "./queue": { types: "./dist/queue/index.d.ts", default: "./dist/queue/index.js" },
        "./usv": "./dist/usv/index.js",
      }),
    ).toEqual({ "forager/queue": "src/queue/index.ts", "forager/usv": "src/usv/index.ts" });
  });
});
