import { defineConfig } from "vitest/config";

// Programs, servers and browsers take their time, and more so three files at a time: they wait more
// than they work.
const slow = ["bench", "browser", "docs", "e2e", "packaging", "scripts"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

// A poll ends when what it waits for is so: its limit is for what never comes, on a busy machine.
const expect = { poll: { timeout: 15_000 } };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "fast",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: slow,
          testTimeout: 20_000,
          expect,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "slow",
          include: slow,
          testTimeout: 120_000,
          expect,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
