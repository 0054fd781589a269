// inputs: src/** bin/** package.json tsconfig.json tsconfig.build.json
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DemoResult } from "../../src/showcase/demo/run-demo.ts";
import { allowingForLoad } from "../../src/base/testing/busy-machine.ts";
import { builtCli, createSandbox, type RunResult, type Sandbox } from "../support/built-cli.ts";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.remove());

describe("forager demo", () => {
  test("finds every place, visits politely, and finds exactly the expected data", async () => {
    const { exitCode, stdout, stderr } = await sandbox.forager(["demo", "--json"], {
      env: { TMPDIR: sandbox.folder },
    });
    expect(exitCode, stdout + stderr).toBe(0);
    const result = JSON.parse(stdout) as DemoResult;
    const { verdict, visits, contacts, requests, elapsedMs, record } = result;
    expect(verdict).toMatchObject({
      isGood: true,
      targets: { all: 8, witnessed: 8 },
      places: { all: 40, found: 40 },
      forbidden: [],
      failed: 0,
      isEqual: true,
      abandoned: 0,
    });
    const { killed, takeOvers, replicas, cluster = "" } = result;
    const names = ["node-1", "node-2", "node-3"];
    expect(names).toContain(killed?.name);
    expect(takeOvers.length).toBeGreaterThan(0);
    for (const { from, by } of takeOvers) {
      expect(from).toBe(killed?.name);
      expect(names).toContain(by);
    }
    expect(replicas.map(({ name }) => name)).toEqual(names);
    expect(replicas.every(({ wrote }) => wrote > 0)).toBe(true);
    for (const { node, name } of replicas) {
      const line = cluster.split("\n").find((one) => one.includes(node));
      // Seen by gossip, and nothing is missing on either side.
      expect(line).toMatch(name === "node-1" ? /\bself\b/ : /\b(?:static|heard|told)\b.* 0\/0 /);
    }
    expect(verdict.emails.recall).toBeGreaterThanOrEqual(0.95);
    expect(verdict.emails.precision).toBeGreaterThanOrEqual(0.98);
    expect(verdict.politeness).toMatchObject({ hosts: 40, early: [] });
    expect(verdict.politeness.gapMsMin).toBeGreaterThanOrEqual(98);
    expect(verdict.politeness.slowGapMsMin).toBeGreaterThanOrEqual(998);
    // Two are closed to robots, two have a robots.txt that does not answer, two are for sale.
    expect(visits).toEqual({ done: 34, robots: 2, unreachable: 2, parked: 2 });
    expect(contacts.emails).toBeGreaterThan(30);
    expect(requests).toBeGreaterThan(200);
    expect(elapsedMs).toBeLessThan(allowingForLoad(60_000));
    // The node that found the company wrote its name; another one may have found the contacts.
    expect(record?.lines.length).toBeGreaterThan(0);
    expect(readdirSync(sandbox.folder)).toEqual([]);
  });

  test("--data keeps all of it, and what to try next works as it is written", async () => {
    const { exitCode, stdout, stderr } = await sandbox.forager(
      ["demo", "--size", "8", "--data", "kept"],
      {},
    );
    expect(exitCode, stdout + stderr).toBe(0);
    expect(stderr).toMatch(/^visits \[#+\] 8\/8 100%/m);
    expect(stdout).toMatch(/^4 tiles × 2 phrases: 8 of 8 targets searched, 8 of 8 places found/);
    expect(stdout).toContain("Result: PASS");
    expect(stdout).toMatch(/^node-\d was killed \(kill -9 \d+\) after \d+ visits?, while it held/m);
    expect(stdout).toMatch(/^ {2}node-\d took over \d+, the first after \d+\.\d s: /m);
    expect(stdout).toMatch(/^all replicas are equal:$/m);
    expect(stdout).toMatch(/^forager --data kept status --cluster$/m);
    expect(stdout).toMatch(/^wal\/.*\.usv$/m);
    expect(stdout).toMatch(/company\/[0-9a-z]{16}␟name␟"/);
    const folder = keptFolder();
    const csv = readFileSync(join(folder, "companies.csv"), "utf8");
    expect(csv.trim().split("\r\n")).toHaveLength(9);
    expect(stdout).toMatch(/ln -sf \S+bin\/forager \/usr\/local\/bin\/forager/);
    const lines = stdout.split("next:\n")[1]!.split("\n").filter((line) => / --(?:data|queue) /.test(line)); // prettier-ignore
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const line of lines) {
      const [program = "", ...args] = line.trim().split(" ");
      expect(program).toMatch(/\/bin\/forager$/);
      const tried = await sandbox.run(program, args);
      expect([tried.exitCode, tried.stderr.includes("forager:")], line).toEqual([0, false]);
      expect(tried.stdout.trim().split("\n").length, line).toBeGreaterThan(1);
    }
  });

  test("a size that is too small for all of it is refused", async () => {
    const { exitCode, stderr } = await sandbox.forager(["demo", "--size", "4"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: "forager: --size takes a number from 8 to 5000, not '4'\n",
    });
  });
});

describe("a demo that ends early", () => {
  test("Ctrl-C: the nodes end, the temporary folder is removed, the exit code is 130", async () => {
    let nodes: number[] = [];
    const { exitCode, stdout } = await runDemo((demo, folder) => {
      nodes = nodesOf(folder);
      demo.kill("SIGINT");
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: "" });
    expect(nodes).toHaveLength(3);
    expect(nodes.filter(isAlive)).toEqual([]);
    expect(readdirSync(sandbox.folder)).toEqual([]);
  });

  test("a node that ends by itself is reported, and the others are stopped", async () => {
    let nodes: number[] = [];
    const { exitCode, stderr } = await runDemo((_, folder) => {
      nodes = nodesOf(folder);
      process.kill(nodes[0]!, "SIGKILL");
    });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/node-\d ended by itself \(SIGKILL\)/);
    expect(nodes.filter(isAlive)).toEqual([]);
  });
});

/** Runs the demo in a temporary folder of its own; `onStart` is called once all nodes have begun. */
async function runDemo(
  onStart: (demo: ReturnType<typeof spawn>, folder: string) => void,
): Promise<RunResult> {
  const main = await builtCli();
  const demo = spawn(process.execPath, [main, "demo", "--size", "400"], {
    cwd: sandbox.folder,
    env: { PATH: process.env["PATH"], HOME: sandbox.folder, TMPDIR: sandbox.folder },
  });
  const text = { stdout: "", stderr: "" };
  demo.stdout.setEncoding("utf8").on("data", (chunk: string) => (text.stdout += chunk));
  demo.stderr.setEncoding("utf8").on("data", (chunk: string) => (text.stderr += chunk));
  const ended = new Promise<number | null>((resolve) => demo.once("close", resolve));
  const folder = () => {
    const [name] = readdirSync(sandbox.folder).filter((one) => one.startsWith("forager-demo-"));
    return name && join(sandbox.folder, name);
  };
  const wal = (name: string) => existsSync(join(folder() ?? "", name, "wal"));
  const hasNodes = () => ["node-1", "node-2", "node-3"].every(wal);
  await expect.poll(hasNodes, { interval: 50 }).toBe(true);
  onStart(demo, folder()!);
  return { exitCode: await ended, ...text };
}

function keptFolder(): string {
  const [name = ""] = readdirSync(join(sandbox.folder, "kept"));
  return join(sandbox.folder, "kept", name);
}

/** The processes that were started with a data folder in this one. */
function nodesOf(folder: string): number[] {
  const isNode = (pid: string) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return line.includes("demo-node.js") && line.includes(folder);
    } catch {
      return false; // it has just ended
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isNode(name))
    .map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
