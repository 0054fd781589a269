// inputs: src/** package.json tsconfig.json tsconfig.build.json
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ClusterStatus } from "../../src/app/status/cluster-status.ts";
import type { Acknowledgement } from "../../src/cli/commands/fleet/await-followers.ts";
import type { RunResult } from "../support/built-cli.ts";
import { freeUdpPort } from "../support/free-udp-port.ts";
import { createQueueSandbox } from "../support/queue-sandbox.ts";

const handlers = `
import { setTimeout as wait } from "node:timers/promises";
export const slow = { kind: "slow", run: ({ signal }) => wait(100, undefined, { signal }) };
`;

async function setUp() {
  const sandbox = await createQueueSandbox();
  sandbox.write("handlers.mjs", handlers);
  const url = `dir:${join(sandbox.folder, "bucket")}`;
  sandbox.write("forager.toml", `[bucket]\nurl = "${url}"\n[work]\ngraceMs = 200\n`);
  const words = ["--queue", "sqlite:q.db", "--data"];
  await sandbox.use((queue) =>
    queue.add(Array.from({ length: 4_000 }, (_, at) => ({ kind: "slow", key: `slow-${at}` }))),
  );
  /** The first node that one sees from a folder: that of the folder, or the only other one. */
  const see = async (data: string) => {
    const { stdout } = await sandbox.command(["status", "--cluster", "--json", ...words, data]);
    const { nodes } = JSON.parse(stdout) as ClusterStatus;
    const node = nodes.find(({ isSelf }) => isSelf === (data === "a"));
    return [node?.isPresent, node?.beat?.state, node?.beat?.kinds["slow"]?.[0]];
  };
  return {
    folder: sandbox.folder,
    /** Runs until it is told to stop. */
    start(args: readonly string[], data: string) {
      let kill: (signal: NodeJS.Signals) => void = () => {};
      const ended = sandbox.forager([...args, ...words, data], {
        onStart: (end) => void (kill = end),
      });
      onTestFinished(async () => {
        kill("SIGKILL");
        await ended;
      });
      const stop = (): Promise<RunResult> => (kill("SIGTERM"), ended);
      return { ended, stop };
    },
    see,
    /** Without the number of tasks at a time: the bucket knows it up to a minute later. */
    seeState: async (data: string) => (await see(data)).slice(0, 2),
    async set(what: string, data: string) {
      const args = ["fleet", "set", "all", what, "--json", ...words, data];
      const { stdout, stderr } = await sandbox.command(args);
      expect(stderr).toBe("");
      const { nodes } = JSON.parse(stdout) as { readonly nodes: readonly Acknowledgement[] };
      return nodes.map(({ status, what: done }) => [status, done]);
    },
  };
}

const work = ["work", "--handlers", "handlers.mjs", "--concurrency", "2"];

test("several processes of one data folder are one node, whichever began last and whichever ends first", async () => {
  const at = await setUp();
  const first = at.start(work, "a");
  await expect.poll(() => at.see("a")).toEqual([true, "working", 2]);
  const touching = at.start(["node", "run"], "a");
  const second = at.start(work, "a");
  await expect.poll(() => at.see("a")).toEqual([true, "working", 4]);
  expect(await at.set("pause", "a")).toEqual([["followed", "paused"]]);
  await expect.poll(() => at.see("a")).toEqual([true, "paused", 0]);
  // By the bucket alone, from a machine that runs nothing.
  await expect.poll(() => at.seeState("laptop")).toEqual([true, "paused"]);
  await at.set("resume", "a");
  await expect.poll(() => at.see("a")).toEqual([true, "working", 4]);

  // The one that spoke for the node leaves, and another one takes over.
  expect((await first.stop()).exitCode).toBe(0);
  await expect.poll(() => at.seeState("laptop")).toEqual([true, "working"]);
  await second.stop();
  await expect.poll(() => at.seeState("laptop")).toEqual([true, "idle"]);
  await expect.poll(() => at.see("a")).toEqual([true, "idle", undefined]);
  expect((await touching.stop()).exitCode).toBe(0);
  expect(await at.seeState("laptop")).toEqual([false, "stopped"]);
});

test("a data folder that is deleted under them ends `work` and `node run`, and they say why", async () => {
  const at = await setUp();
  const working = at.start(work, "a");
  const touching = at.start(["node", "run"], "b");
  await expect.poll(() => at.see("a")).toEqual([true, "working", 2]);
  await expect.poll(() => existsSync(join(at.folder, "b", "ledger", "node.json"))).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  for (const data of ["a", "b"]) rmSync(join(at.folder, data), { recursive: true, force: true });
  for (const { exitCode, stderr } of await Promise.all([working.ended, touching.ended])) {
    expect(exitCode, stderr).toBe(1);
    expect(stderr.trim().split("\n").at(-1)).toMatch(
      /^forager: the data folder \S+ is not the one that this process started with: .* start again/,
    );
  }
});

test("keys change without a break under `node run`: each step is followed while it runs", async () => {
  const sandbox = await createQueueSandbox();
  const key = async () => (await sandbox.command(["node", "key"])).stdout.trim();
  const [old, next] = [await key(), await key()];
  const port = await freeUdpPort();
  const setKeys = (keys: readonly string[]) => sandbox.write("key", `${keys.join("\n")}\n`);
  const hangUps: (() => void)[] = [];
  /** All know of the first one. */
  const start = (name: string) => {
    const keys = `keys = { file = "${join(sandbox.folder, "key")}" }`;
    const own = name === "a" ? `port = ${port}` : `port = 0\npeers = "127.0.0.1:${port}"`;
    const gossip = `[gossip]\nhost = "127.0.0.1"\n${keys}\n${own}\n`;
    sandbox.write(`${name}.toml`, `data = "${name}"\n${gossip}`);
    const ended = sandbox.forager(["node", "run", "--config", `${name}.toml`], {
      onStart(kill) {
        hangUps.push(() => kill("SIGHUP"));
        onTestFinished(async () => {
          kill("SIGKILL");
          await ended;
        });
      },
    });
  };
  const share = async (value: string, to: string) => {
    const at = ["--config", "a.toml"];
    const set = await sandbox.command(["ledger", "set", "company/x", `name=${value}`, ...at]);
    expect(set.exitCode, set.stderr).toBe(0);
    const show = () => sandbox.command(["ledger", "show", "company/x", "--config", `${to}.toml`]);
    await expect.poll(async () => (await show()).stdout).toContain(value);
  };
  setKeys([old]);
  for (const name of ["a", "b"]) start(name);
  await share("Acme 0", "b");
  const steps = [[old, next], [next, old], [next]];
  for (const [at, keys] of steps.entries()) {
    setKeys(keys);
    for (const hangUp of hangUps) hangUp();
    await share(`Acme ${at + 1}`, "b");
  }
  start("c"); // which never had the old one
  await share("Acme 4", "c");
});
