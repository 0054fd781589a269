import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { AppError } from "../../base/app-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import { createSeededRandom, type Random } from "../../base/random.ts";
import { createGossip } from "../gossip.ts";
import { subkeyOf } from "../keyring.ts";
import { limits } from "../limits.ts";
import type { Transport } from "../transport.ts";
import { createWriter } from "../wire/bytes.ts";
import { writeItem, type Item } from "../wire/items.ts";
import { clusterHash, sealPacket } from "../wire/packet.ts";
import { createMemoryReplica } from "./memory-replica.ts";
import { createTestFleet, testKey, textOf } from "./test-fleet.ts";

export interface Fuzzed {
  readonly packets: number;
  /** How many records were stored. */
  readonly stored: number;
  /** Names of limits that were exceeded. */
  readonly exceeded: readonly string[];
  readonly heapGrowthMb: number;
  readonly droppedByReason: Readonly<Record<string, number>>;
  /** It still works: what an honest peer wrote afterwards arrived. */
  readonly isWell: boolean;
}

const strange = [
  "../../etc/passwd",
  "..",
  "a/../..",
  "/",
  "a/",
  "/b",
  "a/b/c",
  "A/B",
  "%2e/x",
  "a\0/b",
];

/**
 * Sends one node whatever an attacker might send: without the key, and as a malicious peer with the
 * key.
 */
export async function fuzzGossip(seed: number, count: number): Promise<Fuzzed> {
  const random = createSeededRandom(seed);
  await using fleet = createTestFleet({ seed });
  // Deliver directly: a network in between would only take time.
  let deliver = (_from: string, _packet: Uint8Array) => {};
  const victim = fleet.open("victim", { heard: (listener) => (deliver = listener) });
  const honest = fleet.open("honest");
  const recorded: Uint8Array[] = [];
  fleet.network.watch((_from, to, packet) => {
    if (recorded.length < 500 && to === victim.address) recorded.push(Uint8Array.from(packet));
  });
  const bad = openBad(fleet.network.join("10.6.6.6:666").transport, fleet.clock);
  await fleet.meetAll();
  bad.gossip.meet("static", [{ address: victim.address }]);
  honest.write("one", "two");
  honest.gossip.publish("wake", Buffer.from("up"));
  await fleet.advance(3_000);
  const before = victim.replica.stored.length;
  // As the ledger does: refuse what is not a record of that origin.
  victim.replica.refuse = ({ records }) => {
    if (records.every((record) => textOf(record) === "three")) return;
    throw new AppError("corrupt", "fuzz", "that is no record");
  };

  const exceeded = new Set<string>();
  const heap = heapMb();
  for (let at = 0; at < count; at++) {
    deliver(`10.6.7.${1 + random.below(8)}:666`, nextPacket(random, recorded, bad));
    if (at % 500 === 499) {
      await fleet.advance(5);
      const { waitingBytes, waitingRecords, wanted, contacts } = victim.gossip.counters();
      if (waitingBytes > limits.waitingBytesMax) exceeded.add("waitingBytes");
      if (waitingRecords > limits.waitingRecordsMax) exceeded.add("waitingRecords");
      if (wanted > limits.fetchesMax) exceeded.add("wanted");
      if (contacts > limits.peerAddressesMax) exceeded.add("contacts");
      if (victim.gossip.peers().length > 2) exceeded.add("peers");
    }
  }
  await fleet.advance(1_000);
  const heapGrowthMb = heapMb() - heap;
  const stored = victim.replica.stored.length - before;
  honest.write("three");
  // An origin that a malicious holder of the key has spoilt is muted for a while.
  await fleet.advance(limits.mutedMsMax + 5_000);
  const isWell = victim.replica.records(honest.origin).length === 3;
  const { droppedByReason } = victim.gossip.counters();
  const closing = bad.gossip[Symbol.asyncDispose]();
  await fleet.advance(0);
  await closing;
  return { packets: count, stored, exceeded: [...exceeded], heapGrowthMb, droppedByReason, isWell };
}

/** An admitted peer whose packets we can make. */
function openBad(transport: Transport, clock: Parameters<typeof createGossip>[0]["clock"]) {
  const gossip = createGossip({
    replica: createMemoryReplica(),
    transport,
    keyring: { keys: [testKey(1)] },
    cluster: "test",
    node: "bad",
    clock,
    random: createSeededRandom(666),
    log: silentLogger,
  });
  let counter = 1_000_000;
  const cluster = clusterHash("test");
  const subkey = subkeyOf(testKey(1), "bad", gossip.session);
  const seal = (body: Uint8Array) =>
    sealPacket({ cluster, node: "bad", session: gossip.session, counter: ++counter, subkey, body });
  return { gossip, seal };
}

function nextPacket(
  random: Random,
  recorded: readonly Uint8Array[],
  bad: ReturnType<typeof openBad>,
): Uint8Array {
  const real = () => recorded[random.below(recorded.length)]!;
  switch (random.below(8)) {
    case 0:
      return random.bytes(random.below(1_400));
    case 1:
      return real();
    case 2:
      return mutate(random, real());
    case 3:
      return real().subarray(0, random.below(200));
    case 4: // a valid header, then random bytes
      return Buffer.concat([real().subarray(0, 40), random.bytes(random.below(1_150))]);
    case 5:
      return bad.seal(random.bytes(random.below(1_100)));
    case 6:
      return bad.seal(mutate(random, bodyOf(anyItem(random))).subarray(0, 1_100));
    default:
      return bad.seal(bodyOf(anyItem(random)).subarray(0, 1_100));
  }
}

function mutate(random: Random, bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  if (changed.length === 0) return changed;
  for (let count = 1 + random.below(4); count > 0; count--) {
    changed[random.below(changed.length)] = random.below(256);
  }
  return changed;
}

function bodyOf(item: Item): Uint8Array {
  const writer = createWriter();
  writeItem(writer, item);
  return writer.done();
}

function anyItem(random: Random): Item {
  const number = () => [0, 1, 2, 1_000, 2 ** 32, Number.MAX_SAFE_INTEGER][random.below(6)]!;
  const origin = () => {
    const kind = random.below(4);
    if (kind === 0) return strange[random.below(strange.length)]!;
    return kind === 1 ? "honest/1" : `x${random.below(100_000)}/y`;
  };
  const range = () => {
    const records = Array.from({ length: random.below(5) }, () => random.bytes(random.below(200)));
    return { origin: origin(), from: number(), records };
  };
  const entries = () =>
    Array.from({ length: random.below(20) }, () => ({ origin: origin(), number: number() }));
  const span = () => ({ origin: origin(), from: number(), to: number() });
  const token = () => random.bytes(16);
  const port = () => random.below(65_536);
  const address = () => `10.9.${random.below(256)}.${random.below(256)}:9`;
  const items: readonly (() => Item)[] = [
    () => ({ kind: "push", hops: random.below(256), range: range() }),
    () => ({ kind: "answer", range: range() }),
    () => ({ kind: "have", entries: entries() }),
    () => ({ kind: "chunk", after: origin(), through: origin(), entries: entries() }),
    () => ({ kind: "ask", ...span() }),
    () => ({ kind: "ended", origin: origin(), why: "behind", next: number() }),
    () => ({ kind: "ended", origin: "honest/1", why: "large", next: number() }),
    () => ({ kind: "summary", hash: random.bytes(8), sentMs: number(), pullPort: port() }),
    () => ({ kind: "echo", hash: random.bytes(8), sentMs: number(), pullPort: port() }),
    () => ({ kind: "message", topic: random.below(256), number: number(), bytes: token() }),
    () => ({ kind: "peers", addresses: Array.from({ length: 8 }, address) }),
    () => ({ kind: "challenge", token: token() }),
    () => ({ kind: "proof", token: token() }),
    () => ({ kind: "pull", token: token(), ...span() }),
    () => ({ kind: "pulled", token: token(), range: range() }),
  ];
  return items[random.below(items.length)]!();
}

/** After a garbage collection, so only what is really held counts. */
function heapMb(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
