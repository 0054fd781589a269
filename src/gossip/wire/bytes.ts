import { AppError } from "../../base/app-error.ts";

/** Builds a message. It grows as needed; the caller checks `length` to stay within a packet. */
export interface ByteWriter {
  readonly length: () => number;
  byte(value: number): void;
  /** A whole number from 0 to 2^53 - 1: seven bits a byte, lowest first. */
  number(value: number): void;
  /** Without their length: the reader must know it. */
  raw(bytes: Uint8Array): void;
  bytes(bytes: Uint8Array): void;
  text(text: string): void;
  /** What was written. Do not use the writer afterwards. */
  done(): Uint8Array;
}

export function createWriter(sizeHint = 1_200): ByteWriter {
  let buffer = Buffer.allocUnsafe(sizeHint);
  let length = 0;
  const room = (count: number) => {
    if (length + count <= buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + count));
    buffer.copy(grown, 0, 0, length);
    buffer = grown;
  };
  const byte = (value: number) => {
    room(1);
    buffer[length++] = value;
  };
  const number = (value: number) => {
    let rest = value;
    while (rest >= 128) {
      byte((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    byte(rest);
  };
  const raw = (bytes: Uint8Array) => {
    room(bytes.length);
    buffer.set(bytes, length);
    length += bytes.length;
  };
  return {
    length: () => length,
    byte,
    number,
    raw,
    bytes(bytes) {
      number(bytes.length);
      raw(bytes);
    },
    text(text) {
      const size = Buffer.byteLength(text);
      number(size);
      room(size);
      length += buffer.write(text, length);
    },
    done: () => buffer.subarray(0, length),
  };
}

export const numberSize = (value: number): number => {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
};

export const bytesSize = (length: number): number => numberSize(length) + length;

/** Reads a message. Every read throws `malformed` if too few bytes are left. */
export interface ByteReader {
  isAtEnd(): boolean;
  byte(): number;
  number(): number;
  raw(count: number): Uint8Array;
  bytes(): Uint8Array;
  text(bytesMax: number): string;
}

export function createReader(source: Uint8Array): ByteReader {
  const buffer = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  let at = 0;
  const byte = () => {
    if (at >= buffer.length) throw malformed("it ends too early");
    return buffer[at++]!;
  };
  const number = () => {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count++) {
      const next = byte();
      value += (next & 127) * scale;
      if (next < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw malformed("a number is too large");
  };
  const raw = (count: number) => {
    if (count > buffer.length - at) throw malformed("it ends too early");
    at += count;
    return new Uint8Array(buffer.buffer, buffer.byteOffset + at - count, count);
  };
  return {
    isAtEnd: () => at >= buffer.length,
    byte,
    number,
    raw,
    bytes: () => raw(number()),
    text(bytesMax) {
      const size = number();
      if (size > bytesMax) throw malformed("a text is too long");
      raw(size);
      return buffer.toString("latin1", at - size, at); // all our texts are ASCII, which is checked
    },
  };
}

export const malformed = (why: string) =>
  new AppError("invalid", "gossip_malformed", `a packet cannot be read: ${why}`);
