import zlib from "node:zlib";
import { sleep, type Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { LedgerDisk } from "../journal/disk.ts";

export interface MemoryDiskOptions {
  /** The files that survive a restart. Absent: a new, empty set. */
  readonly files?: Map<string, Uint8Array>;
  /**
   * With a clock, a write takes time. A process that dies during a write leaves any part of its
   * bytes.
   */
  readonly slow?: { readonly clock: Clock; readonly random: Random; readonly wayMsMax: number };
}

/** LedgerDisk in a variable. */
export function createMemoryDisk({ files = new Map(), slow }: MemoryDiskOptions = {}): LedgerDisk {
  const wait = async () => {
    if (slow) await sleep(slow.clock, slow.random.next() * slow.wayMsMax);
  };
  const join = (old: Uint8Array | undefined, more: Uint8Array) =>
    Uint8Array.from(Buffer.concat([old ?? new Uint8Array(), more]));
  return {
    async list(folder) {
      return [...files.keys()].filter((name) => name.startsWith(`${folder}/`)).sort();
    },
    read: async (name) => files.get(name)?.slice(),
    async stat(name) {
      const bytes = files.get(name);
      return bytes && { bytes: bytes.byteLength, changed: String(zlib.crc32(bytes)) };
    },
    readAt: async (name, from, length) => files.get(name)?.slice(from, from + length),
    async append(name, bytes) {
      const old = files.get(name);
      // Before a sync, the system may have written any part of the bytes.
      if (slow) files.set(name, join(old, bytes.slice(0, slow.random.below(bytes.length + 1))));
      await wait();
      files.set(name, join(old, bytes));
    },
    async truncate(name, bytes) {
      await wait();
      const old = files.get(name);
      if (old) files.set(name, old.slice(0, bytes));
    },
    async replace(name, content) {
      const bytes = content instanceof Uint8Array ? content.slice() : await joinAll(content);
      await wait();
      files.set(name, bytes);
    },
    async remove(name) {
      await wait();
      files.delete(name);
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function joinAll(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Uint8Array.from(Buffer.concat(all));
}
