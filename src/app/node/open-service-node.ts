import { every } from "../../base/every.ts";
import { AppError } from "../../base/app-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { systemRandom } from "../../base/random.ts";
import type { Service } from "../../base/service.ts";
import { asUsage } from "../../base/usage-error.ts";
import { readVersion } from "../../base/version.ts";
import {
  settingsFingerprint,
  userName,
  type LoadedSettings,
  type Paths,
  type Settings,
} from "../../config/index.ts";
import { parseKeyring, parsePeer, type Keyring } from "../../gossip/index.ts";
import { attachWork, type NodeApi, type NodeEvents, type NodeWork } from "../../node/index.ts";
import { createOwnerAlarms } from "../alarms/owner-alarms.ts";
import { createMissingBucket } from "../bucket/create-bucket.ts";
import {
  fleetBucketAddress,
  hasFleetBucket,
  isFleetBucketCharged,
  openFleetBucketFor,
} from "../bucket/fleet-bucket.ts";
import { nodeName } from "./node-name.ts";
import { gossipPeersOf } from "./open-gossip.ts";
import { openNodeIn, type ServiceSettings } from "./open-node.ts";
import { rememberFolder } from "./same-folder.ts";

export interface ServiceNodeOptions {
  readonly loaded: LoadedSettings;
  readonly paths: Paths;
  /** Overrides the setting `bucket.url`. */
  readonly bucketAddress?: string | undefined;
  /** Absent if this process runs no workers. */
  readonly work?: NodeWork | undefined;
  /** Alerts found by a process that observes the queue without workers. */
  readonly alerts?: (() => readonly string[]) | undefined;
  readonly events?: NodeEvents | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A data folder in a long-running process: as its owner, it runs the node's services. */
export interface ServiceNode extends Service, AsyncDisposable {
  readonly api: NodeApi;
  isOwner(): boolean;
  /** Rejects when the data folder no longer exists, which ends the process. */
  readonly gone: Promise<never>;
  /** Uses the gossip keys and alarm targets of these settings from now on. */
  follow(settings: Settings): Promise<void>;
}

/** Longer than any process runs. */
const stayMs = 1e12;
/** How long a bucket that does not answer may delay the end of the process. */
const lastWordMsMax = 5_000;

/**
 * Opens the data folder of the settings. `start` registers `work` as one of the node's processes.
 */
export async function openServiceNode(options: ServiceNodeOptions): Promise<ServiceNode> {
  const { loaded, paths, bucketAddress, work, alerts, events, clock, log } = options;
  const { settings } = loaded;
  let current = settings;
  let keyring = await keyringOf(settings);
  // Checked here, so that an invalid address in the settings ends the command with a usage error.
  await asUsage(async () => gossipPeersOf(settings.gossip).map(parsePeer));
  // A separate signal: when the process is asked to stop, the node still sends a last heartbeat.
  const over = new AbortController();
  const place = { settings, paths, bucketAddress, signal: over.signal };
  const made = await createMissingBucket(place);
  if (made !== undefined) log.warn(made, { check: "bucket" });
  const bucket: ServiceSettings["bucket"] = hasFleetBucket(place)
    ? {
        address: await fleetBucketAddress(place),
        opened: await openFleetBucketFor(place),
        isFree: !isFleetBucketCharged(place),
      }
    : undefined;
  try {
    const node = await openNodeIn({
      kind: "service",
      paths,
      log,
      user: userName(),
      version: readVersion(),
      events,
      services: {
        gossip: settings.gossip,
        ledger: settings.ledger,
        keyring: () => keyring,
        bucket,
        config: () => settingsFingerprint(loaded),
        label: nodeName(settings),
        besides: (api) =>
          createOwnerAlarms({
            settings: () => current,
            paths,
            bucketAddress,
            node: api,
            alerts,
            clock,
            log,
          }),
      },
    });
    const { fleet } = node.api;
    const attached =
      work && attachWork({ fleet, work, pid: process.pid, clock, random: systemRandom, log });
    const watch = watchFolder(paths, clock);
    // This timer keeps the process alive: a client's connection or a paused node would not.
    const staying = clock.setTimer(stayMs, () => {});
    const stop = async () => {
      staying.cancel();
      watch.stop();
      const patience = clock.setTimer(lastWordMsMax, () => over.abort(), { background: true });
      await attached?.stop();
      await node.close().finally(() => patience.cancel());
    };
    return {
      api: node.api,
      isOwner: () => node.isOwner(),
      gone: Promise.race([node.failed, watch.gone]),
      async follow(changed) {
        current = changed;
        keyring = await keyringOf(changed);
        await node.followKeys();
      },
      async start() {
        await attached?.start();
      },
      stop,
      async [Symbol.asyncDispose]() {
        await stop();
        await bucket?.opened("ledger").close();
      },
    };
  } catch (error) {
    await bucket?.opened("ledger").close();
    throw error;
  }
}

/**
 * Keys may be separated by commas, spaces or line breaks, as in a file with one key per line.
 * Undefined if none is configured.
 */
async function keyringOf({ gossip }: Settings): Promise<Keyring | undefined> {
  const text = await gossip.keys?.reveal();
  if (text === undefined) return undefined;
  return asUsage(async () => parseKeyring(text.split(/[\s,]+/u).filter((one) => one !== "")));
}

const watchMs = 5_000;

/**
 * Notices if the data folder was deleted, moved or replaced while this process uses it: open files
 * would still work, but everything written to them would be lost. It checks twice, because a folder
 * that is being restored may be moved for a moment.
 */
function watchFolder(paths: Paths, clock: Clock) {
  const folder = rememberFolder(paths);
  folder.remember();
  let misses = 0;
  const { promise: gone, reject: fail } = Promise.withResolvers<never>();
  gone.catch(() => {}); // a process that does not await it ends in another way
  const look = async () => {
    misses = (await folder.isSame()) ? 0 : misses + 1;
    if (misses > 1) fail(folderGone(paths.root()));
  };
  const looks = every(look, { clock, pauseMs: watchMs, onError: fail });
  void looks.start();
  return { gone, stop: () => void looks.stop() };
}

const folderGone = (folder: string) =>
  new AppError(
    "unavailable",
    "data_folder_gone",
    `the data folder ${folder} is not the one that this process started with: it was deleted, moved ` +
      "or replaced. Further writes of this process would be lost. Restore the folder, then start again",
  );
