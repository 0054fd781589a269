import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSeededRandom, systemRandom } from "./random.ts";

describe("seeded random", () => {
  test("is the same sequence for ever: kept seeds must replay", () => {
    const random = createSeededRandom(42);
    expect(Array.from({ length: 4 }, () => random.below(2 ** 32))).toEqual([
      2581720956, 1925393290, 3661312704, 2876485805,
    ]);
    expect(random.next()).toBe(0.17481389874592423);
    expect([...random.bytes(4)]).toEqual([211, 20, 1, 30]);
  });

  test("the same seed gives the same sequence, another seed another", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (seed, otherSeed) => {
        fc.pre(seed >>> 0 !== otherSeed >>> 0);
        const draw = (from: number) => [...createSeededRandom(from).bytes(16)];
        expect(draw(seed)).toEqual(draw(seed));
        expect(draw(seed)).not.toEqual(draw(otherSeed));
      }),
    );
  });

  test("`below` stays in range for every limit", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 2 ** 32 }), (seed, limit) => {
        const value = createSeededRandom(seed).below(limit);
        expect(Number.isInteger(value) && value >= 0 && value < limit).toBe(true);
      }),
    );
  });
});

describe.each([
  ["seeded", createSeededRandom(7)],
  ["system", systemRandom],
])("%s random", (_name, random) => {
  // Chi-squared with 9 degrees of freedom exceeds 45 once in a million runs.
  const chiSquared = (draw: () => number) => {
    const counts = Array.from({ length: 10 }, () => 0);
    for (let turn = 0; turn < 10_000; turn++) counts[draw()]!++;
    return counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  };

  test("draws evenly, by number, by fraction and by byte", () => {
    expect(chiSquared(() => random.below(10))).toBeLessThan(45);
    expect(chiSquared(() => Math.floor(random.next() * 10))).toBeLessThan(45);
    const bytes = [...random.bytes(60_000)].filter((byte) => byte < 250).slice(0, 10_000);
    let next = 0;
    expect(chiSquared(() => bytes[next++]! % 10)).toBeLessThan(45);
  });

  test("every draw is a fraction of its own", () => {
    const draws = Array.from({ length: 2000 }, () => random.next());
    expect(draws.filter((draw) => !(draw >= 0 && draw < 1))).toEqual([]);
    expect(new Set(draws).size).toBeGreaterThan(1990);
  });

  test("gives as many bytes as asked for", () => {
    expect([0, 1, 33].map((count) => random.bytes(count).length)).toEqual([0, 1, 33]);
  });

  test.each([0, -1, 1.5, NaN, Infinity, 2 ** 32 + 1])("`below(%d)` is a bug", (limit) => {
    expect(() => random.below(limit)).toThrow("bug: no uniform whole number below");
  });
});
