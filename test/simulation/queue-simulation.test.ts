// inputs: test/simulation/**
// long: simulation
import { afterAll, describe, expect, test } from "vitest";
import { personalities } from "../../src/bucket/testing/personality.ts";
import { keptQueueSeeds } from "./kept-seeds.ts";
import { simulateQueue } from "./simulate-queue.ts";

const seedsCount = process.env["FORAGER_TEST_LONG"] === "1" ? 20_000 : 800;
const firstSeed = 1;
// A store that fails throws often, and nobody reads those stacks.
const { stackTraceLimit } = Error;
Error.stackTraceLimit = 0;
afterAll(() => void (Error.stackTraceLimit = stackTraceLimit));

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
  "unresolved",
  "refusedStore",
  "archived",
  "joinedLogs",
  "takenBack",
  "severalShards",
  "largeFleet",
];

describe("the simulation of a queue on a bucket", () => {
  test(
    `${seedsCount} seeds keep Q1 to Q10, and meet every kind of fault`,
    async () => {
      const seen = new Map<string, number>();
      const failed: string[] = [];
      for (let seed = firstSeed; seed < firstSeed + seedsCount; seed++) {
        const { violation, faultCounts } = await simulateQueue(seed);
        if (violation) failed.push(`npm run sim -- queue --seed ${seed}: ${violation}`);
        for (const [kind, count] of faultCounts) seen.set(kind, (seen.get(kind) ?? 0) + count);
        if (failed.length >= 5) break; // enough to begin with
      }
      expect(failed).toEqual([]);
      expect(faultKinds.filter((kind) => !seen.has(kind))).toEqual([]);
    },
    Math.max(600_000, seedsCount * 100),
  );

  test("the same seed gives the same trace, another seed another", async () => {
    for (const seed of [20, 21, 23]) {
      const [first, second] = [await simulateQueue(seed), await simulateQueue(seed)];
      expect(second.trace).toEqual(first.trace);
      expect(first.trace.length).toBeGreaterThan(10);
      expect((await simulateQueue(seed + 100)).trace).not.toEqual(first.trace);
    }
  });

  test.each(personalities)("%s: its own seeds", async (personality) => {
    const failed: string[] = [];
    for (let seed = 1; seed <= 10; seed++) {
      const { violation } = await simulateQueue(seed, { personality });
      if (violation) failed.push(`seed ${seed}: ${violation}`);
    }
    expect(failed).toEqual([]);
  });

  test("a node may die at every single await", async () => {
    const failed: string[] = [];
    let crashes = 0;
    for (let crashAt = 1; crashAt <= 24; crashAt++) {
      for (const seed of [2, 3, 5]) {
        const result = await simulateQueue(seed, { personality: "lost-response", crashAt });
        if (result.violation) failed.push(`seed ${seed}, await ${crashAt}: ${result.violation}`);
        crashes += Math.min(1, result.faultCounts.get("crash") ?? 0);
      }
    }
    expect(failed).toEqual([]);
    expect(crashes).toBeGreaterThanOrEqual(60);
  });

  test.each(keptQueueSeeds)("kept seed $seed: $why", async ({ seed }) => {
    expect((await simulateQueue(seed)).violation).toBeUndefined();
  });
});
