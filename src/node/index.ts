export { attachWork, type NodeWork } from "./owner/attach-work.ts";
export type { GossipKeys, NodeGossip, OpenedGossip } from "./owner/gossip-keeper.ts";
export { syncMsMax, syncMsMin } from "./owner/keep-synced.ts";
export { makeRepeatable } from "./left-to-write.ts";
export { createLocalApi } from "./local-api.ts";
export type { Channel, MeetingPoint, OwnerLock } from "./meeting-point.ts";
export type {
  NodeApi,
  NodeFleet,
  NodeLedger,
  NodeRecords,
  NodeWake,
  ProcessDesired,
  ProcessReport,
  Watch,
} from "./node-api.ts";
export type { NodeEvents, NodeRole } from "./node-events.ts";
export type { NodeServices } from "./node-services.ts";
/** The services of a node bring gossip and campaigns with them: only an owner that stays loads them. */
export const loadNodeServices = () => import("./node-services.ts");
export { asReadApi, createReadApi, readLog, type NodeReadApi } from "./read-api.ts";
export { connectToNode, type NodeConnection } from "./client/connect-to-node.ts";
export {
  openNode,
  type NodeHandle,
  type OpenNodeOptions,
  type OwnedParts,
  type ProcessKind,
} from "./open-node.ts";
export { createProcessRegistry } from "./owner/process-registry.ts";
export { createWakeUps, paced } from "./owner/wake-up.ts";
