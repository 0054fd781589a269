import fc from "fast-check";
import { expect, test } from "vitest";
import { formatTable, type TableColumn } from "./table.ts";
import { textWidth } from "./text-width.ts";

interface Row {
  readonly name: string;
  readonly count: number;
}

const columns: readonly TableColumn<Row>[] = [
  { title: "name", value: (row) => row.name },
  { title: "count", value: (row) => row.count },
];
const noColor = { hasColor: false };
const escape = "\u001b";

test("columns are aligned, numbers to the right", () => {
  const rows = [
    { name: "a", count: 1 },
    { name: "longer", count: 1000 },
  ];
  expect(formatTable(rows, columns, noColor).split("\n")).toEqual([
    "name    count",
    "a           1",
    "longer   1000",
  ]);
});

test("wide and combining characters keep the columns aligned", () => {
  const rows = ["東京", "🙂", "e\u0301"].map((name) => ({ name, count: 1 }));
  expect(formatTable(rows, columns, noColor).split("\n")).toEqual([
    "name  count",
    "東京      1",
    "🙂        1",
    "e\u0301         1",
  ]);
});

test("a cell cannot start a line, move the cursor or change colors", () => {
  const rows = [{ name: `a\nb${escape}[31mc\u202ed`, count: 1 }];
  const lines = formatTable(rows, columns, noColor).split("\n");
  expect(lines).toEqual(["name         count", "a b [31mc d      1"]);
});

test("long text gives way until lines fit, and … shows it", () => {
  const rows = [{ name: "x".repeat(50), count: 123456 }];
  const lines = formatTable(rows, columns, { ...noColor, widthMax: 40 }).split("\n");
  expect(lines[1]).toBe(`${"x".repeat(31)}…  123456`);
});

test("no line is wider than the terminal, whatever the cells hold", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 60, size: "max" });
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1 }),
      fc.integer({ min: 24, max: 70 }),
      (names, widthMax) => {
        const rows = names.map((name, index) => ({ name, count: index }));
        for (const line of formatTable(rows, columns, { ...noColor, widthMax }).split("\n")) {
          expect(textWidth(line)).toBeLessThanOrEqual(widthMax);
        }
      },
    ),
  );
});

test("a column that is never cut stays whole on a narrow terminal", () => {
  const advice: TableColumn<Row> = {
    title: "advice",
    value: () => "run this very long command",
    isNeverCut: true,
  };
  const table = formatTable([{ name: "a", count: 1 }], [columns[0]!, advice], {
    ...noColor,
    widthMax: 12,
  });
  expect(table).toContain("run this very long command");
});

const keyed: readonly TableColumn<Row>[] = [
  { title: "slug", value: (row) => row.name, isKey: true },
  { title: "city", value: () => "Austin, Texas" },
  { title: "phone", value: () => "+1 512 555 0100" },
  { title: "count", value: (row) => row.count },
];
const flooring = [{ name: "acme-flooring-of-austin", count: 7 }];

test("a key is never cut: the columns on the right are left out instead", () => {
  const at = (widthMax: number) =>
    formatTable(flooring, keyed, { ...noColor, widthMax }).split("\n");
  expect(at(80)[0]).toBe("slug                     city           phone            count");
  expect(at(60)).toEqual([
    "slug                     city           phone",
    "acme-flooring-of-austin  Austin, Texas  +1 512 555 0100",
  ]);
  expect(at(44)).toEqual([
    "slug                     city",
    "acme-flooring-of-austin  Austin, Texas",
  ]);
});

test("a short value is never cut, whatever the width: its column goes, or the row becomes lines", () => {
  for (let widthMax = 30; widthMax < 80; widthMax += 1) {
    expect(formatTable(flooring, keyed, { ...noColor, widthMax })).not.toContain("…");
  }
});

test("where not even two columns fit, each row is written as lines", () => {
  expect(formatTable(flooring, keyed, { ...noColor, widthMax: 33 }).split("\n")).toEqual([
    "slug   acme-flooring-of-austin",
    "city   Austin, Texas",
    "phone  +1 512 555 0100",
    "count  7",
  ]);
});

test("several keys are all kept; if they do not fit together, each row is written as lines", () => {
  const two: readonly TableColumn<Row>[] = [
    { title: "id", value: (row) => row.count, isKey: true },
    { title: "state", value: () => "pending" },
    { title: "key", value: (row) => row.name, isKey: true },
    { title: "reason", value: () => "timeout" },
  ];
  const at = (widthMax: number) => formatTable(flooring, two, { ...noColor, widthMax });
  expect(at(30)).toBe("id  key\n 7  acme-flooring-of-austin");
  expect(at(24)).toBe(
    "id      7\nstate   pending\nkey     acme-flooring-of-austin\nreason  timeout",
  );
});

test("colors are used when asked for and do not count as width", () => {
  const tinted: TableColumn<Row> = { title: "state", value: () => "ok", tint: () => "good" };
  const rows = [{ name: "a", count: 1 }];
  const [, line] = formatTable(rows, [tinted, ...columns], { hasColor: true }).split("\n");
  expect(line).toBe(`${escape}[32mok${escape}[0m     a         1`);
  expect(formatTable(rows, [tinted, ...columns], noColor)).not.toContain(escape);
});
