import { expect, test } from "vitest";
import { changedParts } from "./index.ts";

test("only the fields that differ are kept, with those that came and went", () => {
  expect(changedParts({ a: 1, b: [1], c: "x" }, { a: 1, b: [2], d: null })).toEqual({
    before: { b: [1], c: "x" },
    after: { b: [2], d: null },
  });
});

test("of a text of several lines, only the lines that differ are kept", () => {
  const text = (delay: number) => `a = 1\ndelay = ${delay}\nb = 2\n`;
  expect(changedParts({ text: text(1) }, { text: text(2) })).toEqual({
    before: { text: "delay = 1" },
    after: { text: "delay = 2" },
  });
});

test("what is new or gone is kept whole, and no change is two empty objects", () => {
  expect(changedParts(undefined, { a: 1 })).toEqual({ before: undefined, after: { a: 1 } });
  expect(changedParts({ a: 1 }, undefined)).toEqual({ before: { a: 1 }, after: undefined });
  expect(changedParts({ a: 1 }, { a: 1 })).toEqual({ before: {}, after: {} });
});
