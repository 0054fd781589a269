import { dirname } from "node:path";
import { AppError } from "../../base/app-error.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import { keptLogMark, readKeptLog } from "../../base/log/kept-log.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Random } from "../../base/random.ts";
import { readRegularFile } from "../../base/files/regular-file.ts";
import { createServiceGroup, type Service } from "../../base/service.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { Bucket } from "../../bucket/index.ts";
import {
  openCampaignFolder,
  openSharedConfigs,
  type ConfigLock,
  type SharedConfigs,
} from "../../campaign/index.ts";
import type { Paths } from "../../config/index.ts";
import {
  createHeartbeatSender,
  createFollower,
  attemptsKey,
  createLogSender,
  decodeHeartbeat,
  logKey,
  openDesiredObject,
  parseDesired,
  toNodeDesired,
  desiredInBucket,
  desiredInLedger,
  desiredFor,
  type NodeHeartbeat,
  type NodeView,
  type DesiredMemory,
} from "../../fleet/index.ts";
import { readManifest, type HubAbility, type Ledger, type LedgerSync } from "../../ledger/index.ts";
import { readMachine } from "../../observe/index.ts";
import type { NodeGossip } from "./gossip-keeper.ts";
import type { ProcessReport } from "../node-api.ts";
import type { ProcessRegistry } from "./process-registry.ts";

export interface FleetMemberOptions {
  readonly paths: Paths;
  readonly ledger: Ledger;
  /** Absent: ledger and gossip alone. */
  readonly bucket?: Bucket | undefined;
  /** Writes the heartbeat into the head of the node. Absent: it is only sent by gossip. */
  readonly sync?: Pick<LedgerSync, "writeHeartbeat"> | undefined;
  readonly lockConfigs?: ConfigLock | undefined;
  readonly gossip: NodeGossip;
  /** Whether this node can be the hub; undefined: there is no bucket. */
  readonly hub: () => HubAbility | undefined;
  /** The processes of this node that run tasks. */
  readonly processes: ProcessRegistry;
  readonly version: string;
  /** The name of the host. */
  readonly label: string;
  readonly pid: number;
  /** A fingerprint of the settings that a fleet should have in common. */
  readonly config: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface FleetMember extends Service {
  view(): Promise<NodeView>;
  /**
   * Call when a process came or went: sends a heartbeat soon, because the node may be idle or
   * working now.
   */
  processesChanged(): void;
}

const nodesMax = 1_000;
/** Records of attempts change all the time while a node works, so they are sent less often. */
const attemptsRestMs = 600_000;
const alertsMax = 20;
const alertLengthMax = 200;
/** Processes often come and go together: one heartbeat is enough for all of them. */
const changedMs = 500;

/** What makes a node a member of its fleet: heartbeats, desired state, log lines. */
export function createFleetMember(options: FleetMemberOptions): FleetMember {
  const { paths, ledger, bucket, sync, gossip, processes, clock, random, log } = options;
  const peerHeartbeats = new Map<string, NodeHeartbeat>();
  const base = createBaseVector(bucket);
  const folder = openCampaignFolder(paths);
  const shared =
    bucket && openSharedConfigs({ paths, bucket, clock, random, lock: options.lockConfigs });
  const senderOf = (folder: string, key: (node: string) => string, restMs?: number) =>
    bucket &&
    createLogSender({
      bucket,
      key: () => key(ledger.node()),
      ...(restMs !== undefined && { restMs }),
      mark: () => keptLogMark(folder),
      read: (desired) => readKeptLog(folder, desired),
      clock,
      log,
    });
  const senders = [
    senderOf(paths.logs(), logKey),
    senderOf(paths.attempts(), attemptsKey, attemptsRestMs),
  ].filter((sender) => sender !== undefined);

  const follower = createFollower({
    node: () => ledger.node(),
    sources: [
      desiredInLedger(ledger),
      ...(bucket
        ? [desiredInBucket(openDesiredObject({ bucket, session: createId(random), clock, random }))]
        : []),
    ],
    memory: createDesiredMemory(paths),
    async apply(desired) {
      for (const sender of senders) sender.sendUntil(desired.logsUntilMs);
      const configs = await fetchConfigs(shared, desired.configs);
      const campaigns = await folder.want(desired.campaigns);
      const worked = await processes.apply(desired);
      return {
        what: [worked.what, ...configs.changed, ...campaigns.changed].join(", "),
        faults: [...desired.faults, ...worked.faults, ...configs.faults, ...campaigns.faults],
      };
    },
    onApplied: () => void heartbeats.sendNow(),
    publish: (bytes) => gossip.publish("desired", bytes),
    clock,
    random,
    log,
  });

  async function readHeartbeat(): Promise<NodeHeartbeat> {
    const machine = await readMachine(paths.root());
    const { checkpoint, clockOffsetMs } = ledger.status();
    const beyond = await base.beyond(checkpoint, ledger.vector());
    const followed = follower.applied();
    const { state } = toNodeDesired(desiredFor(follower.desired(), ledger.node()));
    const reports = processes.reports();
    const alerts = new Set(reports.flatMap((one) => one.alerts));
    const hub = options.hub();
    return {
      atMs: clock.nowMs(),
      label: options.label,
      version: options.version,
      state: reports.length > 0 ? state : "idle",
      config: options.config(),
      load1: machine.load1,
      memoryBytes: machine.memoryBytes,
      ...(machine.diskBytes && { diskBytes: machine.diskBytes }),
      ...(machine.temperatureC !== undefined && { temperatureC: machine.temperatureC }),
      kinds: sumKinds(reports),
      ...(clockOffsetMs !== undefined && { clockOffsetMs }),
      peers: gossip.peers().length,
      alerts: [...alerts].map((one) => one.slice(0, alertLengthMax)).slice(0, alertsMax),
      ...(followed && { followed }),
      ...(hub && { hub }),
      ...(beyond && { knows: { checkpoint, beyond } }),
    };
  }
  const heartbeats = createHeartbeatSender({
    read: readHeartbeat,
    publish: (bytes) => gossip.publish("heartbeat", bytes),
    ...(sync && {
      writeHead: (beat: Readonly<Record<string, unknown>>) =>
        sync.writeHeartbeat({ addresses: gossip.addresses(), beat }),
    }),
    clock,
    log,
  });
  let changedTimer: Timer | undefined;
  let isRunning = false;
  /** The services send the first heartbeat themselves; until then a change sends none. */
  const changes: Service = {
    async start() {
      isRunning = true;
    },
    async stop() {
      isRunning = false;
      changedTimer?.cancel();
    },
  };
  /** If no command was ever given, the follower applies nothing: processes need not wait for that. */
  const defaults: Service = {
    async start() {
      if (!follower.applied()) void processes.apply(toNodeDesired(new Map()));
    },
    stop: async () => {},
  };
  const group = createServiceGroup([
    peerSubscriptions(gossip, peerHeartbeats, (bytes) => follower.receiveHint(bytes)),
    follower,
    defaults,
    heartbeats,
    changes,
    ...senders,
  ]);
  return {
    ...group,
    processesChanged() {
      changedTimer?.cancel();
      if (!isRunning) return;
      const send = () => void heartbeats.sendNow();
      changedTimer = clock.setTimer(changedMs, send, { background: true });
    },
    view: async () => ({
      node: ledger.node(),
      pid: options.pid,
      atMs: clock.nowMs(),
      heartbeat: await readHeartbeat(),
      desired: follower.desired(),
      gossip: gossip.counters(),
      peers: gossip.peers().map((peer) => ({
        ...peer,
        vector: Object.fromEntries(peer.vector),
        heartbeat: peerHeartbeats.get(peer.node),
      })),
    }),
  };
}

/** Reports a configuration that was edited here; retries one that could not be fetched. */
async function fetchConfigs(
  shared: SharedConfigs | undefined,
  configs: ReadonlyMap<string, number>,
): Promise<{ readonly changed: readonly string[]; readonly faults: readonly string[] }> {
  const changed: string[] = [];
  const faults: string[] = [];
  for (const [name, revision] of shared ? configs : []) {
    try {
      if (await shared!.fetch(name, revision)) changed.push(`fetched the configuration of ${name}`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      faults.push(error.message);
    }
  }
  return { changed, faults };
}

function sumKinds(reports: readonly ProcessReport[]): NodeHeartbeat["kinds"] {
  const sums = new Map<string, [number, number]>();
  for (const [kind, [limit, running]] of reports.flatMap(({ kinds }) => Object.entries(kinds))) {
    const [knownLimit, knownRunning] = sums.get(kind) ?? [0, 0];
    sums.set(kind, [knownLimit + limit, knownRunning + running]);
  }
  return Object.fromEntries(sums);
}

/** Receives the peers' heartbeats and hints. */
function peerSubscriptions(
  gossip: NodeGossip,
  peerHeartbeats: Map<string, NodeHeartbeat>,
  onHint: (bytes: Uint8Array) => void,
): Service {
  let stops: readonly (() => void)[] = [];
  return {
    async start() {
      stops = [
        gossip.subscribe("heartbeat", ({ node }, bytes) => {
          const heartbeat = decodeHeartbeat(bytes);
          if (!heartbeat) return;
          peerHeartbeats.delete(node);
          peerHeartbeats.set(node, heartbeat);
          const [oldest] = peerHeartbeats.keys();
          if (peerHeartbeats.size > nodesMax && oldest !== undefined) peerHeartbeats.delete(oldest);
        }),
        gossip.subscribe("desired", (_from, bytes) => onHint(bytes)),
      ];
    },
    async stop() {
      for (const stop of stops) stop();
    },
  };
}

/**
 * Other nodes can read the vector of a checkpoint, so heartbeats contain only what is beyond it.
 */
function createBaseVector(bucket: Bucket | undefined) {
  let known: { number: number; vector: ReadonlyMap<string, number> } = {
    number: 0,
    vector: new Map(),
  };
  return {
    /** Undefined if that checkpoint is gone or cannot be read. */
    async beyond(number: number, vector: ReadonlyMap<string, number>) {
      if (known.number !== number) {
        // Without the manifest the heartbeat goes out without the vector.
        const found = bucket && (await readManifest(bucket, number).catch(() => undefined));
        if (!found) return undefined;
        known = { number, vector: found.manifest.vector };
      }
      const more = [...vector].filter(([key, last]) => last > (known.vector.get(key) ?? 0));
      return Object.fromEntries(more);
    },
  };
}

function createDesiredMemory(paths: Paths): DesiredMemory {
  const file = () => paths.resolve("fleet", "wanted.json");
  return {
    async read() {
      try {
        return parseDesired(JSON.parse((await readRegularFile(file())).toString()));
      } catch {
        return undefined; // no command was ever given, or the file is damaged: the sources have it
      }
    },
    async write(desired) {
      makeFolder(dirname(file()), { mode: 0o700 });
      await writeFileAtomic(file(), `${JSON.stringify(desired)}\n`);
    },
  };
}
