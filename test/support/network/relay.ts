/**
 * The wire of a network of namespaces: `relay.ts NODES SEED`. Each frame that a node sends arrives
 * here, and goes on to those it is for: late, twice, out of order or not at all, as it was told.
 * (`tc netem` would do the same, and does where a test wants it, see `netem.ts`; but many kernels are
 * built without it, and no run of it can be repeated.) It takes orders as lines of JSON on standard input, answers each with a line, and
 * ends when that closes.
 */
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createSeededRandom } from "../../../src/base/random.ts";
import { receiverOf, writeChecksum } from "./frame.ts";

/** How a frame fares. Shares are between 0 and 1. */
export interface Shape {
  readonly lossShare?: number;
  readonly delayMs?: number;
  /** Up to so much is added to the delay, anew for each frame: it changes their order too. */
  readonly jitterMs?: number;
  /** So many overtake those before them: they wait for nothing. */
  readonly reorderShare?: number;
  readonly twiceShare?: number;
}

export interface Orders {
  readonly shape?: Shape;
  /** Frames pass only between nodes that are together in one of them; absent: between all. */
  readonly groups?: readonly (readonly number[])[];
}

export interface RelayCounts {
  readonly frames: number;
  readonly lost: number;
}

/** Where a node's tunnel ends here, and where it begins there. */
export const relayPort = (node: number): number => 5_000 + node;
export const tunnelPort = (node: number): number => 6_000 + node;
export const wireAddress = "10.253.0.1";
export const relayAddress = "10.253.0.2";

if (process.argv[1]?.endsWith("relay.ts")) await main(process.argv.slice(2).map(Number));

async function main([nodes = 0, seed = 0]: readonly number[]): Promise<void> {
  const random = createSeededRandom(seed);
  const counts = { frames: 0, lost: 0 };
  let orders: Orders = {};
  const sockets: Socket[] = [];

  const passes = (from: number, to: number) =>
    orders.groups?.some((group) => group.includes(from) && group.includes(to)) ?? true;
  const chance = (share = 0) => share > 0 && random.next() < share;
  const send = (to: number, packet: Buffer) =>
    sockets[to]!.send(packet, tunnelPort(to), wireAddress);

  const forward = (from: number, to: number, packet: Buffer) => {
    const { lossShare, delayMs = 0, jitterMs = 0, reorderShare, twiceShare } = orders.shape ?? {};
    counts.frames++;
    if (!passes(from, to) || chance(lossShare)) return void counts.lost++;
    for (let copy = chance(twiceShare) ? 2 : 1; copy > 0; copy--) {
      const waitMs = chance(reorderShare) ? 0 : delayMs + random.next() * jitterMs;
      if (waitMs === 0) send(to, packet);
      else setTimeout(send, waitMs, to, packet);
    }
  };

  for (let node = 0; node < nodes; node++) {
    const socket = createSocket({ type: "udp4", recvBufferSize: 4 * 2 ** 20 });
    socket.on("message", (packet) => {
      writeChecksum(packet);
      const only = receiverOf(packet);
      for (let to = 0; to < nodes; to++)
        if (to !== node && (only === undefined || only === to)) forward(node, to, packet);
    });
    socket.on("error", () => {}); // what does not arrive is lost, as on any wire
    socket.bind(relayPort(node), relayAddress);
    await once(socket, "listening");
    sockets.push(socket);
  }

  const answer = () => void process.stdout.write(`${JSON.stringify(counts)}\n`);
  answer();
  for await (const line of createInterface({ input: process.stdin })) {
    orders = { ...orders, ...(JSON.parse(line) as Orders) };
    answer();
  }
  process.exit();
}
