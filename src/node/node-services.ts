import { withDeadline } from "../base/with-deadline.ts";
import { type Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import { createServiceGroup, type Service } from "../base/service.ts";
import type { Bucket } from "../bucket/index.ts";
import type { ConfigLock } from "../campaign/index.ts";
import type { Paths } from "../config/index.ts";
import type { Ledger, LedgerSync } from "../ledger/index.ts";
import type { Records } from "../records/index.ts";
import { createFleetMember, type FleetMember } from "./owner/fleet-member.ts";
import {
  createGossipKeeper,
  type GossipKeeper,
  type GossipKeeperOptions,
} from "./owner/gossip-keeper.ts";
import { keepSynced } from "./owner/keep-synced.ts";
import { createNodeHub, type NodeHubOptions } from "./owner/node-hub.ts";
import type { NodeEvents } from "./node-events.ts";
import type { ProcessRegistry } from "./owner/process-registry.ts";
import type { WakeUps } from "./owner/wake-up.ts";

export interface NodeServicesOptions {
  readonly paths: Paths;
  readonly ledger: Ledger;
  readonly records: () => Promise<{ readonly records: Pick<Records, "follow"> }>;
  readonly processes: ProcessRegistry;
  readonly wakeUps: WakeUps;
  /**
   * The fleet's bucket; undefined: there is none. It has retries; this module does not close it.
   */
  readonly bucket: Bucket | undefined;
  /** The same bucket for desired state and log lines, if its requests are counted separately. */
  readonly fleetBucket?: Bucket | undefined;
  /** Excludes the other processes of the data folder. Absent: no other process changes configurations. */
  readonly lockConfigs?: ConfigLock | undefined;
  /** How this node does the hub's work on that bucket. */
  readonly hub: NodeHubOptions;
  /** Whether its requests cost nothing. */
  readonly isBucketFree: boolean;
  readonly gossip: Pick<GossipKeeperOptions, "open" | "readKeys" | "ownKeyAdvice">;
  readonly events?: NodeEvents | undefined;
  readonly version: string;
  readonly label: string;
  readonly pid: number;
  readonly config: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** What the owner of a data folder runs for the whole node. */
export interface NodeServices extends Service {
  readonly gossip: GossipKeeper;
  view: FleetMember["view"];
  processesChanged: FleetMember["processesChanged"];
  /** Informs other nodes that tasks were added. */
  notifyAdded(): void;
}

/** How soon files show changes from other nodes. */
const followMs = 500;
/** The start waits at most this long for a bucket that does not answer. */
const firstSyncMsMax = 5_000;

export function createNodeServices(options: NodeServicesOptions): NodeServices {
  const { ledger, bucket, records, wakeUps, clock, random, log } = options;
  const gossip = createGossipKeeper({
    ...options.gossip,
    events: options.events,
    node: () => ledger.node(),
    clock,
    log,
  });
  const sync = bucket && ledger.withBucket(bucket);
  const hub = sync && createNodeHub({ ...options.hub, ledger, sync, clock, random, log });
  const member = createFleetMember({
    ...options,
    bucket: options.fleetBucket ?? bucket,
    sync,
    gossip,
    hub: () => hub?.ability(),
  });
  const group = createServiceGroup([
    ...(sync ? [synced(sync, gossip)] : []),
    gossip,
    subscription(() => gossip.subscribe("wake", () => wakeUps.receive())),
    following(records),
    member,
    ...(hub ? [hub] : []),
  ]);
  return {
    ...group,
    gossip,
    view: () => member.view(),
    processesChanged: () => member.processesChanged(),
    notifyAdded: () => gossip.publish("wake", new Uint8Array()),
  };

  function synced(sync: LedgerSync, keeper: GossipKeeper): Service {
    const service = keepSynced({
      sync,
      unpublished: () => ledger.status().unpublished,
      isFree: options.isBucketFree,
      clock,
      random,
      log,
      onAttempt(isReached) {
        options.events?.onBucket(isReached);
        // The sync may find that this node is a clone, which then gets its own id.
        if (isReached) void keeper.check();
      },
    });
    return {
      // Before gossip starts, so that a clone has its own id before it is announced.
      async start() {
        await withDeadline(service.start(), { clock, ms: firstSyncMsMax });
      },
      stop: () => service.stop(),
    };
  }
}

function subscription(begin: () => () => void): Service {
  let end = () => {};
  return {
    async start() {
      end = begin();
    },
    stop: async () => end(),
  };
}

function following(open: NodeServicesOptions["records"]): Service {
  let watching: ReturnType<Records["follow"]> | undefined;
  return {
    async start() {
      const { records } = await open();
      watching = records.follow({ everyMs: followMs });
    },
    stop: async () => watching?.stop(),
  };
}
