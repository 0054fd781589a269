import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeControls, toOneLine, toTerminalText } from "./terminal-text.ts";

const hostile = [
  ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
  ["\u001b[2J\u001b[H", "\\u001b[2J\\u001b[H"],
  ["\u001b]52;c;aGk=\u001b\\", "\\u001b]52;c;aGk=\\u001b\\"],
  ["\u009b2J", "\\u009b2J"],
  ["a\rb", "a\\u000db"],
  ["a\u202eb", "a\\u202eb"],
  ["\u001b[31;1m", "\\u001b[31;1m"],
  ["\b\u007f", "\\u0008\\u007f"],
] as const;

test.each(hostile)("%j is made visible", (text, shown) => {
  expect(toTerminalText(text)).toBe(shown);
  expect(escapeControls(text)).toBe(shown);
});

test("lines, tabs, our own colours and every letter stay", () => {
  const text = "a\tb\r\nc\nd \u001b[32mok\u001b[0m Zoë 東京 \u{1f600}\n";
  expect(toTerminalText(text)).toBe(text);
  expect(escapeControls("a\nb")).toBe("a\\u000ab");
  expect(toOneLine(" a\r\n\u001b[2Jb ")).toBe("a [2Jb");
});

test("whatever it is, no terminal obeys it, and JSON keeps its value", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      // oxlint-disable-next-line no-control-regex -- control characters are what it is for
      const dangerous = /(?!\n|\t|\r\n)[\u0000-\u001f\u007f-\u009f]/;
      const shown = toTerminalText(text.replaceAll("\u001b[", ""));
      expect(shown.replaceAll("\r\n", "")).not.toMatch(dangerous);
      expect(JSON.parse(toTerminalText(JSON.stringify({ text })))).toEqual({ text });
    }),
  );
});
