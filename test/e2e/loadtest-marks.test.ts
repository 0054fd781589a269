// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../support/built-cli.ts";
import { failedChecks, isAboutTime, runLoadtest } from "../support/run-loadtest.ts";

/** By title, which test/sabotage/loadtest.ts names: the mark of the load test that it is about. */
const marks: Readonly<Record<string, string>> = {
  "no add that was acknowledged is lost": "adds lost",
  "every task is done": "tasks lost",
  "two workers came late with what others had": "workers that came late",
  "no task is completed twice": "completed twice",
  "no finish is accepted under an old lease": "late finishes accepted",
  "nobody who holds the newest lease is refused": "completions refused",
  "every result was found under the newest lease": "results of another",
  "every job completes once": "jobs not completed once",
  "no gate is hurried": "gate violations",
  "no job has more at work than its cap": "job caps exceeded",
};

/** All marks are of one run. */
async function runOnce() {
  const sandbox = await createSandbox();
  return { sandbox, ...(await runLoadtest((words) => sandbox.forager(words))) };
}
let run: ReturnType<typeof runOnce> | undefined;
const sandboxes: Sandbox[] = [];
const theRun = () => {
  run ??= runOnce().then((ended) => (sandboxes.push(ended.sandbox), ended));
  return run;
};
afterAll(() => sandboxes.forEach((sandbox) => sandbox.remove()));

describe("D12, E2: a load test on SQLite, in which workers are killed, stopped and continued", () => {
  test.each(Object.entries(marks))("%s", async (_, mark) => {
    const { result, stderr } = await theRun();
    const check = result.checks.find(({ name }) => name === mark);
    expect(check, stderr).toMatchObject({ name: mark, isGood: true });
  });

  test("all other marks are met, and the result is kept", async () => {
    const { result, exitCode, stderr, sandbox } = await theRun();
    expect(failedChecks(result), stderr).toEqual([]);
    expect(result.checks.filter(({ name }) => !isAboutTime.test(name)).length).toBeGreaterThan(12);
    // All marks of the mission are looked at, also those that only a quiet machine can meet.
    expect(result.checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["recovery after arrivals", "processor free", "memory afterwards"]),
    );
    expect(exitCode).toBe(result.isGood ? 0 : 1);
    expect(result.kills).toBe(4);
    expect(result.stops).toBeGreaterThanOrEqual(2); // one that came to nothing is repeated
    expect(result.answers["error"]! + result.answers["refused"]!).toBeGreaterThan(0);
    expect(result.last).toBe(null);
    const names = readdirSync(join(sandbox.folder, "data/loadtests"));
    expect(names).toEqual(["baseline-600-sqlite.json"]);
  });
});
