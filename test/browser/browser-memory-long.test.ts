import { expect, test } from "vitest";
import { growthOverTasks } from "./browser-memory.ts";

test("memory is flat over 200 tasks", { timeout: 300_000 }, async () => {
  expect(await growthOverTasks(200)).toBeLessThan(60);
});
