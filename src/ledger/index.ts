export type { Change, Commit } from "./changes.ts";
export { parseStamp, stampOf, type Stamp } from "./clock/stamp.ts";
export { encodeValue, valueBytesMax } from "./datagram/check-input.ts";
export {
  compareDatagrams,
  dotOf,
  referenceOf,
  type Datagram,
  type Dot,
} from "./datagram/datagram.ts";
export type { Exchange, RangeAsk, RecordRange } from "./exchange/exchange.ts";
export type { Erasure, EraseRequest, FieldsWithPrefix, KnownField } from "./erase.ts";
export { forgetRegister } from "./forget.ts";
export { erasedPrefix } from "./fold/erased.ts";
export { hideErased, isWithoutContent, readArchive, viewAt } from "./history.ts";
export type { LedgerDisk } from "./journal/disk.ts";
export { openLedger, type Ledger, type LedgerOptions } from "./ledger.ts";
export type { LedgerStatus } from "./status.ts";
export type { Written } from "./ledger.ts";
export type { LogOutline, LogPage } from "./log.ts";
export type { ChangedTargets, LedgerPosition } from "./position.ts";
export { readNodeFile } from "./node-file.ts";
export {
  suppressChanges,
  suppressionEntries,
  suppressionTargets,
  unsuppressChanges,
  type SuppressionEntry,
} from "./suppress.ts";
export type { StateStore } from "./state/state-store.ts";
export { mergeChanges } from "./replica/read-target.ts";
export { decodeHead, type SessionHead, type HeadInfo, type HeadSession } from "./tiers/head.ts";
export {
  compactOnce,
  createHub,
  hubIntervalMsDefault,
  pruneGraceMsDefault,
  type Compacted,
  type HubOptions,
} from "./tiers/hub/hub.ts";
export {
  createAutoHub,
  type AutoHub,
  type AutoHubOptions,
  type HubAbility,
  type HubMode,
} from "./tiers/hub/auto-hub.ts";
export { checkpointCommit } from "./tiers/checkpoint-commit.ts";
export { createMemorySpill, type Spill } from "./fold/spill.ts";
export type { FoldWorker } from "./tiers/hub/fold-worker.ts";
export { checkpointTarget, headsPrefix, hubLease } from "./tiers/keys.ts";
export { findNewestManifest, type CheckpointManifest } from "./tiers/manifest.ts";
export { listManifests, readManifest } from "./tiers/manifest.ts";
export { findCopies, scrubNow, type Copies } from "./tiers/hub/scrub.ts";
export { readHeads, readHeadsSeen, type HeadSeen } from "./tiers/gather.ts";
export type { BucketFault, BucketVerified, VerifyHow } from "./tiers/repair/verify-bucket.ts";
export type { LedgerSync, Preview, Synced, SyncHow } from "./tiers/sync.ts";
export {
  wasErased,
  type ConflictPage,
  type ConflictView,
  type FieldView,
  type TargetView,
} from "./view.ts";
