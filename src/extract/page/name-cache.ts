/** Looks up names of tags and attributes in place, without making a string of each. */
export interface NameCache<Kind> {
  /** The kind of the name at `start`; its first character may be anything. */
  read(codes: Uint16Array, start: number): Kind;
  /** The position after the name that was read last. */
  readonly end: number;
}

interface Known<Kind> {
  readonly written: Uint16Array;
  readonly kind: Kind;
}

const slots = 1_024;
const charsMax = 80;

/**
 * Keeps only the last name of each slot, so memory is bounded however many names a page has.
 * `kindOf` gets the name as written, or "" if it is too long.
 */
export function createNameCache<Kind>(
  kindOf: (written: string) => Kind,
  endSigns: string,
): NameCache<Kind> {
  const known: (Known<Kind> | undefined)[] = Array.from({ length: slots }, () => undefined);
  const isEnd = new Uint8Array(128);
  for (const sign of endSigns) isEnd[sign.charCodeAt(0)] = 1;

  function read(codes: Uint16Array, start: number): Kind {
    let hash = codes[start]!;
    let end = start + 1;
    for (; end < codes.length; end++) {
      const code = codes[end]!;
      if (code < 128 && isEnd[code] === 1) break;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    cache.end = end;
    if (end - start > charsMax) return kindOf("");
    const slot = (hash ^ (hash >>> 10)) & (slots - 1);
    const one = known[slot];
    if (one !== undefined && isWritten(one.written, codes, start, end)) return one.kind;
    const written = codes.slice(start, end);
    const kind = kindOf(String.fromCharCode(...written));
    known[slot] = { written, kind };
    return kind;
  }

  const cache = { read, end: 0 };
  return cache;
}

function isWritten(name: Uint16Array, codes: Uint16Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = 0; at < name.length; at++) if (name[at] !== codes[start + at]) return false;
  return true;
}
