// Every command comes through here, so it loads little: what only some need is imported when it is
// asked for. Commands start twice as fast for it; test/tidy.test.ts looks.
export { openQueue, type OpenQueueOptions } from "./open-queue.ts";
export { locateQueue, type QueueAddress } from "./queue-address.ts";
export { openBucket } from "./open-bucket.ts";
export { openFetcher, type OpenFetcherOptions } from "./open-fetcher.ts";
export { examineQueue, type PostgresFacts } from "./examine-queue.ts";
export { hubPartsIn, openLedgerIn, type OpenLedgerOptions } from "./open-ledger.ts";
export { createPlaceSources, openPlaceFile } from "./open-places.ts";
export {
  openRecordsIn,
  openSearchIn,
  removeIndexIn,
  type OpenRecordsOptions,
  type RecordsIn,
} from "./open-records.ts";
export type { BuiltInServices, BuiltInWork, BuiltInWorkOptions } from "./built-in-work.ts";
export { openBuiltInWork } from "./open-built-in-work.ts";
export {
  createFleetMember,
  type FleetGossip,
  type FleetMember,
  type FleetMemberOptions,
  type NodeWork,
} from "./fleet-member.ts";
export { lookIntoWindow } from "./node-window.ts";
export type { GossipNow } from "./gossip-now.ts";
export { gossipPeersOf } from "./open-gossip.ts";
export { runNode, type RunningNode, type RunNodeOptions, type Touch } from "./run-node.ts";
export { createWakeHints, type WakeHints } from "./wake-hints.ts";
