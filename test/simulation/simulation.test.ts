// inputs: test/simulation/**
// long: simulation
import { describe, expect, test } from "vitest";
import { personalities } from "../../src/bucket/testing/personality.ts";
import { keptSeeds } from "./kept-seeds.ts";
import { simulate } from "./simulate.ts";

const seedsCount = process.env["FORAGER_TEST_LONG"] === "1" ? 20_000 : 1_000;
const firstSeed = 1;

/** Each must have happened somewhere, or the simulation is too kind. */
const faultKinds = [
  "lostAnswer",
  "refused",
  "lateLanding",
  "vagueLoser",
  "falseConflict",
  "lostRead",
  "throttled",
  "crash",
  "pause",
  "clockStep",
  "cut",
  "takeover",
  "unresolved",
  "refusedStore",
];

describe("the simulation", () => {
  test(
    `${seedsCount} seeds keep O1, O2, O3, O8, O9 and O10, and meet every kind of fault`,
    async () => {
      const seen = new Map<string, number>();
      const failed: string[] = [];
      for (let seed = firstSeed; seed < firstSeed + seedsCount; seed++) {
        const { violation, faultCounts } = await simulate(seed);
        if (violation) failed.push(`seed ${seed}: ${violation}`);
        for (const [kind, count] of faultCounts) seen.set(kind, (seen.get(kind) ?? 0) + count);
      }
      expect(failed).toEqual([]);
      expect(faultKinds.filter((kind) => !seen.has(kind))).toEqual([]);
    },
    Math.max(600_000, seedsCount * 100),
  );

  test("the same seed gives the same trace, another seed another", async () => {
    for (const seed of [10, 11, 12, 13, 14, 15]) {
      const [first, second] = [await simulate(seed), await simulate(seed)];
      expect(second.trace).toEqual(first.trace);
      expect(first.trace.length).toBeGreaterThan(10);
      expect((await simulate(seed + 2)).trace).not.toEqual(first.trace);
    }
  });

  test.each(personalities)("%s: its own seeds", async (personality) => {
    const failed: string[] = [];
    for (let seed = 1; seed <= 20; seed++) {
      const { violation } = await simulate(seed, { personality });
      if (violation) failed.push(`seed ${seed}: ${violation}`);
    }
    expect(failed).toEqual([]);
  });

  test("a node may die at every single await", async () => {
    const failed: string[] = [];
    let crashes = 0;
    for (let crashAt = 1; crashAt <= 60; crashAt++) {
      for (const seed of [2, 3]) {
        const result = await simulate(seed, { personality: "lost-response", crashAt });
        if (result.violation) failed.push(`await ${crashAt}: ${result.violation}`);
        crashes += result.faultCounts.get("crash") ?? 0;
      }
    }
    expect(failed).toEqual([]);
    expect(crashes).toBeGreaterThanOrEqual(120);
  });

  test.each(keptSeeds)("kept seed $seed: $why", async ({ seed }) => {
    expect((await simulate(seed)).violation).toBeUndefined();
  });
});
