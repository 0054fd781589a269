import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/logger.ts";
import { systemRandom, type Random } from "../../base/random.ts";
import { createServiceGroup, type Service } from "../../base/service.ts";
import type { Paths, Settings } from "../../config/index.ts";
import { type Keyring, makeKey, parseKeyring } from "../../gossip/index.ts";
import {
  createLocalApi,
  createProcessRegistry,
  createWakeUps,
  loadNodeServices,
  makeRepeatable,
  openNode,
  type NodeApi,
  type NodeEvents,
  type NodeHandle,
  type NodeServices,
  type OwnedParts,
  type OwnerLock,
  type ProcessKind,
} from "../../node/index.ts";
import type { RecordsProgressOptions } from "../../records/index.ts";
import { createConfigLock } from "./config-lock.ts";
import { gossipKeySource, ownKeyAdvice, ownKeyFile } from "./gossip-key-source.ts";
import { openMeetingPoint } from "./meeting-point.ts";
import type { BucketFor } from "../bucket/open-bucket.ts";
import type { OpenGossipOptions } from "./open-gossip.ts";
import { hubPartsIn, openOwnedLedger } from "./open-ledger.ts";
import { createLazyRecords } from "./open-records.ts";
import { rememberFolder } from "./same-folder.ts";
import { takeOverEarlierFiles } from "./take-over-earlier-files.ts";
import { useBucket } from "../bucket/use-bucket.ts";
import { openFolderSecret } from "./folder-secret.ts";

export interface OpenNodeInOptions extends RecordsProgressOptions {
  readonly kind: ProcessKind;
  readonly paths: Paths;
  readonly log: Logger;
  /** The user who edits files here: facts from files have the source `hand:<user>`. */
  readonly user: string;
  /** The version of this program. */
  readonly version: string;
  /** Aborts long work on records, and waiting for an owner that does not answer. */
  readonly signal?: AbortSignal;
  /** Only for a process of the kind `service`. */
  readonly services?: ServiceSettings;
  readonly events?: NodeEvents | undefined;
}

/** The settings of a node's services. */
export interface ServiceSettings {
  readonly gossip: OpenGossipOptions["settings"];
  /** The current value of `gossip.keys`; undefined: the data folder generates a key. */
  readonly keyring: () => Keyring | undefined;
  /** The fleet's bucket; undefined if there is none. */
  readonly bucket:
    | { readonly address: string; readonly opened: BucketFor; readonly isFree: boolean }
    | undefined;
  readonly ledger: Settings["ledger"];
  /** A fingerprint of the settings that should be the same in the whole fleet. */
  readonly config: () => string;
  /** The name of the node. */
  readonly label: string;
  /** A further service that the owner runs, such as alarms. */
  readonly besides?: ((api: NodeApi) => Service) | undefined;
}

export interface NodeIn extends NodeHandle {
  /** Call when the keys in the settings have changed. */
  followKeys(): Promise<void>;
}

/** Opens a data folder as its owner, or as a client of the process that owns it. */
export async function openNodeIn(options: OpenNodeInOptions): Promise<NodeIn> {
  const { paths, kind, log, version } = options;
  const folder = rememberFolder(paths);
  let services: NodeServices | undefined;
  const handle = await openNode({
    kind,
    point: await openMeetingPoint(options),
    openOwned: (lock) =>
      openOwnedParts({ ...options, lock, onServices: (started) => (services = started) }),
    isSameFolder: () => folder.isSame(),
    events: options.events,
    signal: options.signal,
    version,
    pid: process.pid,
    clock: systemClock,
    random: systemRandom,
    log,
  });
  folder.remember();
  return { ...handle, followKeys: async () => services?.gossip.followKeys() };
}

interface OwnedOptions extends OpenNodeInOptions {
  readonly lock: OwnerLock;
  readonly onServices: (services: NodeServices) => void;
}

async function openOwnedParts(options: OwnedOptions): Promise<OwnedParts> {
  const { paths, log, lock } = options;
  const [clock, random] = [systemClock, systemRandom];
  await takeOverEarlierFiles(paths);
  const opened = await openOwnedLedger({ paths, log, lock });
  const repeatable = makeRepeatable(opened);
  const { ledger } = repeatable;
  const lazy = createLazyRecords({ ...options, ledger });
  let services: NodeServices | undefined;
  const processes = createProcessRegistry({
    clock,
    onChange: () => services?.processesChanged(),
  });
  const wakeUps = createWakeUps({ clock, notifyNodes: () => services?.notifyAdded() });
  const api = createLocalApi({
    ledger: repeatable,
    records: () => lazy.open(),
    random,
    fleet: {
      attach: (report, watch) => processes.attach(report, watch),
      report: (report) => processes.report(report),
      view: async () => services?.view(),
    },
    wake: wakeUps,
    withBucket: (address, use) => {
      const own = options.services?.bucket;
      return own?.address === address ? use(own.opened("ledger")) : useBucket(address, use);
    },
  });
  return {
    api,
    newestStamp: () => ledger.status().highWater,
    repeat: (after, work) => repeatable.repeat(after, work),
    async services() {
      const { createNodeServices } = await loadNodeServices();
      const settings = options.services;
      if (!settings) throw new AppError("internal", "node_services", "a service needs settings");
      const { bucket, config } = settings;
      services = createNodeServices({
        ...options,
        ledger,
        records: () => lazy.open(),
        processes,
        wakeUps,
        bucket: bucket?.opened("ledger"),
        lockConfigs: createConfigLock({ paths: options.paths, clock }),
        fleetBucket: bucket?.opened("fleet"),
        hub: {
          mode: settings.ledger.hub,
          bucket: bucket?.opened("hub"),
          hasArchive: settings.ledger.archive === "keep",
          parts: await hubPartsIn(paths),
        },
        isBucketFree: bucket?.isFree ?? true,
        gossip: gossipOf(settings, { ...options, ledger }),
        label: settings.label,
        pid: process.pid,
        config,
        clock,
        random,
      });
      options.onServices(services);
      const besides = settings.besides?.(api);
      return besides ? createServiceGroup([services, besides]) : services;
    },
    async [Symbol.asyncDispose]() {
      try {
        await lazy.close();
      } finally {
        await opened.close();
      }
    },
  };
}

function gossipOf(
  { gossip, keyring, bucket }: ServiceSettings,
  { paths, ledger, log }: Pick<OwnedOptions, "paths" | "log"> & Pick<OpenGossipOptions, "ledger">,
) {
  const isOff = gossipKeySource({ gossip, hasBucket: bucket !== undefined }) === "off";
  const [clock, random] = [systemClock, systemRandom];
  return {
    open: isOff
      ? undefined
      : async (keys: Pick<OpenGossipOptions, "keyring" | "isOwnKey">) => {
          const { openGossip } = await import("./open-gossip.ts");
          const given = {
            settings: gossip,
            ledger,
            bucket: bucket?.opened("gossip"),
            clock,
            random,
            log,
          };
          return openGossip({ ...given, ...keys });
        },
    async readKeys() {
      const configured = keyring();
      return {
        keyring: configured ?? (await readOwnKeyring(paths, random)),
        isOwnKey: configured === undefined,
      };
    },
    ownKeyAdvice,
  };
}

/** The key that this data folder generates, for a node without `gossip.keys`. */
export async function readOwnKeyring(
  paths: Pick<Paths, "resolve">,
  random: Random,
): Promise<Keyring> {
  const file = ownKeyFile(paths);
  const key = await openFolderSecret({ file, make: () => makeKey(random) });
  try {
    return parseKeyring([key]);
  } catch (cause) {
    const message = `${file} contains no gossip key: delete it, and a new one is created at the next start`;
    throw new AppError("invalid", "gossip_own_key", message, { cause });
  }
}
