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
const seen = new Set<string>();

async function failuresOf(seeds: readonly number[]) {
  const failed: string[] = [];
  for (const seed of seeds) {
    const { violation, faultCounts } = await simulateGossip(seed);
    if (violation) failed.push(`seed ${seed}: ${violation}`);
    for (const kind of faultCounts.keys()) seen.add(kind);
  }
  return failed;
}

describe("the simulation of gossip", () => {
  // Tests of their own, so that a sabotaged program is found out quickly.
  test("six small fleets come to agree, store nothing twice, raise no storm", async () => {
    expect(await failuresOf([2, 4, 5, 8, 9, 11])).toEqual([]);
  });

  test("two large fleets do so too", async () => {
    expect(await failuresOf([6, 12])).toEqual([]);
  });

  test(
    "so do fleets of 3 to 50, and every kind of fault is met",
    { timeout: 1_200_000 },
    async () => {
      const seeds = isLong ? Array.from({ length: 300 }, (_, at) => at + 13) : [7, 10, 13];
      expect(await failuresOf(seeds)).toEqual([]);
      expect(faultKinds.filter((kind) => !seen.has(kind))).toEqual([]);
    },
  );

  test("seeds that once found a fault find it no more", async () => {
    expect(await failuresOf(keptGossipSeeds.map(({ seed }) => seed))).toEqual([]);
  });

  test("the same seed gives the same trace, another seed another", async () => {
    const [first, second] = [await simulateGossip(5), await simulateGossip(5)];
    expect(second.trace).toEqual(first.trace);
    expect((await simulateGossip(8)).trace).not.toEqual(first.trace);
  });
});
