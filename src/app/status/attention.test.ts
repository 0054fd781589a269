import { expect, test } from "vitest";
import { problemsOf, type StatusReading } from "./attention.ts";
import type { ClusterStatus } from "./cluster-status.ts";
import { testNode, testQueue, wellStatus } from "./testing/test-status.ts";

const attentionOf = (status: StatusReading) => problemsOf(status).map(({ text }) => text);

test("a healthy fleet needs no attention; conflicts are kept, and are not an alarm", () => {
  expect(attentionOf(wellStatus)).toEqual([]);
  expect(attentionOf({ ...wellStatus, queue: testQueue(5) })).toEqual([]);
});

const ledger = (more: Partial<ClusterStatus["ledger"]>) => ({
  ledger: { ...wellStatus.ledger, ...more },
});
test.each<[string, Partial<ClusterStatus>, string]>([
  ["a node that is missed", { nodes: [testNode({ isPresent: false, agoMs: 600_000 })] }, "pi-1 is missing: it was last seen 10m00s ago"],
  ["an alert", { nodes: [testNode({}, { alerts: ["stall: kind enrich"] })] }, "pi-1: stall: kind enrich"],
  ["a command that failed", { nodes: [testNode({}, { followed: { revision: 7, atMs: 0, isApplied: false, what: "no" } })] }, "pi-1 could not apply revision 7: no"],
  ["a clock that is off", { nodes: [testNode({}, { clockOffsetMs: -7_200_000 })] }, "pi-1: its clock is off by 2h00m"],
  ["a disk that is full", { nodes: [testNode({}, { diskBytes: { total: 100, free: 2 } })] }, "pi-1: 2.0 % of its disk is left"],
  ["heat", { nodes: [testNode({}, { temperatureC: 84 })] }, "pi-1 is 84 °C hot"],
  ["drift there", { nodes: [testNode({ drift: { missingHere: 0, missingThere: 9, seconds: 300 } })] }, "pi-1 lacks 9 datagrams for 5m00s"],
  ["drift here", { nodes: [testNode({ drift: { missingHere: 1, missingThere: 0, seconds: 300 } })] }, "this node lacks 1 datagram of pi-1 for 5m00s"],
  ["another version", { nodes: [testNode(), testNode(), testNode({ label: "pi-9" }, { version: "0.0.9" })] }, "pi-9 runs another version: 0.0.9, not 0.1.0"],
  ["other settings", { nodes: [testNode(), testNode(), testNode({ label: "pi-9" }, { config: "xyz" })] }, "pi-9 has other settings: xyz, not abc"],
  ["quarantine", ledger({ quarantined: 2 }), "2 datagrams in quarantine: see forager ledger quarantine"],
  ["lost datagrams", ledger({ lost: 3 }), "3 datagrams of this node missing here, and nothing can be written: run forager ledger sync"],
  ["a lost checkpoint", ledger({ lostCheckpoint: 7 }), "checkpoint 7 missing here, and nothing can be written: run forager ledger sync"],
  ["a missing segment", ledger({ faults: ["x.usv is missing"] }), "the last sync: x.usv is missing"],
  ["a hub that is gone", { hub: { ...wellStatus.hub!, state: "expired", ageMs: 3_600_000 } }, "the hub 0000000000001 was last heard 1h00m ago: is it gone?"],
  ["failed tasks", { queue: { ...testQueue(0)!, kinds: [{ ...testQueue(0)!.kinds[0]!, failed: 7 }] } }, "7 enrich tasks failed: see forager queue list --state failed --kind enrich, then retry or purge them"],
  ["no hub", { hub: null, hubGap: { code: "none_for_a_day", text: "there was no hub yet" } }, "there was no hub yet"],
  ["work that nobody does", { queue: testQueue(5), nodes: [testNode({ isPresent: false }, { state: "stopped" })] }, "5 tasks could run, but no node is working"],
])("%s", (_name, more, words) => {
  expect(attentionOf({ ...wellStatus, ...more })).toEqual([words]);
}); // prettier-ignore

test("what ends by itself is not an alarm: brief drift, a node that stopped or left long ago, a pause", () => {
  const quiet: readonly Partial<ClusterStatus>[] = [
    { nodes: [testNode({ drift: { missingHere: 900, missingThere: 900, seconds: 3 } })] },
    { nodes: [testNode({ isPresent: false, agoMs: 600_000 }, { state: "stopped" })] },
    { nodes: [testNode({ isPresent: false, agoMs: 30 * 86_400_000 })] },
    { nodes: [testNode({}, { state: "paused" })], queue: testQueue(5) },
    { nodes: [testNode({ isPresent: false, agoMs: null, lastSeenMs: null, beat: null })] },
  ];
  for (const more of quiet) expect(attentionOf({ ...wellStatus, ...more })).toEqual([]);
});
