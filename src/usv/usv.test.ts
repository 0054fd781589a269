import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createUsvScanner,
  eachOwnRecord,
  encodeRecord,
  readUsvRecords,
  scanUsv,
  writeUsvRecords,
} from "./index.ts";

/** Any UTF-16 at all, with marks, line ends and halves of characters more often than chance. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      fc.constantFrom("\u001f", "\u001e", "\u001b", "\u0004", "␟", "␞", "␛", "␄", "\n", "\r", " "),
      fc.constantFrom("\u001d", "\u001c", "␝", "␜", "\t", "a", "é", "🌱", "\u2028"),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const anyRecords = fc.array(fc.array(anyText, { maxLength: 5 }), { maxLength: 5 });

const recordsOf = (text: string, dialect?: "usv" | "earlier") =>
  scanUsv(text, dialect ? { dialect } : {}).flatMap((item) =>
    item.kind === "record" ? [item.units] : [],
  );

async function collect<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of from) all.push(one);
  return all;
}

describe("USV, both ways", () => {
  test("lesson 39: any strings come back as they were, however the text is cut", () => {
    fc.assert(
      fc.property(anyRecords, fc.integer({ min: 1, max: 7 }), (records, size) => {
        const text = records.map(encodeRecord).join("");
        const found: string[][] = [];
        const scanner = createUsvScanner({ onRecord: (units) => found.push(units) });
        for (let at = 0; at < text.length; at += size) scanner.push(text.slice(at, at + size));
        scanner.end();
        expect(found).toEqual(records);
      }),
      { numRuns: 500 },
    );
  });

  test("bytes come back too, cut anywhere, and what has no UTF-8 is refused", async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, fc.integer({ min: 1, max: 5 }), async (records, size) => {
        const isWell = records.flat().every((unit) => !/\p{Surrogate}/u.test(unit));
        const written = collect(writeUsvRecords(records));
        if (!isWell) {
          await expect(written).rejects.toMatchObject({ code: "usv_not_unicode" });
          return;
        }
        const bytes = Buffer.concat(await written);
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        expect(await collect(readUsvRecords(pieces))).toEqual(records);
      }),
      { numRuns: 200 },
    );
  });

  test("what we wrote ourselves is read alike by the quick way, up to where it is whole", () => {
    fc.assert(
      fc.property(anyRecords, anyText, (records, rest) => {
        const text = records.map(encodeRecord).join("");
        const tail = rest.replaceAll("\u001e", "").replaceAll("\u001b", "");
        const found: string[][] = [];
        const raws: string[] = [];
        const length = eachOwnRecord(text + tail, (units, raw) => {
          found.push(units);
          raws.push(raw);
        });
        expect(found).toEqual(records);
        expect(raws.join("")).toBe(text);
        expect(length).toBe(text.length);
      }),
      { numRuns: 500 },
    );
  });

  test("what is not UTF-8 is refused, also when it is cut off", async () => {
    for (const bytes of [[0xff], [0x61, 0xc3]]) {
      await expect(collect(readUsvRecords([Uint8Array.from(bytes)]))).rejects.toMatchObject({
        code: "usv_not_utf8",
      });
    }
  });

  test("bytes are what the page says", () => {
    expect(encodeRecord(["a", "", "b"])).toBe("a\u001f\u001fb\u001f\u001e\n");
    expect(encodeRecord(["x\u001fy␞", " z\n"])).toBe(
      "x\u001b\u001fy\u001b␞\u001f\u001b z\u001b\n\u001f\u001e\n",
    );
  });
});

describe("USV of others", () => {
  test.each([
    [
      "symbols",
      "a␟b␟␞c␟d␟␞",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["controls and symbols mixed", "a\u001fb␟\u001ec␟␞", [["a", "b"], ["c"]]],
    ["line ends around units", "a␟\nb␟\r\n␞\n\nc␟\n␞\n", [["a", "b"], ["c"]]],
    ["line ends inside a unit", "a\nb␟␞", [["a\nb"]]],
    ["a last unit that is not ended", "a␟b␞c", [["a", "b"], ["c"]]],
    ["an escaped mark, and an escaped escape before a mark", "a␛␟b␛␛␟␞", [["a␟b␛"]]],
    ["empty units and records", "␟␟␞␞", [["", ""], []]],
    ["nothing after EOT", "a␟␞b␄c␟␞", [["a"], ["b"]]],
    ["an escape at the very end", "a␟b␛", [["a", "b"]]],
    ["escaped line ends at the edges", "␛\na␛\n␟␞", [["\na\n"]]],
  ])("%s", (_name, text, expected) => {
    expect(recordsOf(text)).toEqual(expected);
  });

  test("groups and files end what is open", () => {
    expect(scanUsv("a␟␞␝b␟␜")).toEqual([
      { kind: "record", units: ["a"] },
      { kind: "group" },
      { kind: "record", units: ["b"] },
      { kind: "file" },
    ]);
  });

  test("the earlier dialect: US between units, RS or line ends after records", () => {
    const text = "t\u001fn\u001fvalue\u001f\u001et2\u001f\u001fv\u001e\nt3\u001fx\nt4";
    expect(recordsOf(text, "earlier")).toEqual([
      ["t", "n", "value", ""],
      ["t2", "", "v"],
      ["t3", "x"],
      ["t4"],
    ]);
  });
});
