import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textOf } from "./charset.ts";

const read = (body: Uint8Array, contentType?: string) => textOf({ body, contentType });
const latin = (text: string) => Buffer.from(text, "latin1");

describe("the charset of a page", () => {
  test("a byte order mark beats everything, and is not part of the text", () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("Grüße")]);
    expect(read(marked, "text/html; charset=iso-8859-1")).toEqual({
      text: "Grüße",
      charset: "utf-8",
    });
    const wide = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("Grüße", "utf16le")]);
    expect(read(wide)).toEqual({ text: "Grüße", charset: "utf-16le" });
  });

  test("then the server's word, then the page's", () => {
    const page = latin('<meta charset="windows-1251"><p>\xc3\xf0');
    expect(read(page, 'text/html; charset="ISO-8859-1"').charset).toBe("windows-1252");
    expect(read(page).text).toContain("Гр");
    const old = latin(
      '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">\xb1',
    );
    expect(read(old)).toMatchObject({ charset: "iso-8859-2" });
    expect(read(latin('<?xml version="1.0" encoding="koi8-r"?>\xc7')).charset).toBe("koi8-r");
  });

  test.each(["windows-1252", "iso-8859-1", "latin1", "cp1252", "us-ascii"])(
    "%s: the euro, quotes and dashes that Node would lose",
    (label) => {
      const page = latin("\x80 9 \x93Caf\xe9\x94 \x96 it\x92s \x85");
      expect(read(page, `text/html; charset=${label}`)).toEqual({
        text: "€ 9 “Café” – it’s …",
        charset: "windows-1252",
      });
    },
  );

  test("a meta in a comment is not one", () => {
    const page = latin('<!-- <meta charset="koi8-r"> --><meta charset="iso-8859-1">\xfc');
    expect(read(page).text).toContain("ü");
  });

  test("UTF-8 that the bytes contradict is not believed; a few broken bytes are", () => {
    const wrong = latin(
      '<meta charset="utf-8"><p>Gr\xfc\xdfe aus K\xf6ln, sch\xf6ne T\xfcren, F\xfc\xdfe',
    );
    expect(read(wrong, "text/html; charset=utf-8").text).toContain("Grüße aus Köln");
    const cut = Buffer.concat([Buffer.from("ü".repeat(100)), Buffer.from([0xc3])]);
    expect(read(cut, "text/html; charset=utf-8").charset).toBe("utf-8");
  });

  test("an unknown name counts as if none was given", () => {
    expect(read(Buffer.from("Grüße"), "text/html; charset=klingon").text).toBe("Grüße");
  });

  const guessed: readonly (readonly [string, readonly number[], string])[] = [
    ["windows-1252", [...latin("<p>Caf\xe9 \x80 9, na\xefve fa\xe7ade d\xe9j\xe0 vu")], "Café € 9"],
    // "Привет мир, добро пожаловать"
    [
      "windows-1251",
      [
        0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xec, 0xe8, 0xf0, 0x20, 0xe4, 0xee, 0xe1, 0xf0,
        0xee,
      ],
      "Привет мир добро",
    ],
    // "こんにちは世界" in each
    [
      "shift_jis",
      [0x82, 0xb1, 0x82, 0xf1, 0x82, 0xc9, 0x82, 0xbf, 0x82, 0xcd, 0x90, 0xa2, 0x8a, 0x45],
      "こんにちは世界",
    ],
    [
      "euc-jp",
      [0xa4, 0xb3, 0xa4, 0xf3, 0xa4, 0xcb, 0xa4, 0xc1, 0xa4, 0xcf, 0xc0, 0xa4, 0xb3, 0xa6],
      "こんにちは世界",
    ],
    ["iso-2022-jp", [0x1b, 0x24, 0x42, 0x24, 0x33, 0x24, 0x73, 0x1b, 0x28, 0x42], "こん"],
    // "你好世界欢迎"
    [
      "gb18030",
      [0xc4, 0xe3, 0xba, 0xc3, 0xca, 0xc0, 0xbd, 0xe7, 0xbb, 0xb6, 0xd3, 0xad],
      "你好世界欢迎",
    ],
    ["utf-16le", [...Buffer.from("<p>plain text here</p>", "utf16le")], "<p>plain text here</p>"],
  ];
  test.each(guessed)("%s is recognised without any word of it", (charset, bytes, text) => {
    const found = read(Buffer.from(bytes), "text/html");
    expect(found.charset).toBe(charset);
    expect(found.text).toContain(text);
  });

  test("never throws, whatever the bytes and the labels", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.option(fc.string()), (body, label) => {
        const { text, charset } = read(
          body,
          label === null ? undefined : `text/html; charset=${label}`,
        );
        expect(typeof text).toBe("string");
        expect(() => new TextDecoder(charset)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});
