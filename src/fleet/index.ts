export {
  logsKey,
  nodeStates,
  parseAssignment,
  parseAssignments,
  toNodeWanted,
  type CheckField,
  type NodeState,
  type NodeWanted,
} from "./assignments.ts";
export {
  beatBytesMax,
  decodeBeat,
  encodeBeat,
  headBeat,
  parseBeat,
  type Beat,
  type Followed,
} from "./beat.ts";
export { beatEveryMs, createBeater, type Beater, type BeaterOptions } from "./beater.ts";
export { desiredKey, openDesiredObject } from "./desired-object.ts";
export { driftOf, type Drift, type DriftInput } from "./drift.ts";
export {
  createFollower,
  type Applied,
  type Follower,
  type FollowerOptions,
  type WantedMemory,
  type WantedSource,
} from "./follower.ts";
export { giveCommand, readWanted, type CommandPlace } from "./give-command.ts";
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
  nothingWanted,
  wantedOf,
  type Assignment,
  type Command,
  type Entry,
  type Wanted,
} from "./wanted.ts";
export { parseWanted } from "./wanted-format.ts";
export { wantedInBucket, wantedInLedger } from "./wanted-sources.ts";
