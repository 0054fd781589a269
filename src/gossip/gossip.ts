import { AppError } from "../base/app-error.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import { parseAddress } from "./address.ts";
import { createAnswers } from "./answers.ts";
import { createPeerTable } from "./peer-table.ts";
import { createConversation } from "./conversation.ts";
import { createCounting, type GossipCounters } from "./counters.ts";
import { createHandshake } from "./handshake.ts";
import { createInbox } from "./inbox.ts";
import type { Keyring } from "./keyring.ts";
import { limits } from "./limits.ts";
import { createPeers, type How, type Peer } from "./peers.ts";
import { packItems } from "./packing.ts";
import { createPulls } from "./pulls.ts";
import { createPushes } from "./pushes.ts";
import { isName, type GossipReplica } from "./replica.ts";
import { createTopics, type TopicListener, type Topic } from "./topics.ts";
import { createSealer } from "./sealer.ts";
import { packetBytesMax, type PullTransport, type Transport } from "./transport.ts";
import type { Item } from "./wire/items.ts";
import { createFetchScheduler, type FetchScheduler } from "./fetch-scheduler.ts";

/**
 * Spreads what each node writes to all others, usually at once, and repairs any losses by itself.
 * Invariants:
 * - nothing is used that does not come from a session that has a key and has proved that it
 *   receives our packets;
 * - every packet has at most 1,200 bytes; larger records are requested over a connection;
 * - everything that is waited for, stored or answered has limits, whatever arrives;
 * - only monotonic time is used, so a node with a wrong clock works like any other.
 */
export interface Gossip extends AsyncDisposable {
  /** The session of this instance of gossip. It is not a session of the ledger. */
  readonly session: string;
  /** The address that it is bound to. */
  address(): string;
  /**
   * Adds or refreshes addresses where peers may be; a static one has no node id until its first
   * packet.
   */
  meet(how: "mdns" | "static" | "bucket", found: readonly FoundPeer[]): void;
  peers(): readonly PeerView[];
  /**
   * Sends a message to all known peers, best effort: each gets it at most once, and never after a
   * newer one of the same sender and topic. Throws `invalid` for more than 1,000 bytes.
   */
  publish(topic: Topic, bytes: Uint8Array): void;
  /** Returns a function that unsubscribes. */
  subscribe(topic: Topic, listener: TopicListener): () => void;
  counters(): GossipCounters;
  /** Replaces the keys. Throws `invalid` for keys that cannot be used. */
  useKeys(keyring: Keyring): void;
}

export interface FoundPeer {
  readonly node?: string;
  /** "host:port", numeric; "[::1]:port" for IPv6. */
  readonly address: string;
}

export interface PeerView {
  readonly node: string;
  readonly session: string;
  readonly address: string;
  /** "told": advertised by another peer; "heard": it sent the first packet. */
  readonly how: How;
  /** By this node's wall clock. */
  readonly lastHeardMs: number;
  readonly rttMs: number | undefined;
  /** What it has according to its messages: exact after each answer to its digest. */
  readonly vector: ReadonlyMap<string, number>;
}

export interface GossipOptions {
  readonly replica: GossipReplica;
  /** Disposed of with this gossip, like `pull`. */
  readonly transport: Transport;
  /** Without it, records that do not fit into a packet come by the bucket. */
  readonly pull?: PullTransport;
  readonly keyring: Keyring;
  /** A name; packets of other clusters are ignored. */
  readonly cluster: string;
  readonly node: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export function createGossip(options: GossipOptions): Gossip {
  const { replica, transport, pull, keyring, cluster, node, clock, random, log } = options;
  if (!isName(node)) throw new AppError("invalid", "gossip_node", `'${node}' is not a node id`);
  const counting = createCounting();
  const peers = createPeers({ clock, random, counting });
  const peerTable = createPeerTable({ clock });
  const sealer = createSealer({
    node,
    cluster,
    keyring,
    random,
    peerOf: (...id) => peers.of(...id),
  });
  const room = sealer.bodyBytesMax(packetBytesMax);
  let isOver = false;

  const sendTo = (addresses: readonly string[], items: readonly Item[]) => {
    if (isOver || addresses.length === 0) return;
    for (const body of packItems(items, room)) {
      const packet = sealer.seal(body);
      for (const address of addresses) {
        counting.add("packetsOut");
        counting.add("bytesOut", packet.length);
        transport.send(address, packet);
      }
    }
  };
  const send = (peer: Peer, items: readonly Item[]) => sendTo([peer.address], items);
  const broadcast = (to: readonly Peer[], items: readonly Item[]) =>
    sendTo(
      to.map(({ address }) => address),
      items,
    );

  let fetches: FetchScheduler | undefined;
  const changed = (origin: string) => fetches?.changed(origin);
  const inbox = createInbox({ replica, clock, log, counting, changed });
  const handshake = createHandshake({
    sealer,
    peers,
    peerTable,
    clock,
    random,
    counting,
    sendTo: (address, items) => sendTo([address], items),
  });
  const pulls = createPulls({
    transport: pull,
    replica,
    sealer,
    clock,
    random,
    counting,
    log,
    open: (bytes) => handshake.openOfPeer(bytes),
    take: (range) => inbox.take(range).reduce((sum, { records }) => sum + records.length, 0),
  });
  fetches = createFetchScheduler({
    replica,
    inbox,
    peers,
    clock,
    random,
    counting,
    send,
    pull: (peer, span, ended) => pulls.start(peer, span, ended),
  });
  const pushes = createPushes({ peers, clock, counting, room, broadcast });
  const topics = createTopics({
    clock,
    broadcast: (items) => broadcast(peers.all(), items),
    failed: (topic, error) => log.error("a listener failed", { topic, reason: String(error) }),
  });
  const conversation = createConversation({
    replica,
    peers,
    peerTable,
    clock,
    random,
    counting,
    room,
    pullPort: pull ? (parseAddress(pull.address())?.port ?? 0) : 0,
    ownAddress: transport.address(),
    inbox,
    fetches,
    pushes,
    topics,
    answers: createAnswers({ replica, counting, log, room, send }),
    send,
    prove: (address, token) => handshake.prove(address, token),
  });

  transport.listen((from, packet) => {
    if (isOver) return;
    counting.add("packetsIn");
    counting.add("bytesIn", packet.length);
    if (packet.length > packetBytesMax) return counting.drop("oversize");
    const entered = handshake.enter(from, packet);
    if (!entered) return;
    if (entered.isNew) conversation.begin(entered.peer);
    conversation.take(entered.peer, entered.items);
  });
  const unfollow = replica.follow((range) => pushes.own(range));

  let timer: Timer | undefined;
  const tick = () => {
    peers.forgetQuiet();
    peerTable.forgetOld();
    inbox.tidy();
    handshake.greet();
    conversation.sendSummary();
    arm(limits.tickMs * (0.9 + random.next() * 0.2));
  };
  const arm = (delayMs: number) => {
    if (!isOver) timer = clock.setTimer(delayMs, tick, { background: true });
  };
  arm(random.next() * limits.tickMs);

  return {
    session: sealer.session,
    address: () => transport.address(),
    meet(how, found) {
      for (const { address, node: itsNode } of found) {
        const isUsable = parseAddress(address) !== undefined && address !== transport.address();
        if (!isUsable || itsNode === node) continue;
        peerTable.meet(how, address, itsNode);
      }
      handshake.greet();
    },
    peers: () => peers.all().map((peer) => viewOf(peer, clock)),
    publish: (topic, bytes) => topics.publish(topic, bytes),
    subscribe: (topic, listener) => topics.subscribe(topic, listener),
    counters() {
      const { records, bytes } = inbox.waiting();
      return counting.read({
        sendErrors: transport.failed(),
        waitingRecords: records,
        waitingBytes: bytes,
        wanted: fetches?.size() ?? 0,
        contacts: peerTable.size(),
      });
    },
    useKeys(next) {
      sealer.useKeys(next);
      for (const peer of peers.all()) peer.subkey = undefined;
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      unfollow();
      timer?.cancel();
      fetches?.stop();
      pushes.stop();
      topics.stop();
      await pull?.[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
      await inbox.idle();
    },
  };
}

const viewOf = (peer: Peer, clock: Clock): PeerView => ({
  node: peer.node,
  session: peer.session,
  address: peer.address,
  how: peer.how,
  lastHeardMs: Math.floor(clock.nowMs() - (clock.monotonicMs() - peer.heardMs)),
  rttMs: peer.rttMs,
  vector: new Map(peer.advertised),
});
