// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openQueue } from "../../src/app/index.ts";
import { builtCli, createSandbox, type RunResult, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.remove());

interface DemoDocument {
  readonly tasks: number;
  readonly elapsedMs: number;
  readonly killed: string;
  readonly reasons: Readonly<Record<string, number>>;
  readonly verdict: {
    readonly isGood: boolean;
    readonly completions: { readonly once: number; readonly wrong: readonly string[] };
    readonly hosts: readonly {
      readonly delayMs: number;
      readonly limit: number;
      readonly visits: number;
      readonly gapMsMin: number;
      readonly atOnceMax: number;
    }[];
    readonly takenOver: readonly { readonly by: string }[];
    readonly deadLetters: readonly { readonly reasons: readonly string[] }[];
  };
}

describe("forager demo", () => {
  test("each task is completed once and all gaps are kept, though a worker is killed", async () => {
    const temporary = { TMPDIR: sandbox.folder };
    const { exitCode, stdout, stderr } = await sandbox.forager(["demo", "--json"], {
      env: temporary,
    });
    expect(exitCode, stderr).toBe(0);
    const { tasks, elapsedMs, killed, reasons, verdict } = JSON.parse(stdout) as DemoDocument;
    expect(verdict.isGood).toBe(true);
    expect(tasks).toBe(120);
    expect(verdict.completions).toEqual({ once: tasks - 1, wrong: [] });
    const refused = "503 Service Unavailable";
    // On a slow machine one of its three attempts may end with an expired lease instead.
    expect(verdict.deadLetters.map(({ reasons: { length } }) => length)).toEqual([3]);
    expect(verdict.deadLetters[0]?.reasons).toContain(refused);
    for (const { delayMs, limit, visits, gapMsMin, atOnceMax } of verdict.hosts) {
      expect(visits).toBeGreaterThan(10);
      expect(gapMsMin).toBeGreaterThanOrEqual(delayMs);
      expect(atOnceMax).toBeLessThanOrEqual(limit);
    }
    expect(verdict.takenOver.length).toBeGreaterThan(0);
    expect(verdict.takenOver.map(({ by }) => by)).not.toContain(killed);
    expect(verdict.takenOver.map(({ by }) => by)).not.toContain("nobody");
    expect(Object.entries(reasons).filter(([, count]) => count === 0)).toEqual([]);
    expect(Object.keys(reasons)).toHaveLength(6);
    expect(elapsedMs).toBeLessThan(60_000);
    expect(readdirSync(sandbox.folder)).toEqual([]);
  });

  test("--data keeps the queue and the logs, and says what to try next", async () => {
    const { exitCode, stdout, stderr } = await sandbox.forager(
      ["demo", "--size", "40", "--data", "kept"],
      {},
    );
    expect(exitCode, stderr).toBe(0);
    expect(stdout).toMatch(/^\d+ of \d+ tasks done, 1 dead letter/);
    expect(stdout).toMatch(/exactly once +yes/);
    expect(stderr).toContain("killed with -9");
    const folder = keptFolder();
    expect(stdout).toContain(`forager queue stats --queue sqlite:${join(folder, "queue.db")}`);
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining(["worker-1.jsonl", "worker-2.jsonl", "worker-3.jsonl"]),
    );
    await using queue = await openQueue(`sqlite:${join(folder, "queue.db")}`);
    const { states } = await queue.stats();
    expect(states).toMatchObject({ pending: 0, running: 0, failed: 1 });
    expect(`${states.done} of ${states.done + 1} tasks done`).toBe(stdout.split(",")[0]);
  });

  test("a size that is too small for all of it is refused", async () => {
    const { exitCode, stderr } = await sandbox.forager(["demo", "--size", "12"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "forager: --size takes a number from 40 to 100000, not '12'\n",
    });
  });
});

describe("a demo that ends early", () => {
  test("Ctrl-C: workers give back what they hold and end; the exit code is 130", async () => {
    const { exitCode, stdout } = await runDemo(["--data", "kept"], (demo) => {
      demo.kill("SIGINT");
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    await using queue = await openQueue(`sqlite:${join(keptFolder(), "queue.db")}`);
    const before = await queue.stats();
    expect(before.states.running).toBe(0);
    expect(before.states.pending).toBeGreaterThan(0);
    // A worker that was left behind would go on: there is much that can be claimed.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await queue.stats()).states).toEqual(before.states);
    expect(openers()).toEqual([process.pid]);
  });

  test("Ctrl-C: the temporary folder is removed", async () => {
    const { exitCode } = await runDemo([], (demo) => demo.kill("SIGINT"));
    expect(exitCode).toBe(130);
    expect(readdirSync(sandbox.folder)).toEqual([]);
  });

  test("a worker that ends by itself is reported, and the others are stopped", async () => {
    const { exitCode, stderr } = await runDemo(["--data", "kept"], (demo) => {
      const worker = openers().find((pid) => pid !== demo.pid);
      process.kill(worker!, "SIGKILL");
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/worker-\d ended by itself \(SIGKILL\)/);
    const alive = openers().filter(isAlive);
    expect(alive).toEqual([]);
  });
});

/** Runs the demo; `onStart` is called once its workers are seen at work. */
async function runDemo(
  args: readonly string[],
  onStart: (demo: ReturnType<typeof spawn>) => void,
): Promise<RunResult> {
  const main = await builtCli();
  const demo = spawn(process.execPath, [main, "demo", "--size", "4000", ...args], {
    cwd: sandbox.folder,
    env: { PATH: process.env["PATH"], HOME: sandbox.folder, TMPDIR: sandbox.folder },
  });
  const text = { stdout: "", stderr: "" };
  demo.stdout.setEncoding("utf8").on("data", (chunk: string) => (text.stdout += chunk));
  let isStarted = false;
  demo.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text.stderr += chunk;
    // Shown only when some tasks wait for others that are running.
    if (isStarted || !text.stderr.includes("concurrency_limit")) return;
    isStarted = true;
    onStart(demo);
  });
  const exitCode = await new Promise<number | null>((resolve) => demo.once("close", resolve));
  return { exitCode, ...text };
}

function keptFolder(): string {
  const [name = ""] = readdirSync(join(sandbox.folder, "kept"));
  return join(sandbox.folder, "kept", name);
}

/** The processes that have the kept queue open, as it notes itself. */
function openers(): number[] {
  const db = new Database(join(keptFolder(), "queue.db"), { readonly: true });
  try {
    return db.prepare("select pid from opener order by pid").pluck().all() as number[];
  } finally {
    db.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
