import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { expect, test } from "vitest";
import { locateTomlKeys } from "./toml-positions.ts";

const document = `# queue.url = "not here"
data = "x" # [queue]
text = """
[fake]
data = 1 \\"""
"""
a . "b.c".'d' = [ 1, # ]
  "]", [ '}' ] ]

[queue]
  url = 'sqlite:#.db'
when = 1979-05-27 07:32:00
password = { file = "a, b = }", deep.key = { x = [ { y = 1 } ] } }
last = ''' '''''
[[ list . inner ]]
z=1
`;

test.each([
  [["data"], 2, 1],
  [["text"], 3, 1],
  [["a"], 7, 1],
  [["a", "b.c", "d"], 7, 1],
  [["queue"], 10, 2],
  [["queue", "url"], 11, 3],
  [["queue", "when"], 12, 1],
  [["queue", "password", "file"], 13, 14],
  [["queue", "password", "deep", "key", "x", "y"], 13, 54],
  [["queue", "last"], 14, 1],
  [["list"], 15, 4],
  [["list", "inner", "z"], 16, 1],
])("%j is at line %i, column %i", (path, line, column) => {
  parse(document);
  expect(locateTomlKeys(document).find(path)).toEqual({ line, column });
});

test("a key that is not written down is found at its nearest enclosing table, if any", () => {
  const positions = locateTomlKeys(document);
  expect(positions.find(["queue", "missing", "deeper"])).toEqual({ line: 10, column: 2 });
  expect(positions.find(["fake"])).toBeUndefined();
  expect(positions.find([])).toBeUndefined();
});

test("text that is not TOML at all never stops it", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab=[]{}\"'\\,.# \n".split("")) }), (text) => {
      locateTomlKeys(text).find(["a"]);
    }),
    { numRuns: 2000 },
  );
});

test("long values are skipped", () => {
  const long = 'x\\\\"'.repeat(200_000);
  const text = `a = """${long}"""\nb = '${"y".repeat(1_000_000)}'\nc = [${"1,".repeat(300_000)}]\nd = 1`;
  expect(locateTomlKeys(text).find(["d"])).toEqual({ line: 4, column: 1 });
});

// Values that look like keys, tables or ends of something, in every notation.
const rawValue = fc.constantFrom(
  "1",
  "0x1F",
  "1979-05-27T07:32:00Z",
  "1979-05-27 07:32:00.5",
  '"k0 = 1 # \\" ]"',
  "'[k1]\\'",
  '"""\n[k0]\nk1 = 1\\"""\n""""',
  "'''\nk0 = { \n\n'''",
  "[\n  1, # [k0]\n  [ 'x]' ],\n]",
  "{ }",
  "{ k0 = 1, k1.k2 = '}' }",
  "[ { k0 = 1 }, { k0 = [ ] } ]",
);
const quote = fc.constantFrom(
  (name: string) => name,
  (name: string) => `"${name}"`,
  (name: string) => `'${name}'`,
  (name: string) => `"\\u006b${name.slice(1)}"`,
);
const statement = fc.record({
  kind: fc.constantFrom("table", "pair", "dotted", "comment"),
  value: rawValue,
  quote,
  indent: fc.constantFrom("", " ", "\t", "\n", "\r\n\r\n"),
  equals: fc.constantFrom("=", " = ", "\t="),
});

test("in any layout every key is found where it was written", () => {
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 12 }), (statements) => {
      let text = "";
      let table: readonly string[] = [];
      const expected: { path: readonly string[]; line: number }[] = [];
      for (const [index, one] of statements.entries()) {
        const name = `k${index + 100}`;
        const written = one.quote(name);
        text += one.indent;
        const line = text.split("\n").length;
        if (one.kind === "comment") text += "# k0 = [";
        if (one.kind === "table") {
          table = [name, "sub"];
          text += `[ ${written} . sub ]`;
          expected.push({ path: table, line });
        }
        if (one.kind === "pair" || one.kind === "dotted") {
          const path = one.kind === "pair" ? [...table, name] : [...table, name, "x"];
          text += `${written}${one.kind === "pair" ? "" : " .x"}${one.equals}${one.value}`;
          expected.push({ path, line });
        }
        text += "\n";
      }
      parse(text); // the generator writes TOML
      const positions = locateTomlKeys(text);
      for (const { path, line } of expected) expect(positions.find(path)?.line).toBe(line);
    }),
    { numRuns: 1000 },
  );
});

test("in what the parser's own writer makes, each leaf is on the line of its value", () => {
  const leaf = fc.constant("leaf");
  const tree = fc.letrec((tie) => ({
    table: fc.dictionary(fc.string({ minLength: 1 }), tie("node"), { maxKeys: 4 }),
    node: fc.oneof({ maxDepth: 3 }, leaf, tie("table")),
  }));
  fc.assert(
    fc.property(tree.table as fc.Arbitrary<Record<string, unknown>>, (table) => {
      let count = 0;
      const paths: { path: string[]; value: string }[] = [];
      const number = (node: Record<string, unknown>, path: string[]): Record<string, unknown> =>
        Object.fromEntries(
          Object.entries(node).map(([name, child]) => {
            if (typeof child === "object") {
              return [name, number(child as Record<string, unknown>, [...path, name])];
            }
            const value = `value-${count++}-`;
            paths.push({ path: [...path, name], value });
            return [name, value];
          }),
        );
      const text = stringify(number(table, []));
      const positions = locateTomlKeys(text);
      for (const { path, value } of paths) {
        const { line } = positions.find(path)!;
        expect(text.split("\n")[line - 1]).toContain(value);
      }
    }),
  );
});
