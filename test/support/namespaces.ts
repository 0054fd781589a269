import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runCommand } from "../../scripts/services/command.ts";
import { cardOf } from "./network/frame.ts";
import { netemArgs, whyNoNetem } from "./network/netem.ts";
import { relayAddress, relayPort, tunnelPort, wireAddress } from "./network/relay.ts";
import type { Orders, RelayCounts, Shape } from "./network/relay.ts";

/**
 * A network of machines of a test's own: each node is a network namespace with one card, `lan0`,
 * and all cards hang on one wire that can be made bad or cut. Nothing of it can be seen from this
 * machine's own network, and nothing of that from inside. A file that opens one says
 * `// needs: namespaces` and declares its tests with `needs(["namespaces"], …)`.
 */
export interface Network extends AsyncDisposable {
  readonly nodes: readonly NetworkNode[];
  /** Who makes the trouble that `shape` asks for. */
  readonly troubledBy: "netem" | "relay";
  /** How frames fare from now on, in place of what was said before. */
  shape(shape: Shape): Promise<void>;
  /** Cuts the wire: nodes reach only those of their own group. Who is in none is alone. */
  partition(groups: readonly (readonly number[])[]): Promise<void>;
  heal(): Promise<void>;
  counts(): Promise<RelayCounts>;
}

export interface NetworkNode {
  readonly index: number;
  /** The name of its namespace: `ip netns exec NAMESPACE …`. */
  readonly namespace: string;
  /** `10.77.0.1` for the first one. */
  readonly address: string;
  /** Starts a program on it; the process is the program itself, so `kill` reaches it. */
  spawn(command: string, args: readonly string[], options?: SpawnOptions): ChildProcess;
  /** Runs one to its end and answers what it printed. */
  readonly run: (command: string, args: readonly string[], timeoutMs?: number) => Promise<string>;
}

export interface NetworkOptions {
  readonly nodes: number;
  /** Of losses and delays: the same seed, the same chances. */
  readonly seed?: number;
  readonly shape?: Shape;
  /** The kernel makes the trouble where it can, which no seed repeats; which it was is said aloud. */
  readonly isNetemWanted?: boolean;
}

const prefix = "forager-net-";
const relayProgram = fileURLToPath(new URL("./network/relay.ts", import.meta.url));
let opened = 0;

export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { nodes, seed = 1, shape, isNetemWanted = false } = options;
  await removeLeftovers();
  const name = `${prefix}${process.pid}-${++opened}`;
  const names: string[] = [];
  const add = async (part: string) => {
    names.push(`${name}-${part}`);
    await ip("netns", "add", `${name}-${part}`);
    await ip("-n", `${name}-${part}`, "link", "set", "lo", "up");
    return `${name}-${part}`;
  };
  try {
    const wire = await add("wire");
    const relay = await joinRelay(wire, await add("relay"));
    const made: NetworkNode[] = [];
    for (let index = 0; index < nodes; index++)
      made.push(await joinNode(index, { wire, namespace: await add(String(index)) }));
    const orders = await startRelay(relay, { nodes, seed });
    const isNetem = isNetemWanted && (await tryNetem(made[0]!));
    const setShape = async (next: Shape) => {
      if (!isNetem) await orders.give({ shape: next });
      else for (const { run } of made) await run("tc", netemArgs(next));
    };
    if (shape) await setShape(shape);
    return {
      nodes: made,
      troubledBy: isNetem ? "netem" : "relay",
      shape: setShape,
      partition: async (groups) => void (await orders.give({ groups })),
      heal: async () => void (await orders.give({ groups: [made.map(({ index }) => index)] })),
      counts: () => orders.give({}),
      [Symbol.asyncDispose]: () => removeAll(names),
    };
  } catch (error) {
    await removeAll(names);
    throw error;
  }
}

async function tryNetem({ run }: NetworkNode): Promise<boolean> {
  const why = await whyNoNetem(run);
  const by = why === undefined ? "tc netem" : `the relay, for there is no tc netem (${why})`;
  process.stderr.write(`loss, delay and reordering by ${by}\n`);
  return why === undefined;
}

/** The tunnels end here and the relay there: a tunnel to its own machine is cut short. */
async function joinRelay(wire: string, relay: string): Promise<string> {
  await ip("-n", wire, "link", "add", "up0", "type", "veth", "peer", "name", "up0", "netns", relay);
  for (const [namespace, address] of [
    [wire, wireAddress],
    [relay, relayAddress],
  ] as const) {
    await ip("-n", namespace, "addr", "add", `${address}/24`, "dev", "up0");
    await ip("-n", namespace, "link", "set", "up0", "mtu", "2000", "up");
  }
  return relay;
}

/**
 * A card is one end of a tunnel: what it sends comes out at the relay as datagrams. The other end
 * stays in the namespace where it was made, so a node sees nothing but its card.
 */
async function joinNode(
  index: number,
  { wire, namespace }: { readonly wire: string; readonly namespace: string },
): Promise<NetworkNode> {
  const made = `lan${index}`;
  const address = `10.77.0.${index + 1}`;
  const tunnel = ["type", "vxlan", "id", "7", "local", wireAddress, "nolearning"];
  const port = ["dstport", String(tunnelPort(index))];
  await ip("-n", wire, "link", "add", made, "address", cardOf(index), ...tunnel, ...port);
  await ip("-n", wire, "link", "set", made, "netns", namespace, "name", "lan0");
  const all = ["fdb", "append", "00:00:00:00:00:00", "dev", "lan0", "dst", relayAddress];
  const run: NetworkNode["run"] = (command, args, timeoutMs = 10_000) =>
    runCommand(ipProgram(), ["netns", "exec", namespace, command, ...args], { timeoutMs });
  await run("bridge", [...all, "port", String(relayPort(index))]);
  await ip("-n", namespace, "addr", "add", `${address}/24`, "broadcast", "+", "dev", "lan0");
  await ip("-n", namespace, "link", "set", "lan0", "up");
  await ip("-n", namespace, "route", "add", "default", "dev", "lan0"); // as a machine on a LAN has
  return {
    index,
    namespace,
    address,
    run,
    spawn: (command, args, options = {}) =>
      spawn(ipProgram(), ["netns", "exec", namespace, command, ...args], options),
  };
}

interface RelayOrders {
  give(orders: Orders): Promise<RelayCounts>;
}

async function startRelay(
  namespace: string,
  { nodes, seed }: { readonly nodes: number; readonly seed: number },
): Promise<RelayOrders> {
  const program = [process.execPath, "--import", "tsx", relayProgram, String(nodes), String(seed)];
  const child = spawn(ipProgram(), ["netns", "exec", namespace, ...program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.on("error", () => {}); // a relay that is gone is seen by its silence
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await answers.next();
    if (done) throw new Error("the relay of the network has ended");
    return JSON.parse(value) as RelayCounts;
  };
  await next();
  let last: Promise<unknown> = Promise.resolve();
  return {
    give(orders) {
      const turn = last.then(() => {
        child.stdin.write(`${JSON.stringify(orders)}\n`);
        return next();
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}

/** Ends what runs in them, whoever started it, and removes them. */
async function removeAll(names: readonly string[]): Promise<void> {
  for (const name of names) {
    const running = await ip("netns", "pids", name).catch(() => "");
    for (const pid of running.split("\n").filter(Boolean).map(Number)) await end(pid);
    await ip("netns", "delete", name).catch(() => {}); // its making may have failed
  }
}

async function end(pid: number): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    try {
      process.kill(pid, tries === 0 ? "SIGKILL" : 0);
    } catch {
      return; // gone
    }
    await once(AbortSignal.timeout(20), "abort");
  }
}

/** Of a test process that was killed before it could clean up. */
async function removeLeftovers(): Promise<void> {
  const listed = await ip("netns", "list");
  const left = listed
    .split("\n")
    .map((line) => line.split(" ")[0]!)
    .filter((name) => name.startsWith(prefix) && !isAlive(Number(name.split("-")[2])));
  await removeAll(left);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const ipProgram = () => process.env["FORAGER_TEST_NAMESPACES"] ?? "ip";
const ip = (...args: string[]) => runCommand(ipProgram(), args, { timeoutMs: 10_000 });
