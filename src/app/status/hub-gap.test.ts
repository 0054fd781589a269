import { expect, test } from "vitest";
import { stampOf } from "../../ledger/index.ts";
import { hubGapOf, type HubGapInput } from "./hub-gap.ts";
import { testNode, wellStatus } from "./testing/test-status.ts";

const hourMs = 3_600_000;
const nowMs = Date.UTC(2026, 0, 10);
const at = (agoMs: number, target = "company/a") => ({
  target,
  stamp: stampOf({ ms: nowMs - agoMs, counter: 0 }),
});
const gap = (more: Partial<HubGapInput>) =>
  hubGapOf({ hub: null, nodes: [testNode()], nowMs, log: [at(30 * hourMs)], ...more });
const hub = (ageMs: number) => ({ ...wellStatus.hub!, ageMs });

test("no hub for a day is said if something of that age is in no checkpoint", () => {
  expect(gap({})).toMatchObject({ code: "none_for_a_day" });
  expect(gap({})?.text).toContain(
    "there was no hub yet, and data of 1d06h ago is in no checkpoint",
  );
  expect(gap({ hub: hub(50 * hourMs) })?.text).toContain("there was no hub since 2d02h");
});

test("a hub within a day, recent data, and the record of a checkpoint are not a gap", () => {
  expect(gap({ hub: hub(23 * hourMs) })).toBeNull();
  expect(gap({ log: [at(2 * hourMs)] })).toBeNull();
  expect(gap({ log: [at(90 * hourMs, "system/checkpoint"), at(hourMs)] })).toBeNull();
  expect(gap({ log: [] })).toBeNull();
});

test("no node that is there has the rights: each is named with its reason", () => {
  const why = "this node may not delete ledger/wal/";
  const unable = testNode({}, { hub: { state: "unable", why } });
  const never = testNode({ label: "pi-2" }, { hub: { state: "never" } });
  const found = gap({ nodes: [unable, never], log: [] });
  expect(found?.code).toBe("no_rights");
  expect(found?.text).toContain(`pi-1: ${why}; pi-2: its ledger.hub is set to never`);
  for (const state of ["able", "unknown"] as const) {
    expect(gap({ nodes: [unable, testNode({}, { hub: { state } })], log: [] })).toBeNull();
  }
  // A node of an earlier version reports nothing; a node that is offline does not count.
  expect(gap({ nodes: [unable, testNode()], log: [] })).toBeNull();
  const gone = testNode({ isPresent: false }, { hub: { state: "able" } });
  expect(gap({ nodes: [unable, gone], log: [] })?.code).toBe("no_rights");
  expect(gap({ nodes: [unable], hub: hub(hourMs), log: [] })).toBeNull();
});
