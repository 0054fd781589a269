// inputs: test/simulation/**
import { describe, expect, test } from "vitest";
import { simulateLedger } from "./ledger-simulate.ts";

const seedsCount = process.env["FORAGER_TEST_LONG"] === "1" ? 2_000 : 60;
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
  "clone",
  "ahead",
  "moved",
  "checkpoint",
  "adopted",
  "prunedSegment",
  "prunedPart",
];

describe("the simulation of the ledger", () => {
  test(
    `${seedsCount} seeds keep O4, O6, O7 and O8, and meet every kind of fault`,
    async () => {
      const seen = new Map<string, number>();
      const failed: string[] = [];
      for (let seed = firstSeed; seed < firstSeed + seedsCount; seed++) {
        const { violation, faultCounts } = await simulateLedger(seed);
        if (violation) failed.push(`seed ${seed}: ${violation}`);
        for (const [kind, count] of faultCounts) seen.set(kind, (seen.get(kind) ?? 0) + count);
      }
      expect(failed).toEqual([]);
      expect(faultKinds.filter((kind) => !seen.has(kind))).toEqual([]);
    },
    seedsCount * 1_000,
  );

  test("forty seeds of it, for quick answers", { timeout: 120_000 }, async () => {
    const failed: string[] = [];
    for (let seed = 1; seed <= 40; seed++) {
      const { violation } = await simulateLedger(seed);
      if (violation) failed.push(`seed ${seed}: ${violation}`);
    }
    expect(failed).toEqual([]);
  });

  test(
    "the same seed gives the same trace, another seed another",
    { timeout: 60_000 },
    async () => {
      for (const seed of [3, 4]) {
        const [first, second] = [await simulateLedger(seed), await simulateLedger(seed)];
        expect(second.trace).toEqual(first.trace);
        expect((await simulateLedger(seed + 2)).trace).not.toEqual(first.trace);
      }
    },
  );

  test("a machine may die at every single await", { timeout: 240_000 }, async () => {
    const failed: string[] = [];
    let crashes = 0;
    for (let crashAt = 1; crashAt <= 120; crashAt++) {
      const result = await simulateLedger(2, { personality: "lost-response", crashAt });
      if (result.violation) failed.push(`await ${crashAt}: ${result.violation}`);
      crashes += result.faultCounts.get("crash") ?? 0;
    }
    expect(failed).toEqual([]);
    expect(crashes).toBeGreaterThanOrEqual(120);
  });
});
