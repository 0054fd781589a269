import { isOrigin, type Range } from "../replica.ts";
import { bytesSize, createReader, malformed, numberSize } from "./bytes.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";

/** The contents of packets. docs/formats/gossip.md has the bytes. */
export type Item =
  /** Asks the receiver to prove that it gets our packets: send this token back in a `proof`. */
  | { readonly kind: "challenge"; readonly token: Uint8Array }
  | { readonly kind: "proof"; readonly token: Uint8Array }
  /** A digest of all that the sender has, answered by an `echo` of `sentMs`. */
  | Summary
  | Echo
  /** All entries of the sender's vector with an origin after `after`, up to `through`. */
  | Chunk
  /** Some entries of the sender's vector. */
  | { readonly kind: "have"; readonly entries: readonly VectorEntry[] }
  /** New records; `hops` says how often they may still be forwarded. */
  | { readonly kind: "push"; readonly hops: number; readonly range: Range }
  | Ask
  | { readonly kind: "answer"; readonly range: Range }
  | Ended
  | {
      readonly kind: "message";
      readonly topic: number;
      readonly number: number;
      readonly bytes: Uint8Array;
    }
  /** Addresses at which the sender has recently heard others. */
  | { readonly kind: "peers"; readonly addresses: readonly string[] }
  /** Over a connection: the question, and the answer to the question with that token. */
  | {
      readonly kind: "pull";
      readonly token: Uint8Array;
      readonly origin: string;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: "pulled"; readonly token: Uint8Array; readonly range: Range | undefined };

export interface Summary {
  readonly kind: "summary";
  readonly hash: Uint8Array;
  readonly sentMs: number;
  /** 0: the sender accepts no connections. */
  readonly pullPort: number;
}

/** The same from the receiver of a summary, with that summary's `sentMs`. */
export interface Echo {
  readonly kind: "echo";
  readonly hash: Uint8Array;
  readonly sentMs: number;
  readonly pullPort: number;
}

export interface Chunk {
  readonly kind: "chunk";
  /** "": from the first. */
  readonly after: string;
  /** "": to the last. */
  readonly through: string;
  readonly entries: readonly VectorEntry[];
}

export interface VectorEntry {
  readonly origin: string;
  readonly number: number;
}

export interface Ask {
  readonly kind: "ask";
  readonly origin: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The end of an answer, and why it ends: nothing more for now; the next record does not fit into a
 * packet; it is not held any more; it does not exist yet; too much was requested.
 */
export interface Ended {
  readonly kind: "ended";
  readonly origin: string;
  readonly why: "sent" | "large" | "gone" | "behind" | "busy";
  /** The first number that was not sent. */
  readonly next: number;
}

export const tokenBytes = 16;
export const hashBytes = 8;
export const originBytesMax = 65;
export const messageBytesMax = 1_000;
const addressBytesMax = 70;

const kinds = [
  "challenge",
  "proof",
  "summary",
  "echo",
  "chunk",
  "have",
  "push",
  "ask",
  "answer",
  "ended",
  "message",
  "peers",
  "pull",
  "pulled",
] as const;
const reasons = ["sent", "large", "gone", "behind", "busy"] as const;

export function writeItem(to: ByteWriter, item: Item): void {
  to.byte(kinds.indexOf(item.kind) + 1);
  switch (item.kind) {
    case "challenge":
    case "proof":
      return to.raw(item.token);
    case "summary":
    case "echo":
      to.raw(item.hash);
      to.number(item.sentMs);
      return to.number(item.pullPort);
    case "chunk":
      to.text(item.after);
      to.text(item.through);
      return writeEntries(to, item.entries);
    case "have":
      return writeEntries(to, item.entries);
    case "push":
      to.byte(item.hops);
      return writeRange(to, item.range);
    case "answer":
      return writeRange(to, item.range);
    case "ask":
      to.text(item.origin);
      to.number(item.from);
      return to.number(item.to);
    case "ended":
      to.text(item.origin);
      to.byte(reasons.indexOf(item.why));
      return to.number(item.next);
    case "message":
      to.byte(item.topic);
      to.number(item.number);
      return to.bytes(item.bytes);
    case "peers":
      to.number(item.addresses.length);
      for (const address of item.addresses) to.text(address);
      return;
    case "pull":
      to.raw(item.token);
      to.text(item.origin);
      to.number(item.from);
      return to.number(item.to);
    case "pulled":
      to.raw(item.token);
      to.byte(item.range ? 1 : 0);
      if (item.range) writeRange(to, item.range);
      return;
  }
}

/** Throws `gossip_malformed` for bytes that we would not have written. */
export function readItems(body: Uint8Array): readonly Item[] {
  const from = createReader(body);
  const items: Item[] = [];
  while (!from.isAtEnd()) items.push(readItem(from));
  return items;
}

function readItem(from: ByteReader): Item {
  const kind = kinds[from.byte() - 1];
  if (!kind) throw malformed("it has an item of an unknown kind");
  switch (kind) {
    case "challenge":
    case "proof":
      return { kind, token: from.raw(tokenBytes) };
    case "summary":
    case "echo":
      return { kind, hash: from.raw(hashBytes), sentMs: from.number(), pullPort: port(from) };
    case "chunk":
      return { kind, after: bound(from), through: bound(from), entries: readEntries(from) };
    case "have":
      return { kind, entries: readEntries(from) };
    case "push":
      return { kind, hops: from.byte(), range: readRange(from) };
    case "answer":
      return { kind, range: readRange(from) };
    case "ask":
      return { kind, ...readSpan(from) };
    case "ended": {
      const origin = readOrigin(from);
      const why = reasons[from.byte()];
      if (!why) throw malformed("it ends for an unknown reason");
      return { kind, origin, why, next: from.number() };
    }
    case "message":
      return { kind, topic: from.byte(), number: from.number(), bytes: limited(from.bytes()) };
    case "peers": {
      const count = from.number();
      const addresses: string[] = [];
      for (let at = 0; at < count; at++) addresses.push(from.text(addressBytesMax));
      return { kind, addresses };
    }
    case "pull":
      return { kind, token: from.raw(tokenBytes), ...readSpan(from) };
    case "pulled": {
      const token = from.raw(tokenBytes);
      return { kind, token, range: from.byte() === 1 ? readRange(from) : undefined };
    }
  }
}

/** The size of a push or an answer before its first record. */
export const rangeSize = (origin: string, from: number): number =>
  2 + bytesSize(origin.length) + numberSize(from) + 2;

function writeRange(to: ByteWriter, { origin, from, records }: Range): void {
  to.text(origin);
  to.number(from);
  to.number(records.length);
  for (const record of records) to.bytes(record);
}

function readRange(from: ByteReader): Range {
  const origin = readOrigin(from);
  const first = positive(from.number());
  const count = from.number();
  const records: Uint8Array[] = [];
  for (let at = 0; at < count; at++) records.push(from.bytes()); // ends with the packet at the latest
  if (!Number.isSafeInteger(first + count)) throw malformed("a number is too large");
  return { origin, from: first, records };
}

/** Origins are sorted: each is written as the difference from the one before. */
function writeEntries(to: ByteWriter, entries: readonly VectorEntry[]): void {
  to.number(entries.length);
  let before = "";
  for (const { origin, number } of entries) {
    const shared = sharedLength(before, origin);
    to.byte(shared);
    to.text(origin.slice(shared));
    to.number(number);
    before = origin;
  }
}

function readEntries(from: ByteReader): readonly VectorEntry[] {
  const count = from.number();
  const entries: VectorEntry[] = [];
  let before = "";
  for (let at = 0; at < count; at++) {
    const shared = from.byte();
    if (shared > before.length) throw malformed("an origin shares more than there is");
    before = before.slice(0, shared) + from.text(originBytesMax);
    if (!isOrigin(before)) throw malformed("an origin is not valid");
    entries.push({ origin: before, number: positive(from.number()) });
  }
  return entries;
}

/** The largest size of an entry that is written after another. */
export const entrySize = (before: string, { origin, number }: VectorEntry): number =>
  2 + origin.length - sharedLength(before, origin) + numberSize(number);

function sharedLength(before: string, origin: string): number {
  let at = 0;
  while (at < before.length && before[at] === origin[at]) at += 1;
  return at;
}

function readSpan(from: ByteReader) {
  const origin = readOrigin(from);
  const first = positive(from.number());
  const to = from.number();
  if (to < first) throw malformed("a span ends before it begins");
  return { origin, from: first, to };
}

function readOrigin(from: ByteReader): string {
  const origin = from.text(originBytesMax);
  if (!isOrigin(origin)) throw malformed("an origin is not valid");
  return origin;
}

function bound(from: ByteReader): string {
  const text = from.text(originBytesMax);
  if (text !== "" && !isOrigin(text)) throw malformed("an origin is not valid");
  return text;
}

function port(from: ByteReader): number {
  const value = from.number();
  if (value > 65_535) throw malformed("a port is too large");
  return value;
}

function limited(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength > messageBytesMax) throw malformed("the message is too long");
  return bytes;
}

function positive(value: number): number {
  if (value < 1) throw malformed("a number is below 1");
  return value;
}
