// inputs: bench/** scripts/bench.ts test/bench/fixtures/**
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { renderTable, reportOf } from "../../bench/frame/report.ts";
import { machine } from "../../bench/frame/machine.ts";
import { spread } from "../../bench/frame/statistics.ts";
import { isAlive, readMark } from "./fixtures/hanging-side.ts";

const rootFolder = fileURLToPath(new URL("../..", import.meta.url));
const command = ["--import", "tsx", "scripts/bench.ts"];
const fixtures = fileURLToPath(new URL("./fixtures", import.meta.url));

describe("npm run bench", () => {
  test("list names every bench with its sentence", async () => {
    const { code, stdout } = await runBench("list");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^startup +how long `forager --help` takes/m);
    expect(stdout).toMatch(/^plainjob +\S/m);
  });

  test("with --json the last line of stdout is the whole result, and nothing else is there", async () => {
    const { code, stdout, stderr } = await runBench(
      "tiny",
      "--quick",
      "--json",
      "--from",
      fixtures,
    );
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(1);
    const report = JSON.parse(lines[0]!) as { machine: object };
    expect(report).toEqual({
      bench: "tiny",
      values: { doubled: 42, sizeUsed: 10, repetitions: 3, quick: 1 },
      machine: machine(),
    });
    expect(Object.keys(report)).toEqual(["bench", "values", "machine"]);
    expect(stderr).toContain("3/3 ours: doubled 42");
    expect(stderr).toContain("a peer prints on stdout");
  });

  test("without --json a table shows each value beside its bar; a missed bar is not an error", async () => {
    const { code, stdout } = await runBench("tiny", "--from", fixtures);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^doubled +42 +42–42 +≥ 40 \(aim 100\) +met$/m);
    expect(stdout).toMatch(/^sizeUsed +10 +≤ 5 +missed$/m);
    expect(stdout).toMatch(/^repetitions +5$/m);
    expect(stdout).toContain("- a note");
  });

  test("an unknown name is answered with the nearest one and exit code 2", async () => {
    const { code, stdout, stderr } = await runBench("startpu");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('there is no bench "startpu"; did you mean "startup"?');
  });

  test("an unknown flag, an unknown folder, or no name is wrong usage", async () => {
    const flag = await runBench("startup", "--fast");
    const folder = await runBench("list", "--from", "nowhere");
    const none = await runBench();
    expect([flag.code, folder.code, none.code]).toEqual([2, 2, 2]);
    expect(flag.stderr).toContain("--fast");
    expect(folder.stderr).toContain("there is no folder nowhere");
    expect(none.stderr).toContain("which bench? ");
  });

  test("a bench that fails ends with exit code 1, its reason, and no result", async () => {
    const { code, stdout, stderr } = await runBench("broken", "--json", "--from", fixtures);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("3 jobs were lost");
  });
});

test("an interrupted bench leaves no process and no folder behind", async () => {
  const bench = spawn(process.execPath, [...command, "hanging", "--from", fixtures], {
    cwd: rootFolder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stderr = "";
  bench.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  await expect.poll(() => stderr).toMatch(/folder .+\n/);
  const { pid, scratch } = readMark(stderr);
  expect([isAlive(pid), existsSync(scratch)]).toEqual([true, true]);
  const ended = once(bench, "exit");
  bench.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  expect(existsSync(scratch)).toBe(false);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

describe("a bench's result", () => {
  const bench = { name: "x", summary: "a bench", bars: { a: { min: 1 } }, run: unused };

  test("a bar without a value is a failure", () => {
    expect(() => reportOf(bench, { values: { b: 1 } }, machine())).toThrow("bar for a");
  });

  test("a value that is not a number is a failure", () => {
    expect(() => reportOf(bench, { values: { a: Number.NaN } }, machine())).toThrow("a as NaN");
  });

  test("a spread is reported as its median", () => {
    const { values } = reportOf(bench, { values: { a: spread([5, 1, 2]) } }, machine());
    expect(values).toEqual({ a: 2 });
  });

  test("a bar is met at its very limit", () => {
    expect(
      renderTable({ bench, result: { values: { a: 1 } }, machine: machine(), hasColor: false }),
    ).toMatch(/^a +1 +≥ 1 +met$/m);
  });
});

function runBench(...args: readonly string[]) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [...command, ...args],
      { cwd: rootFolder },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

async function unused(): Promise<never> {
  throw new Error("not run here");
}
