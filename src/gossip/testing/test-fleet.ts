import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom } from "../../base/random.ts";
import { createTestClock, type TestClock } from "../../base/testing/test-clock.ts";
import { createMemoryNetwork, type MemoryNetwork } from "./memory-network.ts";
import { createGossip, type Gossip } from "../gossip.ts";
import type { Keyring } from "../keyring.ts";
import { createMemoryReplica, type MemoryReplica } from "./memory-replica.ts";

export interface TestNode {
  readonly name: string;
  readonly address: string;
  /** `name/1`, the origin of what it writes. */
  readonly origin: string;
  readonly replica: MemoryReplica;
  readonly gossip: Gossip;
  write(...texts: readonly string[]): void;
}

export interface TestFleet extends AsyncDisposable {
  readonly clock: TestClock;
  readonly network: MemoryNetwork;
  /** Opens one more node, at its own address unless `more` has one. */
  open(name: string, more?: Partial<OpenOptions>): TestNode;
  /** Every node meets every other one, and time passes until all have. */
  meetAll(): Promise<void>;
  advance(ms: number): Promise<void>;
  readonly nodes: readonly TestNode[];
}

export interface OpenOptions {
  readonly address: string;
  readonly keyring: Keyring;
  readonly cluster: string;
  readonly replica: MemoryReplica;
  readonly isPullable: boolean;
  /** Receives the node's packet listener, so that a test can deliver packets directly. */
  readonly heard: (listener: (from: string, packet: Uint8Array) => void) => void;
}

export const testKey = (fill: number): Uint8Array =>
  Uint8Array.from({ length: 32 }, (_, at) => fill + at);

export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Gossip on a network in memory, in virtual time, from a seed. */
export function createTestFleet({ seed = 1, keyring = { keys: [testKey(1)] } } = {}): TestFleet {
  const clock = createTestClock();
  const random = createSeededRandom(seed);
  const network = createMemoryNetwork({ clock, random });
  const nodes: TestNode[] = [];
  return {
    clock,
    network,
    nodes,
    open(name, more = {}) {
      const address = more.address ?? `10.0.0.${nodes.length + 1}:9999`;
      const replica = more.replica ?? createMemoryReplica();
      const { transport, pull } = network.join(address);
      const gossip = createGossip({
        replica,
        transport: more.heard
          ? {
              ...transport,
              listen(listener) {
                more.heard!(listener);
                transport.listen(listener);
              },
            }
          : transport,
        ...((more.isPullable ?? true) && { pull }),
        keyring: more.keyring ?? keyring,
        cluster: more.cluster ?? "test",
        node: name,
        clock,
        random: createSeededRandom(seed * 1_000 + nodes.length),
        log: silentLogger,
      });
      const origin = `${name}/1`;
      const write = (...texts: readonly string[]) =>
        replica.write(origin, ...texts.map((text) => Buffer.from(text)));
      const node: TestNode = { name, address, origin, replica, gossip, write };
      nodes.push(node);
      return node;
    },
    async meetAll() {
      for (const { gossip, name } of nodes) {
        gossip.meet(
          "static",
          nodes.filter((other) => other.name !== name).map(({ address }) => ({ address })),
        );
      }
      await clock.advance(100 + 4 * network.conditions.delayMs.max);
    },
    advance: (ms) => clock.advance(ms),
    async [Symbol.asyncDispose]() {
      const closing = nodes.map(({ gossip }) => gossip[Symbol.asyncDispose]());
      await clock.advance(0);
      await Promise.all(closing);
    },
  };
}
