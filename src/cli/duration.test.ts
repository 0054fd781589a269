import { expect, test } from "vitest";
import { formatDuration, formatMoment, parseDuration } from "./duration.ts";

test.each([
  ["0", 0],
  ["500ms", 500],
  ["30s", 30_000],
  ["5m", 300_000],
  ["1.5h", 5_400_000],
  ["7d", 604_800_000],
])("%s is %d ms", (text, ms) => {
  expect(parseDuration("delay", text)).toBe(ms);
});

test.each(["", "5", "-5m", "5 m", "m", "5w", "1e3s", ".5s", "99999999999999999d", "NaNms"])(
  "'%s' is no time",
  (text) => {
    expect(() => parseDuration("delay", text)).toThrow(
      `--delay takes a time such as 500ms, 30s, 5m, 2h or 7d, not '${text}'`,
    );
  },
);

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

test("a moment is UTC, and one that no calendar has is no crash", () => {
  expect(formatMoment(0)).toBe("1970-01-01T00:00:00Z");
  expect(formatMoment(Number.MAX_SAFE_INTEGER)).toBe("?");
});
