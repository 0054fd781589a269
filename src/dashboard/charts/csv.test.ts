import { expect, test } from "vitest";
import { charts } from "./chart-list.ts";
import { csvOf } from "./csv.ts";

test("a chart as CSV has a line for each time, and nothing where nothing is known", () => {
  const history = {
    times: [0, 60_000],
    series: { tasksDone: [3, null], tasksFailed: [0, 1], load1: [9, 9] },
  };
  expect(
    csvOf(
      history,
      charts.find(({ id }) => id === "finished")!,
    ),
  ).toBe(
    "time,tasksDone,tasksFailed\r\n1970-01-01T00:00:00.000Z,3,0\r\n1970-01-01T00:01:00.000Z,,1\r\n",
  );
});
