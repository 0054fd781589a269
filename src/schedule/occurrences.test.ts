import { expect, test } from "vitest";
import { createSeededRandom } from "../base/random.ts";
import { newestOccurrences, nextOccurrence, nextOccurrences, timingFault } from "./occurrences.ts";

const iso = (ms: number | undefined) => (ms === undefined ? ms : new Date(ms).toISOString());
const next = (cron: string, timezone: string, after: string, count: number) =>
  nextOccurrences({ cron, timezone }, { afterMs: Date.parse(after), count }).map(iso);

test("an hour that does not exist: at the first moment after it, once", () => {
  expect(next("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 2)).toEqual([
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ]);
  expect(next("15 0 * * *", "Africa/Cairo", "2026-04-23T12:00Z", 2)).toEqual([
    "2026-04-23T22:00:00.000Z",
    "2026-04-24T21:15:00.000Z",
  ]);
});

test("an hour that comes twice: a fixed time once, an interval in both", () => {
  expect(next("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2)).toEqual([
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ]);
  expect(next("*/20 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 7).slice(0, 7)).toEqual([
    "2026-10-25T00:00:00.000Z",
    "2026-10-25T00:20:00.000Z",
    "2026-10-25T00:40:00.000Z",
    "2026-10-25T01:00:00.000Z",
    "2026-10-25T01:20:00.000Z",
    "2026-10-25T01:40:00.000Z",
    "2026-10-26T01:00:00.000Z",
  ]);
});

/** All minutes of a stretch whose local hour and minute match, without croner. */
function scan(
  hours: readonly number[],
  minute: number,
  zone: string,
  fromMs: number,
  days: number,
) {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" }); // prettier-ignore
  const wanted = new Set(hours.map((hour) => `${two(hour)}:${two(minute)}`));
  const found: number[] = [];
  for (let ms = fromMs + 60_000; ms <= fromMs + days * 86_400_000; ms += 60_000) {
    if (wanted.has(format.format(new Date(ms)))) found.push(ms);
  }
  return found;
}
const two = (value: number) => String(value).padStart(2, "0");

test("agrees with the wall clock of the zone, away from changes of the clock", () => {
  const random = createSeededRandom(28);
  const zones = ["UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe"];
  for (const zone of zones) {
    const fromMs = Date.parse("2026-06-10T00:00Z") + random.below(86_400) * 60_000;
    const hours = [random.below(24), random.below(24)];
    const minute = random.below(60);
    const wanted = scan(hours, minute, zone, fromMs, 4);
    const timing = { cron: `${minute} ${hours.join(",")} * * *`, timezone: zone };
    const found = nextOccurrences(timing, { afterMs: fromMs, count: wanted.length });
    expect(found.map(iso), `${timing.cron} ${zone}`).toEqual(wanted.map(iso));
  }
});

test("an interval counts from its beginning, whenever one asks", () => {
  const timing = { everyMs: 3_600_000, fromMs: 1_000 };
  expect(nextOccurrence(timing, 0)).toBe(3_601_000);
  expect(nextOccurrence(timing, 3_601_000)).toBe(7_201_000);
  expect(nextOccurrence(timing, 3_600_999)).toBe(3_601_000);
});

test("of many thousands only the newest are worked out", () => {
  const untilMs = Date.parse("2026-05-01T00:00Z");
  const stretch = { afterMs: untilMs - 60 * 86_400_000, untilMs, countMax: 3 };
  const { occurrences, hasEarlier } = newestOccurrences({ cron: "* * * * *", timezone: "UTC" }, stretch); // prettier-ignore
  expect(occurrences.map(iso)).toEqual([
    "2026-04-30T23:58:00.000Z",
    "2026-04-30T23:59:00.000Z",
    "2026-05-01T00:00:00.000Z",
  ]);
  expect(hasEarlier).toBe(true);
});

test.each([
  ["0 0 31 2 *", "UTC", "never occurs"],
  ["* * * * * *", "UTC", "five fields"],
  ["0 25 * * *", "UTC", "Invalid value for hour"],
  ["0 4 * * *", "Mars/Base", "no time zone Mars/Base"],
])("%s in %s is refused: %s", (cron, timezone, words) => {
  expect(timingFault({ cron, timezone })).toContain(words);
});

test("what is right is not refused", () => {
  expect(timingFault({ cron: "0 4 29 2 *", timezone: "Africa/Cairo" })).toBeUndefined();
});
