import { expect, test } from "vitest";
import type { Job } from "../../../../queue/index.ts";
import { jobState } from "./job-columns.ts";

const job = (more: Partial<Job>) =>
  ({ ended: "completed", isPaused: false, isSealed: true, done: 0, skipped: 0, failed: 0, ...more }) as Job; // prettier-ignore

test("a job of which every task failed is not called completed", () => {
  expect(jobState(job({ failed: 1 }))).toBe("failed");
  expect(jobState(job({ failed: 1, done: 1 }))).toBe("completed");
  expect(jobState(job({ done: 1 }))).toBe("completed");
  expect(jobState(job({ failed: 1, ended: "cancelled" }))).toBe("cancelled");
  expect(jobState(job({ failed: 1, ended: null, isPaused: true }))).toBe("paused");
});
