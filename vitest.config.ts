import { defineConfig } from "vitest/config";
import { FileOrder } from "./scripts/checks/file-order.ts";

// Tests that start programs, servers and browsers.
const slow = ["bench", "browser", "docs", "e2e", "packaging", "scripts"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

const common = {
  // A poll ends when its condition holds; the limit is for a condition that never holds.
  expect: { poll: { timeout: 15_000 } },
  setupFiles: ["test/support/service-addresses.ts"],
};

export default defineConfig({
  test: {
    // More than there are processors, because tests wait for processes and timers.
    maxWorkers: 3,
    sequence: { sequencer: FileOrder },
    // The projects differ in their limits only and run at the same time.
    projects: [
      {
        test: {
          ...common,
          name: "fast",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: slow,
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: "slow",
          include: slow,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
