// needs: namespaces
// inputs: src/** test/support/**
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemRandom } from "../../src/base/random.ts";
import { makeKey } from "../../src/gossip/index.ts";
import type { FleetNodeSettings, FleetNodeView } from "../support/fleet-node.ts";
import { openNetwork, type Network, type NetworkNode } from "../support/namespaces.ts";
import { needs } from "../support/services.ts";

let folder = "";
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "forager-fleet-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const program = fileURLToPath(new URL("../support/fleet-node.ts", import.meta.url));
const nodeCount = 5;
const five = { nodes: nodeCount, isNetemWanted: true };
/** As a bad mobile network. */
const bad = { lossShare: 0.1, delayMs: 50, jitterMs: 30, reorderShare: 0.1 };

interface Running {
  ask(order: string): Promise<FleetNodeView>;
  kill(): Promise<void>;
}

async function start(at: NetworkNode, settings: FleetNodeSettings): Promise<Running> {
  const name = `n${at.index}`;
  const args = ["--import", "tsx", program, join(folder, name), name, JSON.stringify(settings)];
  const child = at.spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const answers = createInterface({ input: child.stdout as Readable })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await answers.next();
    if (done) throw new Error(`${name} has ended`);
    return JSON.parse(value) as FleetNodeView;
  };
  await next();
  return {
    ask(order) {
      child.stdin!.write(`${order}\n`);
      return next();
    },
    async kill() {
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}

const startAll = (network: Network, settings: FleetNodeSettings) =>
  Promise.all(network.nodes.map((node) => start(node, settings)));
const askAll = (nodes: readonly Running[], order: string) =>
  Promise.all(nodes.map((node) => node.ask(order)));

/** Two datagrams for each commit, and one in which each node says how it makes ids. */
async function expectConverged(nodes: readonly Running[], commits: number, timeoutMs: number) {
  await expect
    .poll(async () => (await askAll(nodes, "look")).map(({ datagrams }) => datagrams), {
      timeout: timeoutMs,
      interval: 200,
    })
    .toEqual(nodes.map(() => 2 * commits + nodeCount));
  const digests = (await askAll(nodes, "look")).map(({ digest }) => digest);
  expect(new Set(digests).size).toBe(1);
}

needs(["namespaces"], () => {
  test("five nodes on a bad network, parted and killed, have the same by gossip alone", async () => {
    await using network = await openNetwork({ ...five, seed: 11, shape: bad });
    const peers = network.nodes.map(({ address }) => `${address}:9999`);
    const settings = { key: makeKey(systemRandom), isGossip: true, peers };
    const nodes = await startAll(network, settings);
    await askAll(nodes, "write 20");
    await expectConverged(nodes, 100, 50_000);
    expect((await nodes[0]!.ask("look")).peers).toBe(nodeCount - 1);

    await network.partition([
      [0, 1],
      [2, 3, 4],
    ]);
    await askAll(nodes, "write 10");
    const apart = await askAll(nodes, "look");
    expect(Math.max(...apart.map(({ datagrams }) => datagrams))).toBeLessThan(300);
    // What it has acknowledged is on its disk, though nobody may have heard of it.
    await nodes[4]!.kill();
    await network.heal();
    nodes[4] = await start(network.nodes[4]!, settings);
    await nodes[4]!.ask("write 5");
    await expectConverged(nodes, 155, 40_000);
  });

  test("five nodes, one of them killed, have the same by the bucket alone", async () => {
    await using network = await openNetwork({ ...five, seed: 12, shape: bad });
    await network.partition([]); // no node reaches any other
    const bucket = `dir:${join(folder, "bucket")}`;
    const settings = { key: makeKey(systemRandom), isGossip: false, peers: [], bucket };
    const nodes = await startAll(network, settings);
    await askAll(nodes, "write 10");
    await nodes[4]!.kill();
    nodes[4] = await start(network.nodes[4]!, settings);
    await nodes[4]!.ask("write 5");
    await expectConverged(nodes, 55, 50_000);
  });
});
