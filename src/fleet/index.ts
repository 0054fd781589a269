export {
  configKey,
  logsKey,
  parseAssignment,
  parseAssignments,
  toNodeDesired,
  type NodeDesired,
} from "./assignments.ts";
export {
  decodeHeartbeat,
  parseHeartbeat,
  type NodeHeartbeat,
  type AppliedRevision,
} from "./heartbeat.ts";
export { createHeartbeatSender } from "./heartbeat-sender.ts";
export { openDesiredObject } from "./desired-object.ts";
export { earlierVersions } from "./earlier-versions.ts";
export { driftOf, lacksOf, type Drift, type DriftInput, type Lack } from "./drift.ts";
export { createFollower, type Applied, type DesiredMemory } from "./follower.ts";
export { giveCommand, readDesired, type CommandPlace } from "./give-command.ts";
export { attemptsKey, createLogSender, logKey } from "./log-sender.ts";
export type { GossipSeen, NodeView } from "./node-view.ts";
export { findNode, isPresent, missedMs, rosterOf, type NodeSeen } from "./roster.ts";
export {
  allNodes,
  commanded,
  joined,
  nothingDesired,
  desiredFor,
  type Assignment,
  type DesiredState,
} from "./desired-state.ts";
export { parseDesired } from "./desired-format.ts";
export { desiredInBucket, desiredInLedger } from "./desired-sources.ts";
