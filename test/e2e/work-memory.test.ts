// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { builtCli } from "../support/built-cli.ts";
import { createMemoryLimit } from "../support/memory-limit.ts";
import { createQueueSandbox } from "../support/queue-sandbox.ts";

const megabyte = 1024 * 1024;

/** The process and all below it. */
function family(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      continue; // gone meanwhile
    }
  }
  const isBelow = (pid: number): boolean =>
    pid === root || (parents.has(pid) && pid > 1 && isBelow(parents.get(pid)!));
  return [...parents.keys()].filter(isBelow);
}

/** Proportional: what processes share is counted once. */
function usedBytes(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1_024;
  } catch {
    return 0; // gone meanwhile
  }
}

test("A11: six workers and their supervisor fit in 1 GB", async () => {
  const limit = createMemoryLimit(1_024 * megabyte);
  if (!limit) process.stderr.write("no control group can be made here: memory is only added up\n");
  onTestFinished(() => limit?.remove());
  const sandbox = await createQueueSandbox();
  // Each task makes a megabyte of garbage, as a page and what is found in it would.
  sandbox.write(
    "handlers.mjs",
    `export const page = { kind: "page", run: async ({ task }) => {
      const words = Array.from({ length: 20_000 }, (_, at) => task.payload.text + at);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { kind: "done", result: { length: words.length } };
    } };`,
  );
  const text = "x".repeat(2_000);
  await sandbox.use((queue) =>
    queue.add(Array.from({ length: 1_200 }, () => ({ kind: "page", payload: { text } }))),
  );
  const words = ["work", "--handlers", "handlers.mjs", "--queue", "sqlite:q.db", "--drain"];
  const args = [await builtCli(), ...words, "--processes", "6", "--data", "data"];
  const env = { PATH: process.env["PATH"], HOME: sandbox.folder };
  const child = spawn(
    "/bin/sh",
    ["-c", `${limit?.prefix ?? "exec"} "$@"`, "sh", process.execPath, ...args],
    { cwd: sandbox.folder, env, stdio: "ignore" },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let exitCode: number | null | undefined;
  child.once("exit", (code) => (exitCode = code));
  let most = 0;
  let processesMax = 0;
  while (exitCode === undefined) {
    const pids = family(child.pid!);
    processesMax = Math.max(processesMax, pids.length);
    most = Math.max(
      most,
      pids.reduce((sum, pid) => sum + usedBytes(pid), 0),
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(exitCode).toBe(0);
  expect(processesMax).toBe(7);
  expect(most).toBeGreaterThan(7 * 10 * megabyte);
  expect(most).toBeLessThan(1_024 * megabyte);
  expect((await sandbox.use((queue) => queue.stats())).states.done).toBe(1_200);
  if (!limit) return;
  expect(limit.kills()).toBe(0);
  expect(limit.peakBytes()).toBeGreaterThan(7 * 10 * megabyte);
});
