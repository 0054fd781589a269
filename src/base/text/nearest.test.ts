import fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance, nearest } from "./nearest.ts";

const keys = ["data", "log.level", "queue.url", "queue.leaseMs", "queue.keepDoneDays", "queue"];

test.each([
  ["queue.leaseMS", "queue.leaseMs"],
  ["queue.lease_ms", "queue.leaseMs"],
  ["queue.keepDone", "queue.keepDoneDays"],
  ["leaseMs", "queue.leaseMs"],
  ["level", "log.level"],
  ["dta", "data"],
  ["queu", "queue"],
  ["que.url", "queue.url"],
  ["daat", "data"],
  ["lea", "queue.leaseMs"],
])("%s is nearest to %s", (written, expected) => {
  expect(nearest(written, keys)).toBe(expected);
});

test.each(["foo", "a", "n", "version", "x".repeat(1000)])("%s is near nothing", (written) => {
  expect(nearest(written, ["zip", "tag", "kind", "person", "email"])).toBeUndefined();
});

test.each([
  ["clean", ["clear", "plain"], "clear"],
  ["floor", ["flag", "color", "door"], undefined],
  ["export", ["import", "expect"], undefined],
  ["exprot", ["import", "export"], "export"],
  ["grade", ["trade", "gate"], undefined],
])("a word that is some letters off is no hint: %s of %j", (written, candidates, expected) => {
  expect(nearest(written, candidates)).toBe(expected);
});

test("without candidates nothing is nearest", () => {
  expect(nearest("data", [])).toBeUndefined();
});

test("edit distance: known values", () => {
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "abc")).toBe(3);
  expect(editDistance("abc", "")).toBe(3);
});

test("edit distance is a metric", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
    }),
  );
});
