// long: simulation
import { expect, test } from "vitest";
import { fuzzGossip } from "./testing/fuzz.ts";

test("a million hostile packets: nothing crashes, grows or is written, and it works on", async () => {
  const { stored, exceeded, heapGrowthMb, isWell } = await fuzzGossip(2, 1_000_000);
  expect({ stored, exceeded, isWell }).toEqual({ stored: 0, exceeded: [], isWell: true });
  expect(heapGrowthMb).toBeLessThan(60);
}, 1_200_000);
