import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFileAtomic } from "../base/atomic-file.ts";
import type { Clock } from "../base/clock.ts";
import { createId } from "../base/ids.ts";
import { keptLogMark, readKeptLog } from "../base/kept-log.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import { createServiceGroup, type Service } from "../base/service.ts";
import { makeFolder } from "../base/make-folder.ts";
import type { Bucket } from "../bucket/index.ts";
import { openCampaignFolder } from "../campaign/index.ts";
import type { Paths } from "../config/index.ts";
import {
  createBeater,
  createFollower,
  createLogSender,
  decodeBeat,
  decodeNodeView,
  encodeNodeView,
  joinBeats,
  openDesiredObject,
  parseWanted,
  toNodeWanted,
  wantedInBucket,
  wantedInLedger,
  wantedOf,
  type Applied,
  type Beat,
  type GossipSeen,
  type NodeView,
  type NodeWanted,
  type PeerSeen,
  type WantedMemory,
} from "../fleet/index.ts";
import { readManifest, type Ledger } from "../ledger/index.ts";
import { readMachine } from "../observe/index.ts";
import { createNodeWindow } from "./node-window.ts";

/** The part of gossip that is needed here. */
export interface FleetGossip {
  say(topic: "heartbeat" | "desired", bytes: Uint8Array): void;
  hear(
    topic: "heartbeat" | "desired",
    listener: (from: { readonly node: string }, bytes: Uint8Array) => void,
  ): () => void;
  peers(): readonly Omit<PeerSeen, "beat">[];
  counters(): GossipSeen | undefined;
}

/** What a process that works has to say and to do. */
export interface NodeWork {
  apply(wanted: NodeWanted): Promise<Applied>;
  /** By kind: how many tasks may be at work at once, and how many are. */
  kinds(): Readonly<Record<string, [number, number]>>;
  alerts(): readonly string[];
}

export interface FleetMemberOptions {
  readonly paths: Paths;
  readonly ledger: Ledger;
  /** The same object that the ledger is synced with. Absent: by ledger and gossip alone. */
  readonly bucket?: Bucket | undefined;
  readonly gossip?: FleetGossip | undefined;
  /** Where peers may reach this node, as `host:port`. */
  readonly addresses?: () => readonly string[];
  /** Absent: this process only keeps in touch. */
  readonly work?: NodeWork;
  /** Whether this process speaks for its node, of which it may be one of several; absent: it does. */
  readonly isKeeper?: () => boolean;
  readonly version: string;
  /** The host's name. */
  readonly label: string;
  readonly pid: number;
  /** A fingerprint of the settings that a fleet should have in common. */
  readonly config?: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface FleetMember extends Service {
  view(): Promise<NodeView>;
}

const nodesMax = 1_000;

/** What makes a process a member of its fleet: it beats, follows what is wanted, and can be seen. */
export function createFleetMember(options: FleetMemberOptions): FleetMember {
  const { paths, ledger, bucket, gossip, work, clock, random, log } = options;
  let isLeaving = false;
  /** Another process of the node does, as was seen at the last heartbeat. */
  let isToldByOther = false;
  const isKeeper = () => !isLeaving && (options.isKeeper?.() ?? true);
  const beats = new Map<string, Beat>();
  const base = createBaseVector(bucket);
  const folder = openCampaignFolder(paths);
  const logs = paths.logs();
  const sender =
    bucket &&
    createLogSender({
      bucket,
      node: () => ledger.node(),
      // The lines of all processes are one node's: one of them sends.
      mark: () => (isToldByOther ? "" : keptLogMark(logs)),
      read: (wanted) => readKeptLog(logs, wanted),
      clock,
      log,
    });

  const follower = createFollower({
    node: () => ledger.node(),
    sources: [
      wantedInLedger(ledger),
      ...(bucket
        ? [wantedInBucket(openDesiredObject({ bucket, session: createId(random), clock, random }))]
        : []),
    ],
    memory: createWantedMemory(paths),
    async apply(wanted) {
      sender?.sendUntil(wanted.logsUntilMs);
      const campaigns = await folder.want(wanted.campaigns);
      const worked = work ? await work.apply(wanted) : { what: "nothing works here", faults: [] };
      return {
        what: [worked.what, ...campaigns.changed].join(", "),
        faults: [...wanted.faults, ...worked.faults, ...campaigns.faults],
      };
    },
    onFollowed: () => void beater.beatNow(),
    ...(gossip && { say: (bytes: Uint8Array) => gossip.say("desired", bytes) }),
    clock,
    random,
    log,
  });

  async function readBeat(): Promise<Beat> {
    const machine = await readMachine(paths.root());
    const { checkpoint, clockOffsetMs } = ledger.status();
    const beyond = await base.beyond(checkpoint, ledger.vector());
    const followed = follower.followed();
    const { state } = toNodeWanted(wantedOf(follower.wanted(), ledger.node()));
    return {
      atMs: clock.nowMs(),
      label: options.label,
      version: options.version,
      state: isLeaving ? "stopped" : work ? state : "idle",
      ...(options.config && { config: options.config() }),
      load1: machine.load1,
      memoryBytes: machine.memoryBytes,
      ...(machine.diskBytes && { diskBytes: machine.diskBytes }),
      ...(machine.temperatureC !== undefined && { temperatureC: machine.temperatureC }),
      kinds: work?.kinds() ?? {},
      ...(clockOffsetMs !== undefined && { clockOffsetMs }),
      peers: gossip?.peers().length ?? 0,
      alerts: (work?.alerts() ?? []).map((one) => one.slice(0, 200)).slice(0, 20),
      ...(followed && { followed }),
      ...(beyond && { knows: { checkpoint, beyond } }),
    };
  }
  const sync = bucket && ledger.withBucket(bucket);
  const beater = createBeater({
    read: readBeat,
    isToldByOther: async (isNews) =>
      (isToldByOther = !isKeeper() && (await window.isKeptByOther(isNews))),
    async join(own) {
      const others = (await window.lookAtOthers()).map(decodeNodeView);
      return joinBeats([own, ...others.filter((one) => one !== undefined).map(({ beat }) => beat)]);
    },
    ...(gossip && { say: (bytes: Uint8Array) => gossip.say("heartbeat", bytes) }),
    ...(sync && {
      writeHead: (beat: Readonly<Record<string, unknown>>) =>
        sync.beat({ addresses: options.addresses?.() ?? [], beat }),
    }),
    clock,
    log,
  });
  const view = async (): Promise<NodeView> => ({
    node: ledger.node(),
    pid: options.pid,
    atMs: clock.nowMs(),
    beat: await readBeat(),
    wanted: follower.wanted(),
    gossip: gossip?.counters(),
    peers: (gossip?.peers() ?? []).map((peer) => ({ ...peer, beat: beats.get(peer.node) })),
  });
  const window = createNodeWindow({
    paths,
    random,
    pid: options.pid,
    show: async () => encodeNodeView(await view()),
    isKeeper,
    onNews: () => void beater.beatNow(),
  });
  /** Ends first: from then on nobody counts on this process. */
  const leaving: Service = {
    start: async () => {},
    async stop() {
      isLeaving = true;
    },
  };
  const group = createServiceGroup([
    listening(gossip, beats, (bytes) => follower.hear(bytes)),
    window,
    follower,
    beater,
    leaving,
    ...(sender ? [sender] : []),
  ]);
  return { ...group, view };
}

/** What peers say of themselves, and what they have learnt. */
function listening(
  gossip: FleetGossip | undefined,
  beats: Map<string, Beat>,
  hearWanted: (bytes: Uint8Array) => void,
): Service {
  let stops: readonly (() => void)[] = [];
  return {
    async start() {
      if (!gossip) return;
      stops = [
        gossip.hear("heartbeat", ({ node }, bytes) => {
          const beat = decodeBeat(bytes);
          if (!beat) return;
          beats.delete(node);
          beats.set(node, beat);
          const [oldest] = beats.keys();
          if (beats.size > nodesMax && oldest !== undefined) beats.delete(oldest);
        }),
        gossip.hear("desired", (_from, bytes) => hearWanted(bytes)),
      ];
    },
    async stop() {
      for (const stop of stops) stop();
    },
  };
}

/** The vector of a checkpoint is known to all who can read it: only what is beyond it is told. */
function createBaseVector(bucket: Bucket | undefined) {
  let known: { number: number; vector: ReadonlyMap<string, number> } = {
    number: 0,
    vector: new Map(),
  };
  return {
    /** Undefined where that checkpoint is gone, or cannot be asked for. */
    async beyond(number: number, vector: ReadonlyMap<string, number>) {
      if (known.number !== number) {
        // A heartbeat says less rather than nothing.
        const found = bucket && (await readManifest(bucket, number).catch(() => undefined));
        if (!found) return undefined;
        known = { number, vector: found.manifest.vector };
      }
      const more = [...vector].filter(([key, last]) => last > (known.vector.get(key) ?? 0));
      return Object.fromEntries(more);
    },
  };
}

function createWantedMemory(paths: Paths): WantedMemory {
  const file = () => paths.resolve("fleet", "wanted.json");
  return {
    async read() {
      try {
        return parseWanted(JSON.parse(await readFile(file(), "utf8")));
      } catch {
        return undefined; // nothing was ever wanted, or it is not whole: the sources have it
      }
    },
    async write(wanted) {
      makeFolder(dirname(file()), { mode: 0o700 });
      await writeFileAtomic(file(), `${JSON.stringify(wanted)}\n`);
    },
  };
}
