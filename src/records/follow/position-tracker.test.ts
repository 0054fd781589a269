import { expect, test } from "vitest";
import type { LedgerPosition } from "../../ledger/index.ts";
import { createPositionTracker } from "./position-tracker.ts";

const at = (last: number): LedgerPosition => ({
  checkpoint: 0,
  parts: "",
  aside: [],
  vector: { "n/s": last },
});
const some = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => {
    return { node: "n", session: "s", number: first + index } as never;
  });

test("the position never covers what was not rendered, and jumps when the gap is closed", () => {
  const tracker = createPositionTracker(at(3));
  expect(tracker.rendered(some(6, 7))).toBeUndefined();
  expect(tracker.position()).toEqual(at(3));
  expect(tracker.rendered(some(4, 4))).toEqual(at(4));
  expect(tracker.rendered(some(5, 5))).toEqual(at(7));
});

test("a position that was reached moves past ranges that touch it, and not past a gap", () => {
  const tracker = createPositionTracker(at(3));
  tracker.rendered(some(5, 6));
  tracker.rendered(some(8, 9));
  expect(tracker.reached(at(4))).toEqual(at(6));
  expect(tracker.reached(at(2))).toEqual(at(6));
  expect(tracker.reached(at(8))).toEqual(at(9));
});

test("a restart forgets what was rendered beyond the position", () => {
  const tracker = createPositionTracker(at(3));
  tracker.rendered(some(5, 5));
  tracker.restart(at(3));
  expect(tracker.rendered(some(4, 4))).toEqual(at(4));
  tracker.restart(undefined);
  expect(tracker.position()).toBeUndefined();
  expect(tracker.rendered(some(5, 5))).toBeUndefined();
});
