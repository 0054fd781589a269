import { expect, test } from "vitest";
import { createTestClock } from "../../base/testing/test-clock.ts";
import type { ProcessDesired } from "../../node/index.ts";
import type { ProcessSlot, SlotView } from "../../worker/index.ts";
import { planSlots } from "./plan-processes.ts";
import { parsePools, toSlots, withWorkers } from "./pools.ts";
import { createProcessPool } from "./process-pool.ts";

const nothing: ProcessDesired = { number: 1, state: "working", stateRevision: 0, workers: {} };
const workers = (counts: Readonly<Record<string, string>>) => new Map(Object.entries(counts));

test("a kind that is wanted has a pool of its own, and no other does it", () => {
  const plan = (pools: string, counts: Readonly<Record<string, string>>) =>
    toSlots(withWorkers(parsePools(pools), workers(counts)), "1").map(
      ({ name, except, concurrency }) => [name, concurrency, except ?? []],
    );
  expect(plan("*=1x10", {})).toEqual([["all-1", 10, []]]);
  expect(plan("*=1x10", { enrich: "4" })).toEqual([
    ["all-1", 10, ["enrich"]],
    ["enrich-1", 4, []],
  ]);
  expect(plan("*=1x10", { enrich: "0" })).toEqual([["all-1", 10, ["enrich"]]]);
  expect(plan("page+map=1x5 *=1x10", { map: "2x3-6" })).toEqual([
    ["page-1", 5, []],
    ["all-1", 10, ["map"]],
    ["map-1", { min: 3, max: 6 }, []],
    ["map-2", { min: 3, max: 6 }, []],
  ]);
  expect(plan("page=1x5", { page: "0" })).toEqual([]);
});

test("another count does not require a new process; another kind does, for those that ran it", () => {
  const versionOf = (counts: Readonly<Record<string, string>>, name: string) =>
    toSlots(withWorkers(parsePools("*=1x10"), workers(counts)), "1").find(
      (slot) => slot.name === name,
    )?.version;
  expect(versionOf({ enrich: "4" }, "enrich-1")).toBe(versionOf({ enrich: "9" }, "enrich-1"));
  expect(versionOf({ enrich: "4" }, "all-1")).toBe(versionOf({ enrich: "9" }, "all-1"));
  expect(versionOf({ enrich: "4" }, "all-1")).not.toBe(versionOf({}, "all-1"));
});

test("a changed bucket or queue needs a new process, a changed alert does not", () => {
  const settings = { work: { pools: "*=1x10" } } as never;
  const versionWith = (key: string, mark: string) =>
    planSlots({ settings, marks: new Map([[key, mark]]) }, {}, undefined)[0]?.version;
  for (const key of ["bucket.url", "bucket.password", "queue.url"]) {
    expect(versionWith(key, "1"), key).not.toBe(versionWith(key, "2"));
  }
  expect(versionWith("alert.url", "1")).toBe(versionWith("alert.url", "2"));
});

function setUp({ isDraining = false } = {}) {
  const clock = createTestClock();
  let slots: readonly ProcessSlot[] | undefined;
  let views: readonly SlotView[] = [];
  const pool = createProcessPool({
    choice: {},
    clock,
    isDraining,
    supervisor: {
      setSlots: (wanted) => {
        slots = wanted;
      },
      look: () => views,
    },
    settings: { work: { pools: "*=1x10" } } as never,
    marks: new Map(),
  });
  const running = (kinds: readonly string[], atWorkByKind = {}) => {
    const view = { kinds, concurrency: 10, atWorkByKind } as never;
    views = [{ name: "all-1", state: "running", pid: 1, restarts: 0, concurrency: 10, view }];
  };
  return { clock, pool, running, gone: () => (views = []), names: () => slots?.map((p) => p.name) };
}

test("nothing is started before what is wanted is known: what was paused stays paused", async () => {
  const { pool, names } = setUp();
  await pool.apply({ ...nothing, state: "paused", stateRevision: 3 });
  expect(names()).toBeUndefined();
  pool.begin();
  expect(names()).toEqual([]);
  expect(await pool.apply(nothing)).toEqual({ what: "working", faults: [] });
  expect(names()).toEqual(["all-1"]);
});

test("a kind that this node cannot do is reported, and the rest is done", async () => {
  const { pool, names, running } = setUp();
  pool.begin();
  running(["discover", "enrich"], { enrich: 2 });
  const applied = await pool.apply({ ...nothing, workers: { enrch: "4", enrich: "3" } });
  expect(applied).toEqual({
    what: "working, enrich 3",
    faults: ["no handler for the kind enrch here, only discover, enrich"],
  });
  expect(names()).toEqual(["all-1", "enrich-1"]);
  expect(pool.kinds()).toEqual({ discover: [10, 0], enrich: [10, 2] });
});

test("asked to leave, it does when no task runs; restarted, it waits until the fleet wants it again", async () => {
  const { clock, pool, running, gone } = setUp();
  let hasLeft = false;
  void pool.left.then(() => (hasLeft = true));
  await pool.apply({ ...nothing, state: "drained", stateRevision: 1 });
  pool.begin();
  await clock.advance(60_000);
  expect(hasLeft).toBe(false);
  await pool.apply(nothing);
  running(["enrich"]);
  await pool.apply({ ...nothing, state: "drained", stateRevision: 3 });
  await clock.advance(10_000);
  expect(hasLeft).toBe(false);
  gone();
  await clock.advance(1_100);
  expect(hasLeft).toBe(true);
});

test("one that is to end when nothing is left does not wait for a node that may do nothing", async () => {
  for (const state of ["drained", "paused"] as const) {
    for (const isAppliedFirst of [true, false]) {
      const { clock, pool } = setUp({ isDraining: true });
      let hasLeft = false;
      void pool.left.then(() => (hasLeft = true));
      if (!isAppliedFirst) pool.begin();
      await pool.apply({ ...nothing, state, stateRevision: 4 });
      if (isAppliedFirst) pool.begin();
      await clock.advance(2_000);
      expect(hasLeft).toBe(true);
      expect(pool.held()).toEqual({ state, revision: 4 });
    }
  }
});

test("a pause while it runs ends it too, when what is at work has ended; a short one does not", async () => {
  const { clock, pool, running, gone } = setUp({ isDraining: true });
  let hasLeft = false;
  void pool.left.then(() => (hasLeft = true));
  pool.begin();
  await pool.apply(nothing);
  running(["enrich"]);
  await pool.apply({ ...nothing, state: "paused", stateRevision: 5 });
  await clock.advance(10_000);
  await pool.apply(nothing);
  gone();
  await clock.advance(10_000);
  expect([hasLeft, pool.held()]).toEqual([false, undefined]);
  // Resumed at once, when all processes had already ended.
  await pool.apply({ ...nothing, state: "paused", stateRevision: 6 });
  await pool.apply(nothing);
  await clock.advance(10_000);
  expect([hasLeft, pool.held()]).toEqual([false, undefined]);
  await pool.apply({ ...nothing, state: "paused", stateRevision: 7 });
  await clock.advance(2_000);
  expect([hasLeft, pool.held()]).toEqual([true, { state: "paused", revision: 7 }]);
});
