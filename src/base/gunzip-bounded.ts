import { constants, gunzipSync } from "node:zlib";

export interface GunzipLimits {
  /** The most that the format allows. */
  readonly bytesMax: number;
  /** What the format begins with. Anything else is refused before all of it is unpacked. */
  readonly start: string;
}

/** The shortest gzip file: 10 bytes of header, 2 of data, 8 of trailer. */
const packedBytesMin = 20;
/** Below this a look at the beginning costs more than it can save. */
const checkedFromBytes = 2 ** 20;
/** Unpacks to at most 1,032 times as much. */
const startPackedBytes = 512;

/**
 * Unpacks one gzip member into one buffer. Memory is bounded by the length that the member's own
 * trailer states, and that is checked first: a member that would be too long is refused before it
 * is unpacked, and one that is longer than it states while it is. Throws if the bytes are not such
 * a member.
 */
export function gunzipBounded(packed: Uint8Array, { bytesMax, start }: GunzipLimits): Buffer {
  if (packed.length < packedBytesMin) throw new RangeError("too short for gzip");
  const trailer = new DataView(packed.buffer, packed.byteOffset + packed.length - 4, 4);
  const length = trailer.getUint32(0, true);
  if (length > bytesMax) {
    throw new RangeError(`it unpacks to ${length} bytes, and its format allows ${bytesMax}`);
  }
  if (length >= checkedFromBytes && !unpackStart(packed).toString("latin1").startsWith(start)) {
    throw new RangeError(`it does not begin with ${start}`);
  }
  return gunzipSync(packed, {
    maxOutputLength: Math.max(1, length),
    // One byte more, so that the first buffer is never full and no second one is needed.
    chunkSize: Math.max(constants.Z_MIN_CHUNK, length + 1),
  });
}

const unpackStart = (packed: Uint8Array): Buffer =>
  gunzipSync(packed.subarray(0, startPackedBytes), {
    finishFlush: constants.Z_SYNC_FLUSH,
    maxOutputLength: 2 ** 20,
  });
