// inputs: test/simulation/** src/gossip/**
// long: simulation
import { describe, expect, test } from "vitest";
import { simulateGossip } from "./gossip-simulate.ts";
import { keptGossipSeeds } from "./kept-seeds.ts";

/** Each must have happened somewhere, or the simulation is too kind. */
const faultKinds = [
  "loss",
  "duplication",
  "reordering",
  "partition",
  "oneWay",
  "stop",
  "crash",
  "moved",
  "keyStep",
  "clockAhead",
  "fullDisk",
  "large",
  "manyNodes",
];

const isLong = process.env["FORAGER_TEST_LONG"] === "1";

async function failuresOf(seeds: readonly number[], seen = new Map<string, number>()) {
  const failed: string[] = [];
  for (const seed of seeds) {
    const { violation, faultCounts } = await simulateGossip(seed);
    if (violation) failed.push(`seed ${seed}: ${violation}`);
    for (const [kind, times] of faultCounts) seen.set(kind, (seen.get(kind) ?? 0) + times);
  }
  return failed;
}

describe("the simulation of gossip", () => {
  test(
    "fleets of 3 to 50 come to agree, store nothing twice, raise no storm, and meet every fault",
    { timeout: 1_200_000 },
    async () => {
      const seen = new Map<string, number>();
      const seeds = Array.from({ length: isLong ? 300 : 25 }, (_, at) => at + 4);
      expect(await failuresOf(seeds, seen)).toEqual([]);
      expect(faultKinds.filter((kind) => !seen.has(kind))).toEqual([]);
    },
  );

  test("six small fleets of it, for quick answers", { timeout: 120_000 }, async () => {
    expect(await failuresOf([2, 4, 5, 8, 9, 11])).toEqual([]);
  });

  test("two large fleets of it, for quick answers", { timeout: 120_000 }, async () => {
    expect(await failuresOf([6, 12])).toEqual([]);
  });

  test("seeds that once found a fault find it no more", { timeout: 120_000 }, async () => {
    expect(await failuresOf(keptGossipSeeds.map(({ seed }) => seed))).toEqual([]);
  });

  test(
    "the same seed gives the same trace, another seed another",
    { timeout: 60_000 },
    async () => {
      const [first, second] = [await simulateGossip(5), await simulateGossip(5)];
      expect(second.trace).toEqual(first.trace);
      expect((await simulateGossip(8)).trace).not.toEqual(first.trace);
    },
  );
});
