// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ClusterStatus } from "../../src/app/status/cluster-status.ts";
import type { Acknowledgement } from "../../src/cli/commands/fleet/await-followers.ts";
import { builtCli } from "../support/built-cli.ts";
import { allowingForLoad } from "../../src/base/testing/busy-machine.ts";
import { createQueueSandbox, type QueueSandbox } from "../support/queue-sandbox.ts";
import { until } from "../support/until.ts";

const handlers = `
import { setTimeout as wait } from "node:timers/promises";
export const slow = { kind: "slow", run: ({ task, signal }) => wait(task.payload.ms, undefined, { signal }) };
`;

interface Node {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly text: () => string;
}

async function setUp({ hasBucket }: { readonly hasBucket: boolean }) {
  const sandbox = await createQueueSandbox();
  sandbox.write("handlers.mjs", handlers);
  const bucket = hasBucket ? `[bucket]\nurl = "dir:${join(sandbox.folder, "bucket")}"\n` : "";
  sandbox.write("forager.toml", `${bucket}[work]\ngraceMs = 200\n`);
  await sandbox.use((queue) =>
    queue.add(
      Array.from({ length: 4_000 }, (_, at) => ({
        kind: "slow",
        key: `slow-${at}`,
        payload: { ms: 100 },
      })),
    ),
  );
  return sandbox;
}

async function startNode(sandbox: QueueSandbox, data: string): Promise<Node> {
  const main = await builtCli();
  const words = ["work", "--handlers", "handlers.mjs", "--queue", "sqlite:q.db", "--data", data];
  const child = spawn(process.execPath, [main, ...words, "--concurrency", "1"], {
    cwd: sandbox.folder,
    env: { PATH: process.env["PATH"], HOME: sandbox.folder },
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  }
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  await until(
    () => text.includes("worker process started"),
    () => `the node works\n${text}`,
  );
  return { child, ended, text: () => text };
}

interface Reported {
  readonly revision: number;
  readonly nodes: readonly Acknowledgement[];
}

/** `forager fleet set …` on a data folder. */
const setOn =
  (sandbox: QueueSandbox, data: string) =>
  async (line: string, exitCode = 0) => {
    const words = ["fleet", "set", ...line.split(" "), "--data", data, "--json"];
    const result = await sandbox.command(words);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    return JSON.parse(result.stdout) as Reported;
  };

const doneIn = async (sandbox: QueueSandbox) =>
  (await sandbox.use((queue) => queue.stats())).states.done;

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("forager fleet", () => {
  test("B11: by the bucket alone a command reaches real processes in under 15 s, and is acknowledged and audited", async () => {
    const sandbox = await setUp({ hasBucket: true });
    const [a, b] = await Promise.all(["a", "b"].map((data) => startNode(sandbox, data)));
    // From a third machine, which runs nothing.
    const set = setOn(sandbox, "laptop");
    await until(async () => {
      const { stdout } = await sandbox.command(["node", "list", "--data", "laptop", "--json"]);
      return (JSON.parse(stdout) as unknown[]).length === 2;
    }, "both show themselves in the bucket");
    const paused = await set("all pause --source hand:anna");
    expect(paused.revision).toBe(1);
    const present = paused.nodes.filter(({ status }) => status !== "absent");
    expect(present).toHaveLength(2);
    for (const { status, afterMs, what } of present) {
      expect([status, what]).toEqual(["followed", "paused"]);
      expect(afterMs).toBeLessThan(allowingForLoad(15_000));
    }
    await pass(500);
    const before = await doneIn(sandbox);
    await pass(1_000);
    expect(await doneIn(sandbox)).toBe(before);
    for (const node of [a!, b!]) expect(node.child.exitCode).toBeNull();

    const shown = await sandbox.command(["fleet", "show", "--data", "laptop", "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      revision: 1,
      entries: [{ scope: "all", key: "state", value: "paused", by: "hand:anna" }],
    });
    const log = await sandbox.command(["ledger", "log", "--data", "laptop", "--json"]);
    expect(log.stdout).toContain("fleet/all");
    expect(log.stdout).toContain("hand:anna");

    // Both wait for the nodes to look again. B20: log lines from a machine that runs nothing.
    const [one] = present;
    const read = ["logs", one!.node, "-n", "200", "--json", "--data", "laptop"];
    const [lines] = await Promise.all([sandbox.command(read), set("all resume")]);
    expect(lines.exitCode, lines.stderr).toBe(0);
    expect(lines.stdout).toContain('"msg":"applied the desired state"');
    expect(lines.stdout).toContain('"msg":"worker process started"');
    await until(async () => (await doneIn(sandbox)) > before, "work goes on");

    const status = await sandbox.command([
      "status",
      "--cluster",
      "--json",
      "--queue",
      "sqlite:q.db",
      "--data",
      "laptop",
    ]);
    expect(status.exitCode, status.stdout).toBe(0);
    const { nodes, queue, attention, hub } = JSON.parse(status.stdout) as ClusterStatus;
    expect(attention).toEqual([]);
    expect(nodes.map(({ isSelf, isPresent }) => [isSelf, isPresent])).toEqual([
      [true, false],
      [false, true],
      [false, true],
    ]);
    expect(nodes[1]).toMatchObject({ how: "head", drift: { missingHere: 0 } });
    expect(nodes[1]!.beat).toMatchObject({ state: "working", followed: { isApplied: true } });
    expect([hub, queue!.states.failed]).toEqual([null, 0]);

    const ended = Promise.all([a!.ended, b!.ended]);
    for (const { child } of [a!, b!]) child.kill("SIGTERM");
    await ended;
    const gone = await sandbox.command(["logs", one!.node, "--data", "laptop"]);
    expect(gone.stdout).toContain("worker process started");
    expect(gone.stderr).toContain("is offline: its last lines");
  });

  test("A9: on one machine, without a bucket: workers are scaled live, paused and drained within a second or two", async () => {
    const sandbox = await setUp({ hasBucket: false });
    const node = await startNode(sandbox, "a");
    const set = setOn(sandbox, "a");
    // Processes report what they do once a second.
    await until(async () => {
      const words = ["status", "--json", "--queue", "sqlite:q.db", "--data", "a"];
      const { nodes } = JSON.parse((await sandbox.command(words)).stdout) as ClusterStatus;
      return nodes[0]?.beat?.kinds["slow"] !== undefined;
    }, "its kinds are known");
    const refused = await sandbox.command(["fleet", "set", "all", "workers.slwo=2", "--data", "a"]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("no node runs the kind 'slwo', only details, discover");
    const failed = await set("all campaign.austin.proximityKm=20", 3);
    expect(failed.nodes).toMatchObject([{ status: "failed" }]);
    expect(failed.nodes[0]!.what).toContain("there is no campaign austin");
    await set("all campaign.austin.proximityKm=default");

    const { nodes } = await set("all workers.slow=4");
    expect(nodes).toMatchObject([{ status: "followed", what: "working, slow 4" }]);
    expect(nodes[0]!.afterMs).toBeLessThan(allowingForLoad(3_000));
    await until(() => node.text().includes('"worker":"slow-1"'), node.text);
    const pids = /"worker":"slow-1","pid":(\d+)/.exec(node.text());
    await set("all workers.slow=6");
    await until(() => node.text().includes("concurrency changed"), node.text);
    expect(pids).not.toBeNull();
    process.kill(Number(pids![1]), 0); // the same process still

    expect((await set("all pause")).nodes).toMatchObject([
      { status: "followed", what: "paused, slow 6" },
    ]);
    const drained = await set("all drain");
    expect(drained.nodes).toMatchObject([{ status: "followed", what: "drained, slow 6" }]);
    expect(await node.ended, node.text()).toBe(0);

    // One that is to end when nothing is left does not wait for a command that may never come.
    const drain = ["work", "--drain", "--handlers", "handlers.mjs", "--queue", "sqlite:q.db"];
    const held = await sandbox.command([...drain, "--data", "a"]);
    expect(held.exitCode, held.stderr).toBe(3);
    const [, name = ""] = /^node (\S+) is drained and runs no tasks/m.exec(held.stdout) ?? [];
    expect(held.stdout).toContain(`forager --data a --queue sqlite:q.db fleet set ${name} resume`);

    // Started again it stays away from work until it is wanted: it was told so, and remembers.
    const main = await builtCli();
    const words = ["work", "--handlers", "handlers.mjs", "--queue", "sqlite:q.db", "--data", "a"];
    const again = spawn(process.execPath, [main, ...words], {
      cwd: sandbox.folder,
      env: { PATH: process.env["PATH"], HOME: sandbox.folder },
    });
    onTestFinished(() => void again.kill("SIGKILL"));
    const before = await doneIn(sandbox);
    await pass(1_500);
    expect(await doneIn(sandbox)).toBe(before);
    await set("all resume workers.slow=default");
    await until(async () => (await doneIn(sandbox)) > before, "work goes on");
  });
});
