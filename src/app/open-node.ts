import { hostname } from "node:os";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { systemRandom } from "../base/random.ts";
import type { Service } from "../base/service.ts";
import { asUsage } from "../base/usage-error.ts";
import { readVersion } from "../base/version.ts";
import {
  settingsFingerprint,
  userName,
  type LoadedSettings,
  type Paths,
  type Settings,
} from "../config/index.ts";
import { parseKeyring, parsePeer, type Keyring } from "../gossip/index.ts";
import { createFleetMember, type NodeWork } from "./fleet-member.ts";
import { hasFleetBucket, isFleetBucketCharged, openRetryingFleetBucket } from "./fleet-bucket.ts";
import { gossipPeersOf } from "./open-gossip.ts";
import { runNode, type Touch } from "./run-node.ts";
import { watchFolder } from "./watch-folder.ts";

export interface OpenNodeOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  /** Instead of the setting `bucket.url`. */
  readonly bucketAddress?: string | undefined;
  /** Absent: this process runs no workers. */
  readonly work?: NodeWork;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface OpenNode extends Service, AsyncDisposable {
  readonly touch: Touch;
  /** Rejects when the data folder is gone, which ends the process. */
  readonly gone: Promise<never>;
  /** Uses the gossip keys of these settings from now on. */
  follow(settings: Settings): Promise<void>;
}

/** How long a bucket that does not answer may delay the end of the process. */
const lastWordMsMax = 5_000;

/** This process as part of its node, and of its fleet, as the settings say. */
export async function openNode(options: OpenNodeOptions): Promise<OpenNode> {
  const { loaded, paths, bucketAddress, work, clock, log } = options;
  const { settings } = loaded;
  const random = systemRandom;
  const watch = watchFolder({ paths, clock });
  const keyring = await keyringOf(settings);
  // Checked here, so that a wrong address in the settings ends the command with its message.
  await asUsage(async () => gossipPeersOf(settings.gossip).map(parsePeer));
  // Not the signal that ends the process: a node sends a last heartbeat, within its time.
  const over = new AbortController();
  const place = { settings, paths, bucketAddress, signal: over.signal };
  const bucket = hasFleetBucket(place) ? await openRetryingFleetBucket(place) : undefined;
  const member = ({ ledger, gossip, isKeeper }: Touch) =>
    createFleetMember({
      paths,
      ledger,
      bucket,
      gossip,
      isKeeper,
      addresses: () => gossip.addresses(),
      ...(work && { work }),
      version: readVersion(),
      label: hostname(),
      pid: process.pid,
      config: () => settingsFingerprint(loaded),
      clock,
      random,
      log,
    });
  try {
    const node = await runNode({
      paths,
      settings: settings.gossip,
      keyring,
      bucket,
      isBucketFree: !isFleetBucketCharged(place),
      clock,
      random,
      log,
      user: userName(),
      parts: (touch) => [watch, member(touch)],
    });
    return {
      ...node,
      gone: watch.gone,
      follow: async (changed) => node.useKeys(await keyringOf(changed)),
      async stop() {
        const patience = clock.setTimer(lastWordMsMax, () => over.abort(), { background: true });
        await node.stop().finally(() => patience.cancel());
      },
      async [Symbol.asyncDispose]() {
        await node[Symbol.asyncDispose]();
        await bucket?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await bucket?.[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * Keys may be separated by commas, spaces or lines: a file has one on each line. Undefined: none
 * is configured.
 */
async function keyringOf({ gossip }: Settings): Promise<Keyring | undefined> {
  const text = await gossip.keys?.reveal();
  if (text === undefined) return undefined;
  return asUsage(async () => parseKeyring(text.split(/[\s,]+/u).filter((one) => one !== "")));
}
