import type { NodeHeartbeat } from "../heartbeat.ts";

/** The heartbeat of a healthy node that has nothing to do. */
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
