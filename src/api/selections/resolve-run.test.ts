import { expect, test } from "vitest";
import { AppError } from "../../base/app-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createTestClock } from "../../base/testing/test-clock.ts";
import { createResolveRun } from "./resolve-run.ts";

test("one runs at a time, shows how far it is, and says why it failed", async () => {
  const run = createResolveRun({ clock: createTestClock(), log: silentLogger });
  const ends: ((error?: Error) => void)[] = [];
  const begin = () =>
    run.begin({
      by: "ann",
      isDryRun: false,
      merge: ({ onMerged }) =>
        new Promise((resolve, reject) => {
          onMerged();
          ends.push((error) => (error ? reject(error) : resolve({ merged: 1, left: 2 })));
        }),
    });
  expect(run.show().state).toBe("none");
  begin();
  expect(run.show()).toMatchObject({ state: "running", by: "ann", merged: 1, left: null });
  expect(begin).toThrow("ann has begun to merge companies");
  ends[0]!();
  await expect.poll(() => run.show()).toMatchObject({ state: "done", merged: 1, left: 2 });
  begin();
  ends[1]!(new AppError("unavailable", "disk_full", "the disk is full"));
  await expect.poll(() => run.show()).toMatchObject({ state: "failed", fault: "the disk is full" });
  begin();
  ends[2]!(new Error("a secret path"));
  await expect.poll(() => run.show().fault).toBe("something went wrong here; the log says what");
});
