import { assert } from "../../base/app-error.ts";

/**
 * Which companies have a key in common, for any number of companies: 8 bytes per key and company,
 * whatever the key's text. Keys are hashes, so a caller compares companies before it believes them.
 */
export interface KeyTable {
  /** Not after `seal`. */
  add(key: number, company: number): void;
  /** Call once, before the methods below. */
  seal(): void;
  /** Each key of 2 to `max` companies, and these, in order of the keys. */
  shared(max: number): Generator<{ readonly key: number; readonly members: readonly number[] }>;
  /** The companies that have a key; at most `max` of them. */
  members(key: number, max: number): readonly number[];
}

const companyBits = 24n;
const companiesMax = 2 ** Number(companyBits);
const companyMask = BigInt(companiesMax - 1);
const hashValues = 2 ** 28;

/** A key of 40 bits. Keys of one region, below 4,096, are next to each other in a table. */
export function keyOf(text: string, region?: number): number {
  let hash = 0x811c9dc5;
  let other = 0x9e3779b9;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    hash = Math.imul(hash ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x85ebca6b);
  }
  hash = Math.imul(hash ^ (hash >>> 15) ^ other, 0x2c1b3c6d);
  const high = region ?? (other ^ (other >>> 16)) & 0xfff;
  return high * hashValues + ((hash ^ (hash >>> 13)) >>> 4);
}

export function createKeyTable(): KeyTable {
  let entries = new BigUint64Array(1_024);
  let size = 0;
  const keyAt = (at: number) => Number(entries[at]! >> companyBits);
  const companyAt = (at: number) => Number(entries[at]! & companyMask);
  /** The first entry of a key, if there is one. */
  const firstOf = (key: number): number => {
    const wanted = BigInt(key) << companyBits;
    let [from, to] = [0, size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (entries[middle]! < wanted) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return {
    add(key, company) {
      assert(company < companiesMax, "more companies than a key table can number");
      if (size === entries.length) {
        const more = new BigUint64Array(size * 2);
        more.set(entries);
        entries = more;
      }
      entries[size++] = (BigInt(key) << companyBits) | BigInt(company);
    },
    seal: () => void entries.subarray(0, size).sort(),
    *shared(max) {
      for (let from = 0; from < size;) {
        const key = keyAt(from);
        let to = from + 1;
        while (to < size && keyAt(to) === key) to += 1;
        if (to - from >= 2 && to - from <= max) {
          yield {
            key,
            members: Array.from({ length: to - from }, (_, at) => companyAt(from + at)),
          };
        }
        from = to;
      }
    },
    members(key, max) {
      const found: number[] = [];
      for (let at = firstOf(key); at < size && found.length < max && keyAt(at) === key; at++)
        found.push(companyAt(at));
      return found;
    },
  };
}
