import type { FoundPeer } from "../gossip.ts";

/**
 * Finds out where other nodes may be, for as long as it is open. Whatever it finds is a hint, no
 * more: anybody can answer on a network, and a note in the bucket may be old. Who is there, and
 * whether it is one of ours, shows in the packets that come back. So none of them is needed, none
 * keeps a node from working, and none throws once it is open.
 */
export interface Discovery extends AsyncDisposable {
  readonly how: "mdns" | "static" | "bucket";
}

/** Told again and again as long as they are found: who is told no more may be forgotten. */
export type OnPeersFound = (peers: readonly FoundPeer[]) => void;

/** Of one node, and of one name. */
export const addressesMax = 8;
/** In one telling: more hints than a fleet has nodes are somebody's joke. */
export const foundMax = 256;
