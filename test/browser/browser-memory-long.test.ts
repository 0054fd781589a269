// long: browser
import { expect, test } from "vitest";
import { growthMbOverTasks } from "./browser-memory.ts";

test("memory is flat over 200 tasks", async () => {
  expect(await growthMbOverTasks(200)).toBeLessThan(40);
});
