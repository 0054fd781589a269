import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { isLoopback, parseAddress } from "./address.ts";
import type { Answers } from "./answers.ts";
import type { PeerTable } from "./peer-table.ts";
import type { Counting } from "./counters.ts";
import { aheadOf, chunksOf, hashOf } from "./digest.ts";
import type { Inbox } from "./inbox.ts";
import { limits } from "./limits.ts";
import { fitEntries } from "./packing.ts";
import type { Peer, Peers } from "./peers.ts";
import type { Pushes } from "./pushes.ts";
import { lastOf, type Range, type GossipReplica } from "./replica.ts";
import type { Topics } from "./topics.ts";
import type { FetchScheduler } from "./fetch-scheduler.ts";
import type { Chunk, VectorEntry, Item, Summary } from "./wire/items.ts";

/** The messages between two sessions that have admitted each other. */
export interface Conversation {
  /** Sends a summary to a peer that was just admitted. */
  begin(peer: Peer): void;
  /** Sends a summary to a random peer, so that every loss is found in the end. */
  sendSummary(): void;
  take(peer: Peer, items: readonly Item[]): void;
}

export interface ConversationOptions {
  readonly replica: GossipReplica;
  readonly peers: Peers;
  readonly peerTable: PeerTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly counting: Counting;
  readonly room: number;
  readonly pullPort: number;
  readonly ownAddress: string;
  readonly inbox: Inbox;
  readonly fetches: FetchScheduler;
  readonly pushes: Pushes;
  readonly topics: Topics;
  readonly answers: Answers;
  readonly send: (peer: Peer, items: readonly Item[]) => void;
  readonly prove: (address: string, token: Uint8Array) => void;
}

/** The cost of sending a part of our vector, charged to the peer's share. */
const chunkBytes = 1_024;
const rttMsMax = 60_000;
/** One in this many digests also lists other peers. */
const peersEvery = 10;

export function createConversation(options: ConversationOptions): Conversation {
  const { replica, peers, peerTable, clock, random, counting, room, pullPort } = options;
  const { inbox, fetches, pushes, topics, answers, send } = options;
  let ticks = 0;

  const summary = (): Summary => {
    const sentMs = Math.floor(clock.monotonicMs());
    return { kind: "summary", hash: hashOf(replica.vector()), sentMs, pullPort };
  };

  /** Addresses of recently heard peers, and never a loopback address to another machine. */
  const acquaintances = (of: Peer): readonly Item[] => {
    const known = peers
      .some(limits.peersAdvertisedMax, new Set([of]))
      .filter((peer) => !peers.isQuiet(peer))
      .map(({ address }) => address)
      .filter((address) => isLoopback(address) === isLoopback(of.address));
    return known.length > 0 ? [{ kind: "peers", addresses: known }] : [];
  };

  const advertise = (peer: Peer, { origin, number }: VectorEntry) => {
    const before = peer.advertised.get(origin);
    if (before === undefined && peer.advertised.size >= limits.advertisedMax) return;
    peer.advertised.set(origin, Math.max(number, before ?? 0));
  };
  const learn = (peer: Peer, entries: readonly VectorEntry[]) => {
    for (const entry of entries) {
      advertise(peer, entry);
      fetches.note(entry.origin, entry.number, peer);
    }
  };

  /** Whether the peer has exactly what we have; then its vector is ours. */
  const isEqual = (peer: Peer, theirs: Uint8Array, ours: Uint8Array): boolean => {
    if (Buffer.compare(theirs, ours) !== 0) return false;
    const hash = Buffer.from(ours).toString("hex");
    if (peer.equalHash === hash) return true;
    peer.equalHash = hash;
    for (const [origin, number] of replica.vector()) advertise(peer, { origin, number });
    return true;
  };

  const compare = (peer: Peer, item: Summary) => {
    peer.pullPort = item.pullPort;
    const vector = replica.vector();
    const hash = hashOf(vector);
    const echo: Item = { kind: "echo", hash, sentMs: item.sentMs, pullPort };
    if (isEqual(peer, item.hash, hash)) {
      counting.add("digestsEqual");
      return send(peer, [echo]);
    }
    counting.add("digestsDiffering");
    if (!peer.answers.take(chunkBytes)) return send(peer, [echo]);
    const { chunks, next } = chunksOf(vector, {
      start: peer.chunkAt,
      room,
      chunksMax: limits.chunksMax,
    });
    peer.chunkAt = next;
    send(peer, [echo, ...chunks]);
  };

  const learnChunk = (peer: Peer, chunk: Chunk) => {
    learn(peer, chunk.entries);
    const ahead = aheadOf(chunk, replica.vector());
    if (ahead.length === 0 || !peer.answers.take(chunkBytes)) return;
    // If it does not fit into one packet, start at a random entry, so that another part is sent
    // each time.
    const start = random.below(ahead.length);
    const fitting = fitEntries(ahead, room);
    const entries = fitting.length === ahead.length ? ahead : fitEntries(ahead.slice(start), room);
    send(peer, [{ kind: "have", entries }]);
  };

  const receive = (peer: Peer, range: Range): readonly Range[] => {
    if (range.records.length === 0) return [];
    const last = lastOf(range);
    advertise(peer, { origin: range.origin, number: last });
    const fresh = inbox.take(range);
    if (inbox.hasHole(range.origin, last)) fetches.note(range.origin, last, peer);
    return fresh;
  };

  const takeItem = (peer: Peer, item: Item): void => {
    switch (item.kind) {
      case "challenge":
        return options.prove(peer.address, item.token);
      case "proof":
        return; // it was admitted already
      case "summary":
        return compare(peer, item);
      case "echo": {
        const rttMs = clock.monotonicMs() - item.sentMs;
        if (rttMs >= -1 && rttMs < rttMsMax) peer.rttMs = Math.max(0, rttMs);
        peer.pullPort = item.pullPort;
        return void isEqual(peer, item.hash, hashOf(replica.vector()));
      }
      case "chunk":
        return learnChunk(peer, item);
      case "have":
        return learn(peer, item.entries);
      case "push":
        for (const range of receive(peer, item.range)) pushes.relay(range, item.hops, peer);
        return;
      case "answer":
        receive(peer, item.range);
        return fetches.answered(peer, item.range.origin);
      case "ask":
        return answers.take(peer, item);
      case "ended":
        return fetches.ended(peer, item);
      case "message":
        return topics.receive(peer, item);
      case "peers":
        for (const address of item.addresses.slice(0, limits.peersAdvertisedMax)) {
          const isUsable = parseAddress(address) && address !== options.ownAddress;
          if (isUsable) peerTable.meet("told", address);
        }
        return;
      case "pull":
      case "pulled":
        return counting.drop("malformed"); // only valid over a connection
    }
  };

  return {
    begin: (peer) => send(peer, [summary(), ...acquaintances(peer)]),
    sendSummary() {
      ticks += 1;
      const [peer] = peers.some(1);
      if (!peer) return;
      const more = ticks % peersEvery === 0 ? acquaintances(peer) : [];
      send(peer, [summary(), ...more]);
    },
    take(peer, items) {
      for (const item of items) takeItem(peer, item);
    },
  };
}
