// long: browser
import { expect, test } from "vitest";
import { growthMbOverTasks } from "./browser-memory.ts";

test("memory is flat over 200 tasks", { timeout: 300_000 }, async () => {
  expect(await growthMbOverTasks(200)).toBeLessThan(40);
});
