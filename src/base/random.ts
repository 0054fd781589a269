import { randomFillSync } from "node:crypto";

/** All chance comes from here. Seeded, a run can be repeated exactly. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform whole number in [0, limit). */
  below(limit: number): number;
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = fromUint32(() => {
  const word = new Uint32Array(1);
  return () => randomFillSync(word)[0]!;
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
    below: (limit) => Math.floor(next() * limit),
    bytes: (count) => Uint8Array.from({ length: count }, () => nextUint32() & 0xff),
  };
}
