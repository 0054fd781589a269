/** Simple ciphers for addresses. All are decoded without running any script. */
export const rot13 = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= "Z" ? 65 : 97;
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
  });

/** Plain text in base64, or undefined. */
export function fromBase64(text: string): string | undefined {
  const body = text.trim();
  if (body.length < 8 || body.length > 4_000) return undefined;
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(body)) return undefined;
  const plain = Buffer.from(body, "base64").toString("latin1");
  return /^[\x20-\x7e\s]+$/.test(plain) ? plain : undefined;
}

/**
 * TYPO3 and CryptX shift each letter within its own range; the leading "mailto" shows by how much.
 */
export function unshifted(text: string): string | undefined {
  if (text.length < 8 || text.length > 600) return undefined;
  for (let by = -26; by <= 26; by++) {
    for (const shift of [withinRanges, overAll]) {
      const plain = Array.from(text)
        .map((sign) => String.fromCharCode(shift(sign.charCodeAt(0), by)))
        .join("");
      if (/^mailto:/i.test(plain)) return plain;
    }
  }
  return undefined;
}

const ranges: readonly (readonly [number, number])[] = [
  [0x2b, 0x3a],
  [0x40, 0x5a],
  [0x61, 0x7a],
];

function withinRanges(code: number, by: number): number {
  const range = ranges.find(([first, last]) => code >= first && code <= last);
  if (!range) return code;
  const [first, last] = range;
  const size = last - first + 1;
  return first + ((((code - first + by) % size) + size) % size);
}

const overAll = (code: number, by: number): number => Math.max(0, code + by);
