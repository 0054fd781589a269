import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difference, median, percentile, ratio, spread } from "../../bench/frame/statistics.ts";

const samples = fc.array(fc.integer({ min: -1e6, max: 1e6 }), { minLength: 1 });

describe("bench statistics", () => {
  test("the median of an odd count is the middle one, by size and not by text", () => {
    expect(median([100, 20, 30])).toBe(30);
  });

  test("the median of an even count lies half-way between the middle two", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test("a percentile is interpolated between its neighbours", () => {
    const hundred = Array.from({ length: 101 }, (_, index) => 100 - index);
    expect(percentile(hundred, 99)).toBe(99);
    expect(percentile([10, 20], 25)).toBe(12.5);
    expect(percentile([7], 99)).toBe(7);
  });

  test("a percentile of nothing is a bug, not a number", () => {
    expect(() => percentile([], 50)).toThrow("at least one sample");
    expect(() => percentile([1], 101)).toThrow("not a percentile");
  });

  test("percentiles grow with the percentage and stay within the samples", () => {
    fc.assert(
      fc.property(samples, fc.nat(100), fc.nat(100), (values, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const [atLow, atHigh] = [percentile(values, low), percentile(values, high)];
        expect(atLow).toBeLessThanOrEqual(atHigh + 1e-6);
        expect(percentile(values, 0)).toBe(Math.min(...values));
        expect(percentile(values, 100)).toBe(Math.max(...values));
      }),
    );
  });

  test("a spread keeps the samples in the order they were taken", () => {
    expect(spread([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3, samples: [3, 1, 2] });
  });

  test("two sides are compared repetition by repetition", () => {
    // The machine slows to a third after the first repetition; ours is twice as fast throughout.
    const ours = spread([600, 200, 200]);
    const peer = spread([300, 100, 100]);
    expect(ratio(ours, peer).samples).toEqual([2, 2, 2]);
    expect(difference(ours, peer).samples).toEqual([300, 100, 100]);
  });

  test("sides that did not run equally often cannot be compared", () => {
    expect(() => ratio(spread([1, 2]), spread([1]))).toThrow("equally often");
  });
});
