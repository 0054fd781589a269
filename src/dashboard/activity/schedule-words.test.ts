import { expect, test } from "vitest";
import { cronWords } from "./schedule-words.ts";

test.each([
  ["0 6 * * 1", "every Monday at 06:00"],
  ["30 7 * * *", "every day at 07:30"],
  ["0 6 * * 1-5", "Monday to Friday at 06:00"],
  ["5 22 * * 0,6", "Sunday, Saturday at 22:05"],
  ["0 6 * * 7", "every Sunday at 06:00"],
  ["0 3 1 * *", "on day 1 of every month at 03:00"],
  ["*/15 * * * *", "every 15 minutes"],
  ["5 * * * *", "every hour at :05"],
  ["0 6 1 1 *", undefined],
  ["0 6 1 * 1", undefined],
  ["0 6,18 * * *", undefined],
  ["", undefined],
])("%s is %s", (cron, words) => {
  expect(cronWords(cron)).toBe(words);
});
