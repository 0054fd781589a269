import { constants, deflateRawSync } from "node:zlib";

const blockBytes = 2 ** 20;

export interface GzipBomb {
  readonly mebibytes: number;
  /** The first characters of the unpacked text; then `fill` is repeated. */
  readonly start?: string;
  readonly fill?: string;
  /** The length in the trailer; default: the true length. */
  readonly statedBytes?: number;
}

/**
 * A small gzip member that unpacks to a lot, created without holding the unpacked data in memory.
 */
export function gzipBomb({ mebibytes, start = "", fill = "\0", statedBytes }: GzipBomb): Buffer {
  const flush = { finishFlush: constants.Z_FULL_FLUSH, level: 9 };
  const block = deflateRawSync(Buffer.alloc(blockBytes, fill), flush);
  const trailer = Buffer.alloc(8); // the checksum is never reached
  trailer.writeUInt32LE(statedBytes ?? start.length + mebibytes * blockBytes, 4);
  return Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
    deflateRawSync(start, flush),
    ...Array.from({ length: mebibytes }, () => block),
    Buffer.from([3, 0]), // an empty last block
    trailer,
  ]);
}

/** By how many MB `use` raises the peak memory of this process. */
export function peakRaisedMb(use: () => void): number {
  const before = process.resourceUsage().maxRSS;
  use();
  return (process.resourceUsage().maxRSS - before) / 1024;
}
