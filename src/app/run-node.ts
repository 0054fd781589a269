import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { createServiceGroup, type Service } from "../base/service.ts";
import type { Bucket } from "../bucket/index.ts";
import type { Paths, Settings } from "../config/index.ts";
import type { Keyring } from "../gossip/index.ts";
import type { Ledger, LedgerSync } from "../ledger/index.ts";
import { gossipKeySource } from "./gossip-key-source.ts";
import { createGossipSlot, type GossipNow } from "./gossip-now.ts";
import { keepInTouch, type KeepingInTouch } from "./keep-in-touch.ts";
import { openLedgerIn } from "./open-ledger.ts";

/** What a node is in touch by, for whatever else runs with it. */
export interface Touch {
  readonly ledger: Ledger;
  /** Undefined: there is none. */
  readonly bucket: Bucket | undefined;
  readonly sync: LedgerSync | undefined;
  readonly gossip: GossipNow;
  /** Of the processes of this node, this one keeps it in touch now. */
  readonly isKeeper: () => boolean;
}

export interface RunNodeOptions {
  readonly paths: Paths;
  readonly settings: Settings["gossip"];
  /** From `gossip.keys`. Undefined: there are none, and the data folder makes one for itself. */
  readonly keyring: Keyring | undefined;
  /** One that asks again what got no answer; undefined: there is none. Not closed. */
  readonly bucket: Bucket | undefined;
  /** Its requests cost nothing. */
  readonly isBucketFree: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Who edits files here. */
  readonly user: string;
  /** What else every process of the node runs: heartbeats, desired state. Ends before the rest. */
  readonly parts: (touch: Touch) => readonly Service[];
}

export interface RunningNode extends Service, AsyncDisposable {
  readonly touch: Touch;
  /** From now on these keys; undefined: the data folder's own. */
  useKeys(keyring: Keyring | undefined): Promise<void>;
}

/**
 * One process of a node: its ledger, what every such process runs, and what one of them does for
 * all (`keep-in-touch.ts`), where there is a bucket, a key or a peer.
 */
export async function runNode(options: RunNodeOptions): Promise<RunningNode> {
  const { paths, settings, bucket, log } = options;
  let { keyring } = options;
  const ledger = await openLedgerIn({ paths, log });
  const gossip = createGossipSlot();
  const sync = bucket && ledger.withBucket(bucket);
  const touch = { ledger, bucket, sync, gossip, isKeeper: () => keeping.isKeeper() };
  const keeping: KeepingInTouch = keepInTouch({ ...options, touch, keyring: () => keyring });
  const hasGossip = gossipKeySource({ gossip: settings, hasBucket: false }) !== "off";
  const hasFleet = bucket !== undefined || hasGossip;
  const group = createServiceGroup([...(hasFleet ? [keeping] : []), ...options.parts(touch)]);
  return {
    ...group,
    touch,
    async useKeys(next) {
      keyring = next;
      await keeping.followKeys();
    },
    async [Symbol.asyncDispose]() {
      await group.stop();
      await ledger[Symbol.asyncDispose]();
    },
  };
}
