import { expect, test } from "vitest";
import { createLeaseLog } from "./lease-log.ts";

const lease = (kind: "claimed" | "ended", id: number, token = id) => ({
  kind,
  id,
  token,
  task: `task ${id}`,
});

test("what a killed node held is taken over by whoever claims it next", () => {
  const leases = createLeaseLog();
  for (const id of [1, 2, 3]) leases.note("one", lease("claimed", id), 0);
  leases.note("two", lease("claimed", 4), 0);
  leases.note("one", lease("ended", 2), 10);
  expect([leases.holds("one"), leases.holds("two")]).toEqual([2, 1]);
  leases.nodeDied("one", 100);
  expect(leases.holds("one")).toBe(0);
  leases.note("two", lease("claimed", 3, 33), 4_100);
  expect(leases.isAllTaken()).toBe(false);
  leases.note("two", lease("ended", 3, 33), 4_200);
  leases.note("three", lease("claimed", 3, 34), 5_000);
  expect(leases.takeOvers()).toEqual([
    { id: 1, task: "task 1", from: "one", by: undefined, afterMs: undefined },
    { id: 3, task: "task 3", from: "one", by: "two", afterMs: 4_000 },
  ]);
  leases.note("two", lease("claimed", 1, 35), 6_000);
  expect(leases.isAllTaken()).toBe(true);
});

test("an end of an older lease, and a claim that is reported late, change nothing", () => {
  const leases = createLeaseLog();
  leases.note("one", lease("claimed", 1, 5), 0);
  leases.note("two", lease("claimed", 1, 9), 10);
  leases.note("one", lease("ended", 1, 5), 20);
  leases.note("one", lease("claimed", 1, 5), 30);
  expect([leases.holds("one"), leases.holds("two")]).toEqual([0, 1]);
});
