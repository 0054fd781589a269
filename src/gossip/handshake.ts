import type { Clock } from "../base/clock.ts";
import { AppError } from "../base/app-error.ts";
import type { Random } from "../base/random.ts";
import { createAdmission } from "./admission.ts";
import type { PeerTable } from "./peer-table.ts";
import type { Counting } from "./counters.ts";
import { limits } from "./limits.ts";
import type { Peer, Peers } from "./peers.ts";
import type { Opened, Sealer } from "./sealer.ts";
import { createTokenBucket } from "./token-bucket.ts";
import { readItems, type Item } from "./wire/items.ts";

/**
 * Decides whose packets count. A session must first prove that it receives our packets. Until then
 * its packets only trigger a challenge, within the limit, and nothing of them is kept.
 */
export interface Handshake {
  /** undefined: it is not for us, or its session is not admitted yet; it is counted. */
  enter(from: string, packet: Uint8Array): Entered | undefined;
  /** Opens what came over a connection; no session is admitted there. */
  openOfPeer(bytes: Uint8Array): { readonly peer: Peer; readonly opened: Opened } | undefined;
  /** Greets addresses where peers may be. */
  greet(): void;
  /** Answers a challenge. */
  prove(address: string, token: Uint8Array): void;
}

export interface Entered {
  readonly peer: Peer;
  readonly items: readonly Item[];
  readonly isNew: boolean;
}

export interface HandshakeOptions {
  readonly sealer: Sealer;
  readonly peers: Peers;
  readonly peerTable: PeerTable;
  readonly clock: Clock;
  readonly random: Random;
  readonly counting: Counting;
  readonly sendTo: (address: string, items: readonly Item[]) => void;
}

/**
 * A node heard this recently needs no greeting. The more nodes there are, the less often each is
 * heard.
 */
const presentMsMin = 15_000;
const presentMsPerPeer = 3_000;

export function createHandshake(options: HandshakeOptions): Handshake {
  const { sealer, peers, peerTable, clock, random, counting, sendTo } = options;
  const admission = createAdmission({ clock, random });
  const greetings = createTokenBucket({
    clock,
    perS: limits.greetingsPerS,
    burst: limits.greetingsPerS,
  });

  const open = (packet: Uint8Array): Opened | undefined => {
    const opened = sealer.open(packet);
    if (typeof opened !== "string") return opened;
    counting.drop(opened);
    return undefined;
  };

  const parse = (body: Uint8Array): readonly Item[] | undefined => {
    try {
      return readItems(body);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      counting.drop("malformed");
      return undefined;
    }
  };

  const admit = (from: string, opened: Opened, items: readonly Item[]): Peer | undefined => {
    const isProved = items.some(
      (item) => item.kind === "proof" && admission.isProof(from, item.token),
    );
    if (!isProved) return undefined;
    const { node, session, counter, subkey } = opened;
    const how = peerTable.howOf(from) ?? "heard";
    return peers.admit({ node, session, address: from, how, counter, subkey });
  };

  const isPresent = (peer: Peer | undefined) => {
    const presentMs = Math.max(presentMsMin, presentMsPerPeer * peers.all().length);
    return peer !== undefined && clock.monotonicMs() - peer.heardMs <= presentMs;
  };

  return {
    enter(from, packet) {
      const opened = open(packet);
      if (!opened) return undefined;
      const known = peers.of(opened.node, opened.session);
      if (known) {
        known.window.mark(opened.counter);
        known.subkey = opened.subkey;
        peers.heard(known, from, opened.counter);
        const items = parse(opened.body);
        return items && { peer: known, items, isNew: false };
      }
      const items = parse(opened.body);
      if (!items) return undefined;
      const peer = admit(from, opened, items);
      if (peer) {
        peerTable.learn(from, peer.node);
        return { peer, items, isNew: true };
      }
      counting.drop("stranger");
      if (!greetings.take(1)) return counting.drop("limited");
      const challenge = items.find((item) => item.kind === "challenge");
      const proof: readonly Item[] = challenge ? [{ kind: "proof", token: challenge.token }] : [];
      sendTo(from, [...proof, { kind: "challenge", token: admission.tokenFor(from) }]);
      return undefined;
    },
    openOfPeer(bytes) {
      const opened = open(bytes);
      if (!opened) return undefined;
      const peer = peers.of(opened.node, opened.session);
      if (!peer) return counting.drop("stranger");
      peer.window.mark(opened.counter);
      return { peer, opened };
    },
    greet() {
      const isThere = (address: string, node: string | undefined) =>
        isPresent(peers.at(address)) ||
        (node !== undefined && peers.all().some((peer) => peer.node === node && isPresent(peer)));
      for (const address of peerTable.due(isThere)) {
        if (!greetings.take(1)) continue;
        sendTo(address, [{ kind: "challenge", token: admission.tokenFor(address) }]);
      }
    },
    prove(address, token) {
      if (greetings.take(1)) sendTo(address, [{ kind: "proof", token }]);
    },
  };
}
