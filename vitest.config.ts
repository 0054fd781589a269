import { defineConfig } from "vitest/config";
import { FileOrder, sharedProject } from "./scripts/checks/file-order.ts";
import { listSourceFiles } from "./scripts/checks/source-files.ts";
import { findTestFiles } from "./scripts/checks/test-files.ts";
import { root } from "./scripts/project.ts";

// Limits for what never ends. They are long, because a busy machine can be twenty times slower
// than an idle one; a test that asserts a shorter time fails there for no reason.
const limits = {
  expect: { poll: { timeout: 180_000 } },
  testTimeout: 600_000,
  hookTimeout: 600_000,
};
const setupFiles = ["test/support/service-addresses.ts"];

export default defineConfig(async () => {
  const files = await findTestFiles(
    { root, files: await listSourceFiles(root) },
    { kind: "quick" },
  );
  const unit = files.filter(({ hasOwnProcess }) => !hasOwnProcess).map(({ path }) => path);
  const include = ["src/**/*.test.ts", "test/**/*.test.ts"];
  return {
    test: {
      // More than there are processors, because tests wait for processes and timers.
      maxWorkers: 6,
      sequence: { sequencer: FileOrder },
      // They run at the same time.
      projects: [
        // Files of one process share its modules: loading them again costs more than these tests.
        { test: { ...limits, name: sharedProject, include: unit, isolate: false } },
        { test: { ...limits, setupFiles, name: "isolated", include, exclude: unit } },
      ],
    },
  };
});
