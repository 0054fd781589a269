import type { StatusReading } from "../attention.ts";
import type { NodeHeartbeat } from "../../../fleet/index.ts";
import type { ClusterStatus, NodeStatus } from "../cluster-status.ts";

const beat: NodeHeartbeat = {
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
/** A healthy node. */
export const testNode = (
  more: Partial<NodeStatus> = {},
  said: Partial<NodeHeartbeat> = {},
): NodeStatus => ({
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
  lacks: [],
  beat: { ...beat, ...said },
  ...more,
});
/** A healthy fleet of two nodes. */
export const wellStatus: StatusReading = {
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
    lostCheckpoint: null,
    faults: [],
  },
  nodes: [testNode(), testNode({ node: "0000000000002", label: "pi-2" })],
  hubGap: null,
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
/** A queue with this many claimable tasks. */
export const testQueue = (claimable: number): ClusterStatus["queue"] => ({
  address: "sqlite:q.db",
  states: { pending: claimable, running: 0, done: 0, skipped: 0, failed: 0 },
  reasons: [],
  kinds: [kind(claimable)],
  log: { entries: 0, oldestAtMs: 0, keptKeys: 0 },
  keep: { doneDays: 7, failedDays: 30, keysDays: 90 },
});
