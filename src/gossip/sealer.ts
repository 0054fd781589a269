import type { KeyObject } from "node:crypto";
import { createId } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { assert } from "../base/app-error.ts";
import type { DropReason } from "./counters.ts";
import { checkKeyring, subkeyOf, type Keyring } from "./keyring.ts";
import type { Peer } from "./peers.ts";
import {
  clusterHash,
  counterMax,
  headerSize,
  openPacket,
  readHeader,
  sealPacket,
  tagBytes,
} from "./wire/packet.ts";

/** Seals our packets, and opens those of others. */
export interface Sealer {
  /**
   * The session of this instance, made here: its counters begin at 1, so no session may be used
   * twice.
   */
  readonly session: string;
  /** How many bytes of body a packet of `packetBytes` has room for. */
  bodyBytesMax(packetBytes: number): number;
  seal(body: Uint8Array): Uint8Array;
  open(packet: Uint8Array): Opened | DropReason;
  useKeys(keyring: Keyring): void;
}

export interface Opened {
  readonly node: string;
  readonly session: string;
  readonly counter: number;
  readonly subkey: KeyObject;
  readonly body: Uint8Array;
}

export interface SealerOptions {
  readonly node: string;
  readonly cluster: string;
  readonly keyring: Keyring;
  readonly random: Random;
  readonly peerOf: (node: string, session: string) => Peer | undefined;
}

const sessionLength = 26;

export function createSealer({ node, cluster, keyring, random, peerOf }: SealerOptions): Sealer {
  const session = createId(random, sessionLength);
  const hash = clusterHash(cluster);
  let ring = checkKeyring(keyring);
  let ownSubkey = subkeyOf(ring.keys[0]!, node, session);
  let counter = 0;
  const overhead = headerSize(node, session) + tagBytes;

  return {
    session,
    bodyBytesMax: (packetBytes) => packetBytes - overhead,
    seal(body) {
      counter += 1;
      assert(counter <= counterMax, "a session sends fewer packets");
      return sealPacket({ cluster: hash, node, session, counter, subkey: ownSubkey, body });
    },
    open(packet) {
      const header = readHeader(packet, hash);
      if (typeof header === "string") return header;
      if (header.node === node && header.session === session) return "own";
      const peer = peerOf(header.node, header.session);
      if (peer && !peer.window.isNew(header.counter)) return "replayed";
      // Keep subkeys of peers only, so that packets of unknown sessions cannot fill the memory.
      const kept = peer?.subkey;
      const tried = kept && openPacket(packet, header, kept);
      if (tried) return { ...header, subkey: kept, body: tried };
      for (const key of ring.keys) {
        const subkey = subkeyOf(key, header.node, header.session);
        const body = openPacket(packet, header, subkey);
        if (body) return { ...header, subkey, body };
      }
      return "unauthenticated";
    },
    useKeys(next) {
      ring = checkKeyring(next);
      ownSubkey = subkeyOf(ring.keys[0]!, node, session);
    },
  };
}
