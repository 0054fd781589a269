import { describe, expect, test } from "vitest";
import {
  commandRuns,
  fencedBlocks,
  firstMissingLine,
  heredocs,
  labelViolations,
  localLinks,
} from "./markdown.ts";

const page = `# A page
\`\`\`sh
forager --version
\`\`\`
It prints:
\`\`\`text output
0.1.0
\`\`\`
<!-- CI runs it -->
\`\`\`sh no-run
npm test
\`\`\`
\`\`\`console
$ forager one
first
$ forager two
second
\`\`\`
\`\`\`\`text
\`\`\`sh
forager inside a longer fence
\`\`\`
\`\`\`\`
`;

describe("fencedBlocks", () => {
  test("finds language, tags, body, line and the reason above", () => {
    expect(fencedBlocks(page).map(({ language, tags }) => [language, ...tags])).toEqual([
      ["sh"],
      ["text", "output"],
      ["sh", "no-run"],
      ["console"],
      ["text"],
    ]);
    expect(fencedBlocks(page)[2]).toEqual({
      language: "sh",
      tags: ["no-run"],
      body: "npm test",
      line: 10,
      reason: "CI runs it",
    });
  });
});

describe("commandRuns", () => {
  test("pairs scripts with what they print, and leaves out what is not to run", () => {
    expect(commandRuns(fencedBlocks(page))).toEqual([
      { script: "forager --version", expected: ["0.1.0"], line: 2 },
      { script: "forager one\nforager two", expected: ["first", "second"], line: 13 },
    ]);
  });
});

describe("labelViolations", () => {
  test.each([
    ["```bash\nls\n```", "1: a block of bash is checked only when labelled sh"],
    ["```typescript\na\n```", "1: a block of typescript is checked only when labelled ts"],
    ["```\nls\n```", "1: the block has no language (text, if it is none)"],
    ["```sh no-run\nls\n```", "1: say why it is not checked in a comment above"],
  ])("refuses %j", (text, wanted) => {
    expect(labelViolations(fencedBlocks(text))).toEqual([wanted]);
  });

  test("lets a well-labelled page pass", () => {
    expect(labelViolations(fencedBlocks(page))).toEqual([]);
  });
});

describe("firstMissingLine", () => {
  test("lines may be parts of lines, with others between, in order", () => {
    expect(firstMissingLine(["b", "d"], "a\nabc\nx\nd e\n")).toBeUndefined();
    expect(firstMissingLine(["d", "b"], "a\nabc\nx\nd e\n")).toBe("b");
    expect(firstMissingLine(["a", "a"], "a\n")).toBe("a");
  });
});

describe("localLinks", () => {
  test("finds links to files, not to other sites, nor in fenced blocks", () => {
    const text = "[a](b.md#part) and [c](https://d.org) [e](#f)\n```text\n[g](h.md)\n```\n[i](j/)";
    expect(localLinks(text)).toEqual(["b.md", "j/"]);
  });
});

describe("heredocs", () => {
  test("are the files that a script writes, with their names", () => {
    const script = "cat > a.mjs <<'END'\nconst one = `${1}`;\nEND\necho END\ncat > b <<'E'\n\nE\n";
    expect(heredocs(script)).toEqual([
      { name: "a.mjs", text: "const one = `${1}`;\n" },
      { name: "b", text: "\n" },
    ]);
  });
});
