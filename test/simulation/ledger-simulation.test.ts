// inputs: test/simulation/**
// long: simulation
import { describe, expect, test } from "vitest";
import { simulateLedger, type LedgerSimulation } from "./ledger-simulate.ts";

const isLong = process.env["FORAGER_TEST_LONG"] === "1";
const seedsCount = isLong ? 5_000 : 120;
const hubSeedsCount = isLong ? 1_000 : 30;
/** Fewer do not meet every kind of damage. */
const damageSeedsCount = isLong ? 1_000 : 140;

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
  "scrubbed",
  "erased",
  "vanished",
  "repaired",
  "stateLost",
  "stateOlder",
];
const seenFaults = new Set<string>();

async function expectSeedsHold(firstSeed: number, count: number): Promise<void> {
  const failed: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { violation, faultCounts } = await simulateLedger(seed);
    if (violation) failed.push(`seed ${seed}: ${violation}`);
    for (const kind of faultCounts.keys()) seenFaults.add(kind);
  }
  expect(failed).toEqual([]);
}

describe("the simulation of the ledger", () => {
  // A test of its own, so that a sabotaged program is found out quickly.
  test("forty seeds keep O4, O6, O7 and O8", () => expectSeedsHold(1, 40));

  test(
    `${seedsCount} more seeds keep them too, and every kind of fault is met`,
    { timeout: 300_000 + seedsCount * 600 },
    async () => {
      await expectSeedsHold(41, seedsCount);
      expect(faultKinds.filter((kind) => !seenFaults.has(kind))).toEqual([]);
    },
  );

  test("the same seed gives the same trace, another seed another", async () => {
    for (const seed of [3, 4]) {
      const [first, second] = [await simulateLedger(seed), await simulateLedger(seed)];
      expect(second.trace).toEqual(first.trace);
      expect((await simulateLedger(seed + 2)).trace).not.toEqual(first.trace);
    }
  });

  test("a machine may die at every single await", async () => {
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

  test(
    "nodes become the hub by themselves, and every promise is kept",
    { timeout: 300_000 + hubSeedsCount * 2_000 },
    () => expectHolds({ hub: "auto" }, hubSeedsCount, ["checkpoint", "adopted", "prunedSegment"]),
  );

  test(
    "machines lose what they have published of their journals, and all of it comes back",
    { timeout: 300_000 + damageSeedsCount * 2_000 },
    () =>
      expectHolds({ hasDamage: true }, damageSeedsCount, [
        "journal deleted",
        "journal cut",
        "journal flipped",
        "writeRefused",
      ]),
  );
});

/** Runs seeds in that way, and wants each of these to have happened. */
async function expectHolds(how: LedgerSimulation, count: number, kinds: readonly string[]) {
  const [failed, seen] = [[] as string[], new Set<string>()];
  for (let seed = 1; seed <= count; seed++) {
    const { violation, faultCounts } = await simulateLedger(seed, how);
    if (violation) failed.push(`seed ${seed}: ${violation}`);
    for (const kind of faultCounts.keys()) seen.add(kind);
  }
  expect(failed).toEqual([]);
  expect(kinds.filter((kind) => !seen.has(kind))).toEqual([]);
}
