import { expect, test } from "vitest";
import { docsPage } from "../../../base/docs-page.ts";
import type { Beat } from "../../../fleet/index.ts";
import { attentionOf } from "./attention.ts";
import type { ClusterStatus, NodeStatus } from "./cluster-status.ts";
import { describeStatus, describeStatusInLine } from "./status-view.ts";
import { createOutput } from "../../output.ts";

const beat: Beat = {
  atMs: 0,
  label: "pi-1",
  version: "0.1.0",
  state: "working",
  config: "abc",
  load1: 0.5,
  memoryBytes: { total: 100, free: 50 },
  diskBytes: { total: 100, free: 50 },
  temperatureC: 50,
  kinds: { enrich: [4, 1] },
  clockOffsetMs: 20,
  peers: 1,
  alerts: [],
};
const node = (more: Partial<NodeStatus> = {}, said: Partial<Beat> = {}): NodeStatus => ({
  node: "0000000000001",
  label: "pi-1",
  isSelf: false,
  lastSeenMs: 0,
  agoMs: 5_000,
  isPresent: true,
  session: "s",
  addresses: ["10.0.0.1:9999"],
  how: "mdns",
  rttMs: 1,
  drift: { missingHere: 0, missingThere: 0, seconds: 0 },
  beat: { ...beat, ...said },
  ...more,
});
const well: Omit<ClusterStatus, "attention"> = {
  atMs: Date.UTC(2026, 0, 1),
  ledger: {
    node: "0000000000001",
    label: "pi-1",
    checkpoint: 3,
    sessions: 2,
    datagramsSinceCheckpoint: 10,
    unpublished: 1,
    quarantined: 0,
    clockOffsetMs: 0,
    highWater: "",
    cuts: 0,
    conflicts: 2,
    stranded: 0,
    lost: 0,
    faults: [],
  },
  nodes: [node(), node({ node: "0000000000002", label: "pi-2" })],
  hub: { node: "0000000000001", epoch: 4, state: "held", ageMs: 3_000 },
  checkpoint: { number: 3, madeAtMs: 0, ageMs: 60_000, quarantined: 0 },
  queue: null,
  gossipKey: "settings",
  gossip: {
    packetsIn: 1_200,
    packetsOut: 900,
    droppedByReason: { unauthenticated: 12, stranger: 3, own: 0 },
  },
};
const kind = (claimable: number) => ({
  kind: "enrich",
  pending: claimable,
  running: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  claimable,
  claimableAgeMs: 0,
  reasons: [
    { reason: "domain_delay" as const, count: 2, share: 0.4, oldestAgeMs: 61_000 },
    { reason: "worker_capacity" as const, count: 3, share: 0.6, oldestAgeMs: 5_000 },
  ],
  waits: { count: 0, p50Ms: 0, p95Ms: 0, p99Ms: 0 },
});
const queueOf = (claimable: number): ClusterStatus["queue"] => ({
  address: "sqlite:q.db",
  states: { pending: claimable, running: 0, done: 0, skipped: 0, failed: 0 },
  reasons: [],
  kinds: [kind(claimable)],
  log: { entries: 0, oldestAtMs: 0, keptKeys: 0 },
  keep: { doneDays: 7, failedDays: 30, keysDays: 90 },
});

test("a fleet that is well needs nothing; conflicts are kept, and are no alarm", () => {
  expect(attentionOf(well)).toEqual([]);
  expect(attentionOf({ ...well, queue: queueOf(5) })).toEqual([]);
});

const ledger = (more: Partial<ClusterStatus["ledger"]>) => ({
  ledger: { ...well.ledger, ...more },
});
test.each<[string, Partial<ClusterStatus>, string]>([
  ["a node that is missed", { nodes: [node({ isPresent: false, agoMs: 600_000 })] }, "pi-1 is missed: it was last seen 10m00s ago"],
  ["an alert", { nodes: [node({}, { alerts: ["stall: kind enrich"] })] }, "pi-1: stall: kind enrich"],
  ["a command that failed", { nodes: [node({}, { followed: { revision: 7, atMs: 0, isApplied: false, what: "no" } })] }, "pi-1 could not follow revision 7: no"],
  ["a clock that is off", { nodes: [node({}, { clockOffsetMs: -7_200_000 })] }, "pi-1: its clock is off by 2h00m"],
  ["a disk that is full", { nodes: [node({}, { diskBytes: { total: 100, free: 2 } })] }, "pi-1: 2.0 % of its disk is left"],
  ["heat", { nodes: [node({}, { temperatureC: 84 })] }, "pi-1 is 84 °C hot"],
  ["drift there", { nodes: [node({ drift: { missingHere: 0, missingThere: 9, seconds: 300 } })] }, "pi-1 lacks 9 datagrams for 5m00s"],
  ["drift here", { nodes: [node({ drift: { missingHere: 1, missingThere: 0, seconds: 300 } })] }, "this node lacks 1 datagram of pi-1 for 5m00s"],
  ["another version", { nodes: [node(), node(), node({ label: "pi-9" }, { version: "0.0.9" })] }, "pi-9 runs another version: 0.0.9, not 0.1.0"],
  ["other settings", { nodes: [node(), node(), node({ label: "pi-9" }, { config: "xyz" })] }, "pi-9 has other settings: xyz, not abc"],
  ["quarantine", ledger({ quarantined: 2 }), "2 datagrams in quarantine: see forager ledger quarantine"],
  ["lost datagrams", ledger({ lost: 3 }), "3 published datagrams missing here: run forager ledger sync"],
  ["a missing segment", ledger({ faults: ["x.usv is missing"] }), "the last sync: x.usv is missing"],
  ["a hub that is gone", { hub: { ...well.hub!, state: "expired", ageMs: 3_600_000 } }, "the hub 0000000000001 was last heard 1h00m ago: is it gone?"],
  ["work that nobody does", { queue: queueOf(5), nodes: [node({ isPresent: false }, { state: "stopped" })] }, "5 tasks could run, and no node works"],
])("%s", (_name, more, words) => {
  expect(attentionOf({ ...well, ...more })).toEqual([words]);
}); // prettier-ignore

test("what passes by itself is no alarm: drift of a moment, a node that stopped or left long ago, a pause", () => {
  const quiet: readonly Partial<ClusterStatus>[] = [
    { nodes: [node({ drift: { missingHere: 900, missingThere: 900, seconds: 3 } })] },
    { nodes: [node({ isPresent: false, agoMs: 600_000 }, { state: "stopped" })] },
    { nodes: [node({ isPresent: false, agoMs: 30 * 86_400_000 })] },
    { nodes: [node({}, { state: "paused" })], queue: queueOf(5) },
    { nodes: [node({ isPresent: false, agoMs: null, lastSeenMs: null, beat: null })] },
  ];
  for (const more of quiet) expect(attentionOf({ ...well, ...more })).toEqual([]);
});

test("a table says who is there, where, how found, how far apart, and what to look at", () => {
  const attention = ["pi-2 is missed"];
  const lines: string[] = [];
  const out = createOutput({
    stdout: { write: (text: string) => void lines.push(text) },
    stderr: { write: () => {} },
    isJson: false,
    isQuiet: false,
    hasColor: false,
  });
  const status = { ...well, queue: queueOf(5), attention };
  out.result(status, (layout) => describeStatus(status, true, layout));
  const text = lines.join("");
  expect(text).toMatch(/^node +name +seen +state +address +found +session +lacks here\/there +for/);
  expect(text).toContain("pi-1  5.0s ago  working  10.0.0.1:9999  mdns");
  expect(text).toContain("hub 0000000000001, epoch 4, held, heard 3.0s ago; checkpoint 3 of 1m00s");
  expect(text).toContain(
    "  enrich: 5 pending (2 domain_delay 1m01s, 3 worker_capacity 5.0s), 0 running, 0 done, 0 failed",
  );
  expect(text).toContain(
    `gossip: 1200 packets in, 900 out; dropped: 12 unauthenticated, 3 stranger (${docsPage("gossip.md")})`,
  );
  expect(text).toContain("gossip: key from gossip.keys\n");
  const own = { ...status, gossip: null, gossipKey: "own" } as const;
  out.result(own, (layout) => describeStatus(own, true, layout));
  expect(lines.at(-1)).toContain(
    `gossip: own key only, other machines cannot join; set gossip.keys on every machine, see ${docsPage("gossip.md")}`,
  );
  expect(text).toContain("needs attention:\n  pi-2 is missed");
  expect(describeStatusInLine(status)).toBe(
    "2026-01-01T00:00:00Z 2 of 2 nodes, 5 pending, 0 running, pi-2 is missed",
  );
});
