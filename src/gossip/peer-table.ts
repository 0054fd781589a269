import type { Clock } from "../base/clock.ts";
import { limits } from "./limits.ts";
import type { How } from "./peers.ts";

/** An address where a peer may be: found by discovery, or used by a peer earlier. */
interface PeerAddress {
  readonly address: string;
  how: How;
  node: string | undefined;
  metMs: number;
  tries: number;
  triedMs: number;
  nextMs: number;
}

/**
 * Addresses to greet until a peer answers: at once, then with growing intervals. A static address
 * is kept for good, others until they were not found again for `forgetMs`. At most
 * `peerAddressesMax`.
 */
export interface PeerTable {
  meet(how: How, address: string, node?: string): void;
  /** Call when this node sent a packet from this address. */
  learn(address: string, node: string): void;
  howOf(address: string): How | undefined;
  /** Addresses to greet now. */
  due(isThere: (address: string, node: string | undefined) => boolean): readonly string[];
  forgetOld(): void;
  size(): number;
}

export function createPeerTable({ clock }: { readonly clock: Clock }): PeerTable {
  const addresses = new Map<string, PeerAddress>();
  const strength: Record<How, number> = { static: 4, mdns: 3, bucket: 2, told: 1, heard: 0 };

  const isOld = ({ how, metMs }: PeerAddress) =>
    how !== "static" && clock.monotonicMs() - metMs > limits.forgetMs;

  const makeRoom = (): boolean => {
    if (addresses.size < limits.peerAddressesMax) return true;
    for (const entry of addresses.values()) {
      if (entry.how === "static") continue;
      addresses.delete(entry.address);
      return true;
    }
    return false;
  };

  return {
    meet(how, address, node) {
      const nowMs = clock.monotonicMs();
      const known = addresses.get(address);
      if (known) {
        if (strength[how] >= strength[known.how]) {
          known.how = how;
          known.node = node ?? known.node;
        }
        known.metMs = nowMs;
        // Found again: the peer may have just come back.
        known.nextMs = Math.min(known.nextMs, known.triedMs + limits.helloMsMin);
        return;
      }
      if (!makeRoom()) return;
      const times = { metMs: nowMs, triedMs: nowMs - limits.helloMsMin, nextMs: nowMs };
      addresses.set(address, { address, how, node, tries: 0, ...times });
    },
    learn(address, node) {
      const known = addresses.get(address);
      if (known) known.node = node;
    },
    howOf: (address) => addresses.get(address)?.how,
    due(isThere) {
      const nowMs = clock.monotonicMs();
      const due: string[] = [];
      for (const entry of addresses.values()) {
        if (isThere(entry.address, entry.node)) entry.tries = 0;
        else if (entry.nextMs <= nowMs) {
          due.push(entry.address);
          const waitMs = limits.helloMsMin * 2 ** Math.min(entry.tries, 8);
          entry.nextMs = nowMs + Math.min(waitMs, limits.helloMsMax);
          entry.triedMs = nowMs;
          entry.tries += 1;
        }
      }
      return due;
    },
    forgetOld() {
      for (const entry of addresses.values()) {
        if (isOld(entry)) addresses.delete(entry.address);
      }
    },
    size: () => addresses.size,
  };
}
