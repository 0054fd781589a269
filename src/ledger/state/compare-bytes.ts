/** Compares two texts by their UTF-8 bytes. This order differs from that of their UTF-16 units. */
export function compareBytes(a: string, b: string): number {
  if (isPlain.test(a) && isPlain.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const isPlain = /^[ -~]*$/;
