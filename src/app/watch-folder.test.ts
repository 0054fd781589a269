import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTestClock } from "../base/testing/test-clock.ts";
import { createPaths } from "../config/index.ts";
import { watchFolder } from "./watch-folder.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "forager-watch-"));
  make("a");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A data folder of a node of that name. */
function make(node: string) {
  const ledger = join(folder, "data", "ledger");
  mkdirSync(ledger, { recursive: true });
  writeFileSync(join(ledger, "node.json"), JSON.stringify({ node }));
}

async function watch() {
  const clock = createTestClock();
  const watching = watchFolder({ paths: createPaths(join(folder, "data")), clock });
  let told = "";
  watching.gone.catch((error: Error) => (told = error.message));
  await watching.start();
  const pass = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await clock.advance(5_000);
      // It looks at a real disk, and then reports or sets the next timer.
      await vi.waitUntil(() => told !== "" || clock.pendingTimers() > 0, { timeout: 15_000 });
    }
    return told;
  };
  return { watching, pass, clock };
}

test("a data folder that is deleted is told of within seconds", async () => {
  const { pass } = await watch();
  expect(await pass(3)).toBe("");
  rmSync(join(folder, "data"), { recursive: true });
  expect(await pass(2)).toMatch(/^the data folder .*data is not the one .* start again$/);
});

test("another folder in its place is not it, though it has the same name", async () => {
  const { pass } = await watch();
  renameSync(join(folder, "data"), join(folder, "old"));
  make("b");
  expect(await pass(2)).toContain("deleted, moved or replaced");
});

test("a file system that numbers its folders anew is no matter", async () => {
  const { watching, pass } = await watch();
  renameSync(join(folder, "data"), join(folder, "old"));
  make("a");
  expect(await pass(3)).toBe("");
  await watching.stop();
});

test("one that is away for a moment is no matter", async () => {
  const { watching, pass, clock } = await watch();
  renameSync(join(folder, "data"), join(folder, "old"));
  await pass(1);
  renameSync(join(folder, "old"), join(folder, "data"));
  expect(await pass(3)).toBe("");
  await watching.stop();
  expect(clock.pendingTimers()).toBe(0);
});
