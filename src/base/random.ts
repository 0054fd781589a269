import { randomFillSync } from "node:crypto";
import { assert } from "./app-error.ts";

/** The only source of randomness. With a seed, a run can be repeated exactly. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [0, limit); `limit` is a whole number from 1 to 2^32. */
  below(limit: number): number;
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = fromUint32(() => {
  const words = new Uint32Array(256); // a system call for each number would cost 20 times more
  let used = words.length;
  return () => {
    if (used === words.length) {
      randomFillSync(words);
      used = 0;
    }
    return words[used++]!;
  };
});

/** mulberry32: small, fast, good enough for tests and jitter; never for secrets. */
export function createSeededRandom(seed: number): Random {
  return fromUint32(() => {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return (mixed ^ (mixed >>> 14)) >>> 0;
    };
  });
}

function fromUint32(start: () => () => number): Random {
  const nextUint32 = start();
  const next = () => nextUint32() / 2 ** 32;
  return {
    next,
    below(limit) {
      const isInRange = Number.isInteger(limit) && limit >= 1 && limit <= 2 ** 32;
      assert(isInRange, `no uniform whole number below ${limit}: give 1 to 2^32`);
      return Math.floor(next() * limit);
    },
    bytes(count) {
      const bytes = new Uint8Array(count);
      for (let index = 0; index < count; index++) bytes[index] = nextUint32();
      return bytes;
    },
  };
}
