import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createCsvReader, type CsvReaderOptions } from "./csv-reader.ts";
import { csvLine, guarded, unguarded } from "./csv-text.ts";

function read(pieces: readonly string[], options?: CsvReaderOptions) {
  const reader = createCsvReader(options);
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}
const cellsOf = (text: string, options?: CsvReaderOptions) =>
  read([text], options).map(({ cells }) => cells);

describe("reading CSV", () => {
  test("RFC 4180: quotes, quotes in quotes, line breaks in quotes, both line ends", () => {
    expect(cellsOf('a,b\r\n"x, y","say ""hi"""\n"two\r\nlines",\n')).toEqual([
      ["a", "b"],
      ["x, y", 'say "hi"'],
      ["two\r\nlines", ""],
    ]);
  });

  test("a row knows the line it begins on, over cells of several lines", () => {
    const rows = read(['a\r\n"1\n2\r\n3"\r\n\r\nb']);
    expect(rows.map(({ line }) => line)).toEqual([1, 2, 6]);
  });

  test("rows are the same however the text is cut", () => {
    const part = fc.constantFrom("a", "ü", ",", '"x"', '"\r\n"', '"""",', "\r\n", "\n", "\r", "'");
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 20 }),
        fc.array(fc.nat({ max: 40 }), { maxLength: 5 }),
        (parts, cuts) => {
          const text = parts.join("").replaceAll(/(?<=[aü'])"|"(?=[aü'])/g, "");
          const attempt = (pieces: readonly string[]) => {
            try {
              return read(pieces, { delimiter: "," });
            } catch (error) {
              return (error as Error).message;
            }
          };
          const places = [0, ...[...cuts].sort((a, b) => a - b), text.length];
          const pieces = places.slice(1).map((to, index) => text.slice(places[index], to));
          expect(attempt(pieces)).toEqual(attempt([text]));
        },
      ),
    );
  });

  test("what was written is read back, whatever it is", () => {
    const cell = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...`",\n\r='-1\t ;|+`.split("")) }),
    );
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 })), (rows) => {
        const text = rows.map((row) => csvLine(row)).join("");
        const back = cellsOf(text, { delimiter: "," }).map((row) => row.map(unguarded));
        expect(back).toEqual(rows);
      }),
    );
  });

  test("semicolons and tabs are detected from the header, a byte order mark is not part of a name", () => {
    expect(cellsOf('\ufeffname;"a,b,c,d";city\nX;1,5;Y')).toEqual([
      ["name", "a,b,c,d", "city"],
      ["X", "1,5", "Y"],
    ]);
    expect(cellsOf("name\tcity\nX\tY,Z")).toEqual([
      ["name", "city"],
      ["X", "Y,Z"],
    ]);
  });

  test("a quote that is never closed, or has text behind it, is reported with its line", () => {
    expect(() => cellsOf('a,b\nc,"d\ne\nf')).toThrow("line 2: a quoted cell begins here");
    expect(() => cellsOf('a,b\n"c"d,e')).toThrow('line 2: text follows a closing "');
    expect(() => cellsOf(`a\n"${"x".repeat(1_048_577)}\n${"y\n".repeat(9)}`)).toThrow("line 2: ");
  });
});

describe("the guard against formulas", () => {
  test.each([
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "＝1",
    "+1-2",
  ])("%j cannot run", (text) => {
    expect(guarded(text).replaceAll(/(?<=[\t\r])'/g, "")).toBe(`'${text}`);
    expect(unguarded(guarded(text))).toBe(text);
  });

  test.each([
    [";=1+1", ";'=1+1"],
    ["Acme;=1+1;", "Acme;'=1+1;"],
    ["a; -2+3", "a;' -2+3"],
    ['a;"=1+1;', "a;'\"=1+1;"],
    ["a|@SUM(A1)", "a|'@SUM(A1)"],
    ["a\t+1-2", "a\t'+1-2"],
    ["a\n=1;", "a\n'=1;"],
    ["a;'=1", "a;''=1"],
    ["+49891;cmd|' /C calc'!A0", "'+49891;cmd|' /C calc'!A0"],
  ])("%j cannot run where a line is split at another character", (text, shown) => {
    expect(guarded(text)).toBe(shown);
    expect(unguarded(shown)).toBe(text);
  });

  test.each(["+49891; +49892", "+49891;-97.5; 3", "a; b", "a;1-2", "a,=b", "x - y; z", "a; 'b'"])(
    "%j stays as it is, in quotes",
    (text) => {
      expect(guarded(text)).toBe(text);
      expect(csvLine(["x", text])).toBe(`x,"${text}"\r\n`);
    },
  );

  test("however a line is split, with or without regard to quotes, no cell of it is a formula", () => {
    const word = fc.string({
      unit: fc.constantFrom(...`=+-@;|\t\n\r"', 1a(!`.split("")),
      maxLength: 12,
    });
    /** Splits like a spreadsheet: a quote counts only at the start of a cell. */
    const split = (line: string, separator: string): readonly string[] => {
      const pattern = new RegExp(
        `(?:"((?:[^"]|"")*)(?:"|$))?([^${separator}\\r\\n]*)(?:[${separator}\\r\\n]|$)`,
        "gy",
      );
      return [...line.matchAll(pattern)].map(
        ([, quoted = "", rest = ""]) => quoted.replaceAll('""', '"') + rest,
      );
    };
    const isNumber = (cell: string) => /^[+-]?\d*(?:\.\d+)?$/.test(cell.trim());
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), (words) => {
        const line = csvLine([...words, "end"]);
        for (const separator of [",", ";", "|", "\t"]) {
          for (const cell of split(line, separator)) {
            const isRun = /^\s*[=+\-@]/.test(cell) && !isNumber(cell);
            // A number that continues into the quote of its own cell is not a formula either.
            expect(isRun && !/^\s*[+-]?\d+(?:\.\d+)?"/.test(cell), `${line} at ${separator}`).toBe(
              false,
            );
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(["+4989123456", "-97.7", "30.25", "a=b", "'tis", "", "O'Neill"])(
    "%j stays as it is",
    (text) => expect(guarded(text)).toBe(text),
  );
});
