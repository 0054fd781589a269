// inputs: test/simulation/**
import { describe, test } from "vitest";
import { expectSeedsHold } from "./ledger-seeds.ts";

/** A file of its own, so that two processors share the work. */
describe("the simulation of the ledger, its second half", () => {
  test("seeds 1,001 to 2,000 keep O4, O6, O7 and O8", { timeout: 600_000 }, () =>
    expectSeedsHold(1_001, 1_000),
  );
});
