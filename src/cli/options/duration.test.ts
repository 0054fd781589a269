import { expect, test } from "vitest";
import { parseDuration } from "./duration.ts";

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
