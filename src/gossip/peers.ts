import type { KeyObject } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Counting } from "./counters.ts";
import { limits } from "./limits.ts";
import { createTokenBucket, type TokenBucket } from "./token-bucket.ts";
import { createReplayWindow, type ReplayWindow } from "./wire/replay-window.ts";

export type How = "mdns" | "static" | "bucket" | "told" | "heard";

/** One session of another node, which has proved that it has the key and receives our packets. */
export interface Peer {
  readonly node: string;
  readonly session: string;
  readonly window: ReplayWindow;
  address: string;
  how: How;
  /** On the monotonic clock. */
  heardMs: number;
  rttMs: number | undefined;
  /** 0: it accepts no connections. */
  pullPort: number;
  /** The number of the newest packet that the address was taken from. */
  newestCounter: number;
  /** undefined after the keys have changed. */
  subkey: KeyObject | undefined;
  /** The digest at which it last had all that we have. */
  equalHash: string;
  /** By origin: the last number it advertised. */
  readonly advertised: Map<string, number>;
  /** Origins whose records it has no more of, with the time until which this is assumed. */
  readonly goneUntilMs: Map<string, number>;
  readonly answers: TokenBucket;
  /** By topic: the number of its last message. */
  readonly lastMessage: Map<number, number>;
  /** Where the next chunk of our vector for this peer begins. */
  chunkAt: string;
}

/**
 * The admitted sessions. At most `peersMax`. An address belongs to one of them, the last that
 * proved itself there. A session that is not heard for `forgetMs` is forgotten.
 */
export interface Peers {
  all(): readonly Peer[];
  of(node: string, session: string): Peer | undefined;
  at(address: string): Peer | undefined;
  /** undefined: there are too many. */
  admit(peer: Admitted): Peer | undefined;
  /** Call for each packet; only a packet newer than all before updates the address. */
  heard(peer: Peer, from: string, counter: number): void;
  forgetQuiet(): void;
  /** Up to `count` random sessions, without `but`. */
  some(count: number, but?: ReadonlySet<Peer>): readonly Peer[];
  isQuiet(peer: Peer): boolean;
}

export interface Admitted {
  readonly node: string;
  readonly session: string;
  readonly address: string;
  readonly how: How;
  readonly counter: number;
  readonly subkey: KeyObject;
}

export interface PeersOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly counting: Counting;
}

export function createPeers({ clock, random, counting }: PeersOptions): Peers {
  const byId = new Map<string, Peer>();
  const byAddress = new Map<string, Peer>();
  let list: readonly Peer[] = [];
  const idOf = (node: string, session: string) => `${node}/${session}`;

  const forget = (peer: Peer) => {
    byId.delete(idOf(peer.node, peer.session));
    if (byAddress.get(peer.address) === peer) byAddress.delete(peer.address);
    list = [...byId.values()];
    counting.add("peersForgotten");
  };

  const settleAt = (peer: Peer, address: string) => {
    if (byAddress.get(peer.address) === peer) byAddress.delete(peer.address);
    const before = byAddress.get(address);
    peer.address = address;
    byAddress.set(address, peer);
    if (before && before !== peer) forget(before); // a socket has one session at a time
    byAddress.set(address, peer);
  };

  const isQuiet = (peer: Peer, forMs: number = limits.quietMs) =>
    clock.monotonicMs() - peer.heardMs > forMs;

  return {
    all: () => list,
    of: (node, session) => byId.get(idOf(node, session)),
    at: (address) => byAddress.get(address),
    admit({ node, session, address, how, counter, subkey }) {
      // An earlier session of that node. A clone of its disk that is still active stays.
      for (const other of list) if (other.node === node && isQuiet(other, 5_000)) forget(other);
      if (byId.size >= limits.peersMax) {
        const quiet = list.find((peer) => isQuiet(peer));
        if (!quiet) return undefined;
        forget(quiet);
      }
      const peer: Peer = {
        node,
        session,
        window: createReplayWindow(counter),
        address,
        how,
        heardMs: clock.monotonicMs(),
        rttMs: undefined,
        pullPort: 0,
        newestCounter: counter,
        subkey,
        equalHash: "",
        advertised: new Map(),
        goneUntilMs: new Map(),
        answers: createTokenBucket({
          clock,
          perS: limits.answerBytesPerS,
          burst: limits.answerBurstBytes,
        }),
        lastMessage: new Map(),
        chunkAt: "",
      };
      byId.set(idOf(node, session), peer);
      settleAt(peer, address);
      list = [...byId.values()];
      counting.add("peersMet");
      return peer;
    },
    heard(peer, from, counter) {
      peer.heardMs = clock.monotonicMs();
      if (counter <= peer.newestCounter) return;
      peer.newestCounter = counter;
      if (peer.address !== from) settleAt(peer, from);
    },
    forgetQuiet() {
      for (const peer of list) if (isQuiet(peer, limits.forgetMs)) forget(peer);
    },
    some(count, but) {
      const left = list.filter((peer) => !but?.has(peer));
      const chosen: Peer[] = [];
      while (chosen.length < count && left.length > 0) {
        const at = random.below(left.length);
        chosen.push(left[at]!);
        left[at] = left.at(-1)!;
        left.pop();
      }
      return chosen;
    },
    isQuiet,
  };
}
