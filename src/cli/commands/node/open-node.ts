import { hostname } from "node:os";
import {
  hasFleetBucket,
  isFleetBucketCharged,
  loadNodeParts,
  openRetryingFleetBucket,
  type NodeWork,
  type Touch,
} from "../../../app/index.ts";
import { systemRandom } from "../../../base/random.ts";
import type { Service } from "../../../base/service.ts";
import { asUsage } from "../../../base/usage-error.ts";
import { readVersion } from "../../../base/version.ts";
import { settingsFingerprint, userName, type Settings } from "../../../config/index.ts";
import { parseKeyring, parsePeer, type Keyring } from "../../../gossip/index.ts";
import { fleetOf } from "../../bucket-option.ts";
import type { SettingsContext } from "../../command.ts";

export interface OpenNode extends Service, AsyncDisposable {
  readonly touch: Touch;
  /** Rejects when the data folder is gone, which ends the process. */
  readonly gone: Promise<never>;
  /** Takes the keys of these settings from now on. */
  follow(settings: Settings): Promise<void>;
}

/** A bucket that does not answer keeps no process from ending for longer. */
const lastWordMsMax = 5_000;

/** This process as one of its node, and of its fleet, as the settings have it. */
export async function openNode(context: SettingsContext, work?: NodeWork): Promise<OpenNode> {
  const { settings, loaded, paths, clock, log } = context;
  const random = systemRandom;
  const { createFleetMember, gossipPeersOf, runNode, watchFolder } = await loadNodeParts();
  const watch = watchFolder({ paths, clock });
  const keyring = await keyringOf(settings);
  // Here, so that a slip in the settings is said at once and ends the command.
  await asUsage(async () => gossipPeersOf(settings.gossip).map(parsePeer));
  // Not ended by the signal that ends the process: a node says a last word, within its time.
  const over = new AbortController();
  const signal = over.signal;
  const place = { ...fleetOf(context), signal };
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
