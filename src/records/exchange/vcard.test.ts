import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { vcard } from "./vcard.ts";

describe("a vCard", () => {
  test("is what RFC 6350 says, with text escaped and empty properties left out", () => {
    const card = vcard([
      { name: "FN", value: "Müller; Söhne, GmbH" },
      { name: "NOTE", value: "one\r\ntwo\\three" },
      { name: "TITLE", value: "" },
      { name: "ADR", value: { parts: ["", "", "Main St 1", "Austin", "TX", "78701", undefined] } },
      { name: "CATEGORIES", value: { list: ["a,b", "c"] } },
      { name: "TEL", parameters: { VALUE: "uri", TYPE: "work,voice" }, value: { uri: "tel:+1" } },
      { name: "EMAIL", parameters: { TYPE: 'the "boss"' }, value: "a@b.c" },
    ]);
    expect(card.split("\r\n")).toEqual([
      "BEGIN:VCARD",
      "VERSION:4.0",
      "FN:Müller\\; Söhne\\, GmbH",
      "NOTE:one\\ntwo\\\\three",
      "ADR:;;Main St 1;Austin;TX;78701;",
      "CATEGORIES:a\\,b,c",
      'TEL;VALUE=uri;TYPE="work,voice":tel:+1',
      "EMAIL;TYPE=\"the ^'boss^'\":a@b.c",
      "END:VCARD",
      "",
    ]);
  });

  test("no text can break out of its line, and no line is longer than 75 bytes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 40, maxLength: 300 }),
        fc.string(),
        (text, other) => {
          const card = vcard([
            { name: "NOTE", value: `${text}\nEND:VCARD\r\n${other}` },
            { name: "URL", parameters: { TYPE: other }, value: { uri: `x:${other}` } },
          ]);
          const lines = card.split("\r\n");
          expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
          expect(lines.filter((line) => line === "END:VCARD")).toHaveLength(1);
          const unfolded = card.replaceAll("\r\n ", "").split("\r\n");
          expect(unfolded).toHaveLength(6);
          expect(unfolded[2]).toMatch(/^NOTE:/);
          expect(Buffer.from(card).toString("utf8")).toBe(card); // no character was split
        },
      ),
    );
  });
});
