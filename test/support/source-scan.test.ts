import { describe, expect, test } from "vitest";
import { findImports, scanSource } from "./source-scan.ts";

describe("scanSource", () => {
  test("comments leave the code view and fill the comment view", () => {
    const { code, comments } = scanSource("a(); // one\n/* two\nlines */ b();\n");
    expect(code).toBe("a();       \n      \n         b();\n");
    expect(comments).toBe("     // one\n/* two\nlines */     \n");
  });

  test("the content of strings is not code, and their escapes do not end them", () => {
    expect(scanSource(String.raw`x = "a\"// b"; y = 'it\'s';`).code).toBe(
      `x = "       "; y = '     ';`,
    );
  });

  test("a template is text, its holes are code, holes may hold templates", () => {
    const source = "f(`now ${Date.now() + `in ${{ a: deep }.a}`} end // x`); g();";
    const { code, comments } = scanSource(source);
    expect(code).toContain("Date.now()");
    expect(code).toContain("{ a: deep }.a");
    expect(code).toContain("g();");
    expect(code).not.toMatch(/now \$|end|in /);
    expect(comments.trim()).toBe("");
  });

  test("a pattern is not code, a division is not a pattern", () => {
    const { code } = scanSource('a = /["/]console/.test(b); c = d / e; f = (g) / "h";');
    expect(code).not.toContain("console");
    expect(code).toContain("c = d / e;");
    expect(code).toContain('f = (g) / " ";');
  });

  test("every view keeps the length and the lines of the source", () => {
    const source = "/** a */\nconst b = `\n${c}\n`; // d\nreturn /e/;";
    const { code, comments } = scanSource(source);
    for (const view of [code, comments]) {
      expect(view.length).toBe(source.length);
      expect(view.split("\n").length).toBe(source.split("\n").length);
    }
  });
});

describe("findImports", () => {
  test("every way to name a module is found, with its line", () => {
    const source = [
      'import { a } from "./a.ts";',
      'import type { B } from "./b.ts";',
      "import {",
      "  c,",
      "} from './c.ts';",
      'export { d } from "./d.ts";',
      'import "./e.ts";',
      'const f = await import("./f.ts");',
      'const g = require("g");',
    ].join("\n");
    expect(findImports(source)).toEqual([
      { specifier: "./a.ts", form: "static", line: 1 },
      { specifier: "./b.ts", form: "type", line: 2 },
      { specifier: "./c.ts", form: "static", line: 5 },
      { specifier: "./d.ts", form: "static", line: 6 },
      { specifier: "./e.ts", form: "static", line: 7 },
      { specifier: "./f.ts", form: "dynamic", line: 8 },
      { specifier: "g", form: "dynamic", line: 9 },
    ]);
  });

  test("an import in a string or a comment is none", () => {
    expect(findImports('const a = `import b from "c"`; // import "d"\n')).toEqual([]);
  });
});
