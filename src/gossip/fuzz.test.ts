import { expect, test } from "vitest";
import { fuzzGossip } from "./testing/fuzz.ts";

test("50,000 hostile packets: nothing crashes, grows or is written, and it works on", async () => {
  const { stored, exceeded, heapGrowthMb, isWell, droppedByReason } = await fuzzGossip(1, 50_000);
  expect({ stored, exceeded, isWell }).toEqual({ stored: 0, exceeded: [], isWell: true });
  expect(heapGrowthMb).toBeLessThan(30);
  const { malformed, unauthenticated, replayed, oversize, refused } = droppedByReason;
  for (const count of [malformed, unauthenticated, replayed, oversize, refused]) {
    expect(count).toBeGreaterThan(100); // each of them was tried
  }
});
