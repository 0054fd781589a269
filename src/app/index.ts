// Every command comes through here, so it loads little: what only some need is imported when it is
// asked for. Commands start twice as fast for it; test/tidy.test.ts looks.
export { openQueue, type OpenQueueOptions } from "./open-queue.ts";
export { openExistingQueue, openOrMakeQueue, queueOptions } from "./configured-queue.ts";
export { locateQueue, type QueueAddress } from "./queue-address.ts";
export { openBucket } from "./open-bucket.ts";
export {
  hasFleetBucket,
  isFleetBucketCharged,
  openFleetBucket,
  openRetryingFleetBucket,
  type FleetBucketOptions,
} from "./fleet-bucket.ts";
export { openFetcher, type OpenFetcherOptions } from "./open-fetcher.ts";
export { examineQueue, type PostgresFacts } from "./examine-queue.ts";
export { hubPartsIn, openLedgerIn, readSyncFaults, type OpenLedgerOptions } from "./open-ledger.ts";
export { createPlaceSources, openPlaceFile } from "./open-places.ts";
export {
  openRecordsIn,
  openSearchIn,
  removeIndexIn,
  type OpenRecordsOptions,
  type RecordsIn,
} from "./open-records.ts";
export type { BuiltInServices, BuiltInWork, BuiltInWorkOptions } from "./built-in-work.ts";
export {
  expectsOtherMachines,
  gossipKeySource,
  ownKeyAdvice,
  ownKeyFile,
  type GossipKeySource,
} from "./gossip-key-source.ts";
/** What keeps a node in touch with its fleet, for who runs one. */
export const loadNodeParts = () => import("./node-parts.ts");
export { createWakeHints, type WakeHints } from "./wake-hints.ts";
export type { OpenFleet, OpenFleetOptions, Reached } from "./open-fleet.ts";
export type { ClusterStatus, NodeStatus } from "./status/cluster-status.ts";
export type { StatusOptions } from "./status/gather-status.ts";
export type { StatusReader } from "./status/read-status.ts";
export type { IdleNode, IdleNodeOptions } from "./open-idle-node.ts";
export type { Work, WorkOptions } from "./work/open-work.ts";
export { parseConcurrency } from "./work/pools.ts";
export type { WorkSummary } from "./work/work-summary.ts";
export {
  openBuiltInWork,
  openFleet,
  openIdleNode,
  openStatusReader,
  openWork,
  readStatus,
} from "./load-parts.ts";
