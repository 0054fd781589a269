import type { FoundPeer } from "../gossip.ts";

/**
 * Finds out where other nodes may be, as long as it is open. What it finds is only a hint: any
 * machine can answer on a network, and a note in the bucket may be old. Which addresses belong to
 * the fleet shows in the packets that come back. So no discovery is required, none keeps a node
 * from working, and none throws once it is open.
 */
export interface Discovery extends AsyncDisposable {
  readonly how: "mdns" | "static" | "bucket";
}

/**
 * Called repeatedly as long as peers are found. Peers that are no longer passed may be forgotten.
 */
export type OnPeersFound = (peers: readonly FoundPeer[]) => void;

/** Limit for one node or one name. */
export const addressesMax = 8;
/** Limit for one call: more hints than a fleet has nodes come from an attacker. */
export const foundMax = 256;
