import { createCipheriv, createDecipheriv, createHash, type KeyObject } from "node:crypto";
import { isName } from "../replica.ts";

/**
 * A packet: a header in the clear, then the sealed body and its tag. The tag covers the header too,
 * so nothing in it can be changed. The body is not read before the tag was checked.
 *
 *     version 1 | cluster 8 | node 1 + n | session 1 + s | counter 6 | body | tag 16
 */
export interface Header {
  readonly node: string;
  readonly session: string;
  /** Increases with every packet of a session: it is the nonce, and identifies replayed packets. */
  readonly counter: number;
  /** Where the body begins. */
  readonly bytes: number;
}

export const version = 1;
export const clusterBytes = 8;
export const tagBytes = 16;
const counterBytes = 6;
export const counterMax = 2 ** 48 - 1;
const cipher = "chacha20-poly1305";

export const headerSize = (node: string, session: string): number =>
  1 + clusterBytes + 1 + node.length + 1 + session.length + counterBytes;

/** Separates two fleets that use one key on one network. */
export const clusterHash = (cluster: string): Uint8Array =>
  new Uint8Array(createHash("sha256").update(`forager cluster ${cluster}`).digest().subarray(0, 8));

export interface SealOptions {
  readonly cluster: Uint8Array;
  readonly node: string;
  readonly session: string;
  readonly counter: number;
  readonly subkey: KeyObject;
  readonly body: Uint8Array;
}

export function sealPacket(options: SealOptions): Uint8Array {
  const { cluster, node, session, counter, subkey, body } = options;
  const header = Buffer.allocUnsafe(headerSize(node, session));
  header[0] = version;
  header.set(cluster, 1);
  let at = 1 + clusterBytes;
  for (const name of [node, session]) {
    header[at] = name.length;
    header.write(name, at + 1, "latin1");
    at += 1 + name.length;
  }
  header.writeUIntBE(counter, at, counterBytes);
  const sealing = createCipheriv(cipher, subkey, nonceOf(counter), { authTagLength: tagBytes });
  sealing.setAAD(header, { plaintextLength: body.length });
  const sealed = sealing.update(body);
  sealing.final();
  return Buffer.concat([header, sealed, sealing.getAuthTag()]);
}

/** Reads the header; returns the reason if the bytes cannot be a packet of this cluster. */
export function readHeader(
  packet: Uint8Array,
  cluster: Uint8Array,
): Header | "malformed" | "version" | "cluster" {
  if (packet.length < 1) return "malformed";
  if (packet[0] !== version) return "version";
  if (packet.length < headerSize("n", "s") + tagBytes) return "malformed";
  for (let at = 0; at < clusterBytes; at++) if (packet[1 + at] !== cluster[at]) return "cluster";
  let at = 1 + clusterBytes;
  const names: string[] = [];
  for (let count = 0; count < 2; count++) {
    const length = packet[at] ?? 0;
    const name = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength).toString(
      "latin1",
      at + 1,
      at + 1 + length,
    );
    if (!isName(name) || name.length !== length) return "malformed";
    names.push(name);
    at += 1 + length;
  }
  if (packet.length < at + counterBytes + tagBytes) return "malformed";
  const view = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  const counter = view.readUIntBE(at, counterBytes);
  return { node: names[0]!, session: names[1]!, counter, bytes: at + counterBytes };
}

/** undefined: its sender does not have this key. */
export function openPacket(
  packet: Uint8Array,
  header: Header,
  subkey: KeyObject,
): Uint8Array | undefined {
  const end = packet.length - tagBytes;
  const opening = createDecipheriv(cipher, subkey, nonceOf(header.counter), {
    authTagLength: tagBytes,
  });
  opening.setAuthTag(packet.subarray(end));
  opening.setAAD(packet.subarray(0, header.bytes), { plaintextLength: end - header.bytes });
  const body = opening.update(packet.subarray(header.bytes, end));
  try {
    opening.final();
  } catch {
    return undefined;
  }
  return body;
}

function nonceOf(counter: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(counter, 12 - counterBytes, counterBytes);
  return nonce;
}
