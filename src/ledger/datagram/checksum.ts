/**
 * CRC-32 of a range of bytes, as zlib computes it. For short ranges this costs less than a call
 * into zlib.
 */
export function checksumOfBytes(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      table[0x700 + (crc & 0xff)]! ^
      table[0x600 + ((crc >>> 8) & 0xff)]! ^
      table[0x500 + ((crc >>> 16) & 0xff)]! ^
      table[0x400 + (crc >>> 24)]! ^
      table[0x300 + bytes[at + 4]!]! ^
      table[0x200 + bytes[at + 5]!]! ^
      table[0x100 + bytes[at + 6]!]! ^
      table[bytes[at + 7]!]!;
  }
  for (; at < to; at++) crc = table[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Whether the eight characters at `from` are this checksum in hexadecimal. */
export function isChecksumText(text: string, from: number, checksum: number): boolean {
  for (let index = 0; index < 8; index++) {
    const digit = (checksum >>> (28 - 4 * index)) & 0xf;
    if (text.charCodeAt(from + index) !== digit + (digit < 10 ? 0x30 : 0x57)) return false;
  }
  return true;
}

/** Eight tables; table n is for a byte that n others follow. So one step handles eight bytes. */
const table = makeTable();

function makeTable(): Int32Array {
  const made = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256]!;
    made[at] = made[before & 0xff]! ^ (before >>> 8);
  }
  return made;
}
