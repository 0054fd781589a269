import { expect } from "vitest";
import { simulateLedger } from "./ledger-simulate.ts";

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
  "vanished",
  "repaired",
];

/** Runs that many seeds, and wants every kind of fault to have been met. */
export async function expectSeedsHold(firstSeed: number, count: number): Promise<void> {
  const seen = new Map<string, number>();
  const failed: string[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { violation, faultCounts } = await simulateLedger(seed);
    if (violation) failed.push(`seed ${seed}: ${violation}`);
    for (const [kind, times] of faultCounts) seen.set(kind, (seen.get(kind) ?? 0) + times);
  }
  expect(failed).toEqual([]);
  expect(faultKinds.filter((kind) => !seen.has(kind))).toEqual([]);
}
