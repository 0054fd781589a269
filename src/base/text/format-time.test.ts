import { expect, test } from "vitest";
import { formatDuration, formatMoment } from "./format-time.ts";

test.each([
  [-5, "0ms"],
  [999.4, "999ms"],
  [1_000, "1.0s"],
  [9_999, "9.9s"],
  [59_999, "59s"],
  [185_000, "3m05s"],
  [7_620_000, "2h07m"],
  [612_000_000, "7d02h"],
])("%d ms are shown as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("a moment is UTC, and one that no calendar has causes no crash", () => {
  expect(formatMoment(0)).toBe("1970-01-01T00:00:00Z");
  expect(formatMoment(Number.MAX_SAFE_INTEGER)).toBe("?");
});
