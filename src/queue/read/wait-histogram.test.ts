import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bucketOf, percentiles, waitOf } from "./wait-histogram.ts";

const histogram = (waits: readonly number[]) => {
  const buckets = new Map<number, number>();
  for (const wait of waits) buckets.set(bucketOf(wait), (buckets.get(bucketOf(wait)) ?? 0) + 1);
  return buckets;
};
const yearMs = 365 * 86_400_000;
const anyWait = fc.oneof(
  fc.integer({ min: 0, max: 2_000 }),
  fc.integer({ min: 0, max: yearMs }),
  fc.double({ min: 0, max: 17, noNaN: true }).map((exponent) => Math.floor(Math.exp(exponent))),
);

describe("the wait histogram", () => {
  test("property: a wait comes back within 5 %, one below 10 ms exactly", () => {
    fc.assert(
      fc.property(anyWait, (wait) => {
        const got = waitOf(bucketOf(wait));
        if (wait < 10) expect(got).toBe(wait);
        else expect(Math.abs(got - wait) / wait).toBeLessThanOrEqual(0.05);
      }),
      { numRuns: 2_000 },
    );
  });

  test("property: buckets are in the order of waits", () => {
    fc.assert(
      fc.property(anyWait, anyWait, (a, b) => {
        expect(bucketOf(Math.min(a, b))).toBeLessThanOrEqual(bucketOf(Math.max(a, b)));
      }),
    );
  });

  test("property: percentiles are within 5 % of the true ones", () => {
    fc.assert(
      fc.property(fc.array(anyWait, { minLength: 1, maxLength: 300 }), (waits) => {
        const sorted = [...waits].sort((a, b) => a - b);
        const got = percentiles(histogram(waits));
        expect(got.count).toBe(waits.length);
        for (const [share, value] of [
          [0.5, got.p50Ms],
          [0.95, got.p95Ms],
          [0.99, got.p99Ms],
        ] as const) {
          const exact = sorted[Math.ceil(share * sorted.length) - 1]!;
          expect(Math.abs(value - exact)).toBeLessThanOrEqual(0.05 * exact);
        }
      }),
    );
  });

  test("a short wait is not spoilt by rounding", () => {
    expect(percentiles(histogram([13])).p50Ms).toBeCloseTo(12.5, 1);
  });

  test("any wait fits in few buckets, and odd ones do no harm", () => {
    expect(bucketOf(10 * yearMs)).toBeLessThan(300);
    expect(bucketOf(-5)).toBe(0);
    expect(bucketOf(0.9)).toBe(0);
  });

  test("no waits have no percentiles", () => {
    expect(percentiles(new Map())).toEqual({ count: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0 });
  });
});
