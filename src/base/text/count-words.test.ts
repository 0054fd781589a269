import { expect, test } from "vitest";
import { countOf, formatAmount } from "./count-words.ts";

test("an amount that is not zero is never shown as zero", () => {
  expect([0.4, 0.004, 0.000021, 5e-9, 0, 3, 12345.5].map(formatAmount)).toEqual(
    ["0.4", "0.004", "0.000021", "0.000000005", "0", "3", "12,345.5"],
  ); // prettier-ignore
});

test("a count has the plural of its noun", () => {
  const nouns = ["task", "company", "survey", "person", "personal address", "batch"];
  expect(nouns.map((noun) => countOf(1, noun))).toEqual(nouns.map((noun) => `1 ${noun}`));
  expect(nouns.map((noun) => countOf(2, noun))).toEqual(
    ["2 tasks", "2 companies", "2 surveys", "2 people", "2 personal addresses", "2 batches"],
  ); // prettier-ignore
  expect(countOf(0, "entry that is old", "entries that are old")).toBe("0 entries that are old");
});
