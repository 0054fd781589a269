// inputs: test/simulation/**
// long: simulation
import { describe, expect, test } from "vitest";
import { simulateNode } from "./node-simulate.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";
const seedsCount = isLong ? 200 : 10;
const awaitsCount = isLong ? 40 : 16;

describe("the simulation of the processes of one data folder", () => {
  test("its first seeds keep N1 to N4, and meet every kind of trouble", async () => {
    const failed: string[] = [];
    const seen = new Map<string, number>();
    for (let seed = 1; seed <= seedsCount; seed++) {
      const { violation, faultCounts } = await simulateNode(seed);
      if (violation) failed.push(`seed ${seed}: ${violation}`);
      for (const [kind, count] of faultCounts) seen.set(kind, (seen.get(kind) ?? 0) + count);
    }
    expect(failed).toEqual([]);
    const kinds = ["crash", "pause", "service", "command", "worker", "closed"];
    for (const kind of kinds) expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0);
  });

  test("the same seed gives the same trace, another seed another", async () => {
    const [first, second] = [await simulateNode(3), await simulateNode(3)];
    expect(second.trace).toEqual(first.trace);
    expect((await simulateNode(4)).trace).not.toEqual(first.trace);
  });

  test("a process may die at every single await", async () => {
    const failed: string[] = [];
    for (let crashAt = 1; crashAt <= awaitsCount; crashAt++) {
      const { violation } = await simulateNode(5, { crashAt });
      if (violation) failed.push(`await ${crashAt}: ${violation}`);
    }
    expect(failed).toEqual([]);
  });
});
