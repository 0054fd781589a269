export { attachWork, type NodeWork } from "./owner/attach-work.ts";
export type { OpenedGossip } from "./owner/gossip-keeper.ts";
export { syncMsMax, syncMsMin } from "./owner/keep-synced.ts";
export { makeRepeatable } from "./left-to-write.ts";
export { createLocalApi } from "./local-api.ts";
export type { Channel, MeetingPoint, OwnerLock } from "./meeting-point.ts";
export type { NodeApi, NodeLedger, NodeRecords, NodeWake, ProcessDesired } from "./node-api.ts";
export type { NodeEvents, NodeRole } from "./node-events.ts";
export type { NodeServices } from "./node-services.ts";
/** The services of a node bring gossip and campaigns with them: only an owner that stays loads them. */
export const loadNodeServices = () => import("./node-services.ts");
export { createReadApi, readConflicts, readLog, type NodeReadApi } from "./read-api.ts";
export { connectToNode } from "./client/connect-to-node.ts";
export { openNode, type NodeHandle, type OwnedParts, type ProcessKind } from "./open-node.ts";
export { createProcessRegistry } from "./owner/process-registry.ts";
export { createWakeUps } from "./owner/wake-up.ts";
