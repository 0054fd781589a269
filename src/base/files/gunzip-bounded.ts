import { constants, gunzipSync } from "node:zlib";

export interface GunzipLimits {
  /** The largest unpacked size that the file format allows. */
  readonly bytesMax: number;
  /**
   * The first characters of the unpacked text. Other data is refused before it is unpacked
   * completely.
   */
  readonly start: string;
}

/** The shortest gzip file: 10 bytes of header, 2 of data, 8 of trailer. */
const packedBytesMin = 20;
/** For smaller files, checking the start first costs more than it saves. */
const checkedFromBytes = 2 ** 20;
/** These packed bytes unpack to at most 1,032 times as much. */
const startPackedBytes = 512;

/**
 * Unpacks one gzip member into one buffer. Memory is bounded by the length in the member's own
 * trailer, which is checked first: a member whose stated length is too large is refused before it
 * is unpacked, and one that is longer than stated is refused while it is unpacked. Throws if the
 * bytes are not such a member.
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
