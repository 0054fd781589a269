export {
  configKey,
  logsKey,
  nodeStates,
  parseAssignment,
  parseAssignments,
  toNodeDesired,
  type CheckField,
  type NodeState,
  type NodeDesired,
} from "./assignments.ts";
export {
  heartbeatBytesMax,
  decodeHeartbeat,
  encodeHeartbeat,
  headHeartbeat,
  parseHeartbeat,
  type NodeHeartbeat,
  type AppliedRevision,
} from "./heartbeat.ts";
export {
  heartbeatEveryMs,
  createHeartbeatSender,
  type HeartbeatSender,
  type HeartbeatSenderOptions,
} from "./heartbeat-sender.ts";
export { desiredKey, openDesiredObject } from "./desired-object.ts";
export { earlierVersions, type EarlierVersions } from "./earlier-versions.ts";
export { driftOf, lacksOf, type Drift, type DriftInput, type Lack } from "./drift.ts";
export {
  createFollower,
  type Applied,
  type Follower,
  type FollowerOptions,
  type DesiredMemory,
  type DesiredSource,
} from "./follower.ts";
export { giveCommand, readDesired, type CommandPlace } from "./give-command.ts";
export { auditCommand, readCommands } from "./ledger-commands.ts";
export { createLogSender, logKey, type LogSender } from "./log-sender.ts";
export type { GossipSeen, NodeView, PeerSeen } from "./node-view.ts";
export {
  findNode,
  isPresent,
  missedMs,
  rosterOf,
  type NodeSeen,
  type RosterInput,
} from "./roster.ts";
export {
  allNodes,
  commanded,
  joined,
  nothingDesired,
  desiredFor,
  type Assignment,
  type DesiredCommand,
  type DesiredEntry,
  type DesiredState,
} from "./desired-state.ts";
export { parseDesired } from "./desired-format.ts";
export { desiredInBucket, desiredInLedger } from "./desired-sources.ts";
