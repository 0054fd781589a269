// inputs: test/simulation/**
import { describe, expect, test } from "vitest";
import { expectSeedsHold } from "./ledger-seeds.ts";
import { simulateLedger } from "./ledger-simulate.ts";

describe("the simulation of the ledger", () => {
  test(
    "seeds 1 to 1,000 keep O4, O6, O7 and O8, and meet every kind of fault",
    { timeout: 600_000 },
    () => expectSeedsHold(1, 1_000),
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
