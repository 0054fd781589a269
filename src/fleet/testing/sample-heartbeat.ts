import type { NodeHeartbeat } from "../heartbeat.ts";

/** What a node says that is well and has nothing to do. */
export const sampleHeartbeat: NodeHeartbeat = {
  atMs: 0,
  label: "pi",
  version: "0.1.0",
  state: "working",
  load1: 0,
  memoryBytes: { total: 1, free: 1 },
  kinds: {},
  peers: 0,
  alerts: [],
};
