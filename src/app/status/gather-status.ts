import { AppError } from "../../base/app-error.ts";
import { systemRandom } from "../../base/random.ts";
import { createLease, type Bucket, type LeaseView } from "../../bucket/index.ts";
import type { Settings } from "../../config/index.ts";
import {
  driftOf,
  isPresent,
  lacksOf,
  type DriftInput,
  type Lack,
  type NodeSeen,
} from "../../fleet/index.ts";
import { findNewestManifest, hubLease, readManifest } from "../../ledger/index.ts";
import type { NodeReadApi } from "../../node/index.ts";
import { readStoppedCampaigns } from "../campaign/budget-sources.ts";
import { missingBucketFolder } from "../bucket/bucket-folder.ts";
import { hasFleetBucket } from "../bucket/fleet-bucket.ts";
import { expectsOtherMachines, gossipKeySource, ownKeyAdvice } from "../node/gossip-key-source.ts";
import type { OpenFleet, OpenFleetOptions } from "../node/open-fleet.ts";
import { tasksLeftBehind } from "../queue/tasks-left-behind.ts";
import { problemsOf, type StatusReading } from "./attention.ts";
import { hubGapOf } from "./hub-gap.ts";
import type { CheckpointStatus, ClusterStatus, HubStatus, NodeStatus } from "./cluster-status.ts";
import type { QueueSource } from "./queue-source.ts";

export interface StatusOptions extends Omit<OpenFleetOptions, "isReader"> {
  readonly settings: Settings;
  /**
   * True: all nodes of the fleet, with data from the bucket; false: this node, without the bucket.
   */
  readonly isCluster: boolean;
}

export interface StatusSources extends Omit<StatusOptions, "node"> {
  readonly fleet: OpenFleet;
  /** Opened for each status: without an owner it does not notice later writes. */
  readonly node: Pick<NodeReadApi, "ledger" | "records">;
  readonly queue: QueueSource;
  /** Counting them reads the whole ledger, so the caller caches the number. */
  readonly conflicts: number;
  /** What is wrong with records and their files; alarms do not look for it. */
  readonly ofRecords?: readonly string[];
}

type Checkpoints = Map<number, ReadonlyMap<string, number>>;

/**
 * Reads everything once. Sources that cannot be reached are named in `attention`; the rest is
 * complete.
 */
export async function gatherStatus(sources: StatusSources): Promise<ClusterStatus> {
  const { status, faults, troubles } = await gatherParts(sources);
  const problems = problemsOf(status);
  const found = problems.map(({ text }) => text);
  // A running node reports its own troubles too; do not list them twice.
  const others = troubles.filter((text) => !found.some((one) => isSame(one, text)));
  const { ofRecords = [] } = sources;
  return { ...status, attention: [...faults, ...found, ...others, ...ofRecords], problems };
}

export interface StatusParts {
  readonly status: StatusReading;
  /** Sources that could not be read, and wrong settings. */
  readonly faults: readonly string[];
  /** False: of the fleet, only what this node has received is known. */
  readonly isBucketRead: boolean;
  /** Troubles of the queue. */
  readonly troubles: readonly string[];
}

export async function gatherParts(sources: StatusSources): Promise<StatusParts> {
  const { fleet, node, queue, isCluster, conflicts, clock, settings } = sources;
  const nowMs = clock.nowMs();
  const { cuts, ...known } = await node.ledger.status();
  const vector = new Map(Object.entries(await node.ledger.vector()));
  const written = await node.ledger.outline();
  const { stats, log, fault, troubles } = await queue.look(async (open) => {
    const { ledger, records } = node;
    const queueUrl = settings.queue.url;
    const from = { ...sources, queue: open, queueUrl, ledger, records };
    return await readStoppedCampaigns(from);
  });
  const { seen, hub, checkpoint, checkpoints, faults } = await lookAround(sources);
  const lacks = lacksOf(isCluster ? seen : [], { vector, checkpoints });
  const nodes = seen
    .filter(({ isSelf }) => isCluster || isSelf)
    .map((one) => nodeStatus(one, { nowMs, vector, log: written, checkpoints }, lacks));
  const status = {
    atMs: nowMs,
    ledger: { ...known, cuts: cuts.length, conflicts },
    nodes,
    hub,
    hubGap: isCluster && fleet.bucket ? hubGapOf({ hub, nodes, nowMs, log: written }) : null,
    checkpoint: checkpoint && { ...checkpoint, ageMs: nowMs - checkpoint.madeAtMs },
    gossip: (await fleet.view())?.gossip ?? null,
    gossipKey: gossipKeySource({
      gossip: settings.gossip,
      hasBucket: hasFleetBucket(sources),
    }),
    queue:
      stats && log
        ? {
            address: settings.queue.url,
            states: stats.states,
            reasons: stats.reasons,
            kinds: stats.kinds,
            log,
            keep: {
              doneDays: settings.queue.keepDoneDays,
              failedDays: settings.queue.keepFailedDays,
              keysDays: settings.queue.keepKeysDays,
            },
          }
        : null,
  };
  const leftBehind = await tasksLeftBehind(settings, sources.paths);
  const missing = await missingBucketFolder(settings, sources.paths);
  return {
    status,
    isBucketRead: faults.length === 0,
    troubles,
    faults: [
      ...faults,
      ...(fault === undefined ? [] : [fault]),
      ...(leftBehind === undefined ? [] : [leftBehind]),
      ...(missing === undefined ? [] : [missing]),
      ...fleet.faults,
      ...(status.gossipKey === "own" && expectsOtherMachines(settings.gossip)
        ? [`gossip: own key only, ${ownKeyAdvice}`]
        : []),
    ],
  };
}

/** A node's own report begins with its name, and may be truncated. */
const isSame = (report: string, text: string): boolean =>
  report.length > 40 && text.startsWith(report.slice(report.indexOf(": ") + 2));

interface Surroundings {
  readonly seen: readonly NodeSeen[];
  readonly hub: HubStatus | null;
  readonly checkpoint: Omit<CheckpointStatus, "ageMs"> | null;
  readonly checkpoints: Checkpoints;
  readonly faults: readonly string[];
}

/** Reads the bucket only for the whole fleet: the status of this node costs no request. */
async function lookAround({ fleet, clock, isCluster }: StatusSources): Promise<Surroundings> {
  const nothing = { hub: null, checkpoint: null, checkpoints: new Map() as Checkpoints };
  const { bucket } = fleet;
  if (!isCluster || !bucket) return { ...nothing, seen: await fleet.roster(isCluster), faults: [] };
  try {
    const seen = await fleet.roster();
    const lease = createLease({
      bucket,
      name: hubLease,
      owner: "",
      clock,
      random: systemRandom,
    });
    const view = await lease.show();
    const newest = await findNewestManifest(bucket);
    const checkpoints: Checkpoints = new Map();
    if (newest) checkpoints.set(newest.manifest.number, newest.manifest.vector);
    await readOlder(bucket, seen, checkpoints);
    return {
      seen,
      hub: view ? hubStatus(view) : null,
      checkpoint: checkpointOf(newest),
      checkpoints,
      faults: await desiredFaults(fleet),
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
    const faults = [`the bucket cannot be reached: ${error.message}`];
    return { ...nothing, seen: await fleet.roster(false), faults };
  }
}

/** Desired state that cannot be read reaches no node, and no command can change it. */
async function desiredFaults({ desired }: OpenFleet): Promise<readonly string[]> {
  try {
    await desired?.read();
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "corrupt") throw error;
    return [`nodes cannot read their desired state: ${error.message}`];
  }
}

const checkpointOf = (found: Awaited<ReturnType<typeof findNewestManifest>>) =>
  found
    ? {
        number: found.manifest.number,
        madeAtMs: found.manifest.madeAtMs,
        quarantined: found.manifest.heldBack.length,
      }
    : null;

/** The checkpoints that nodes started from, which may not be the newest. */
async function readOlder(
  bucket: Bucket,
  seen: readonly NodeSeen[],
  checkpoints: Checkpoints,
): Promise<void> {
  for (const { heartbeat } of seen) {
    const number = heartbeat?.knows?.checkpoint ?? 0;
    if (number === 0 || checkpoints.has(number)) continue;
    const found = await readManifest(bucket, number);
    if (found) checkpoints.set(number, found.manifest.vector);
  }
}

/** A released lease is free, even if it would not have expired yet. */
const hubStatus = ({ record, ageMs, isExpired }: LeaseView): HubStatus => ({
  node: record.owner,
  epoch: record.epoch,
  state: record.state === "held" && isExpired ? "expired" : record.state,
  ageMs,
});

function nodeStatus(
  seen: NodeSeen,
  input: DriftInput,
  lacks: ReadonlyMap<string, readonly Lack[]>,
): NodeStatus {
  const { nowMs } = input;
  const { node, label, isSelf, lastSeenMs, session, addresses, how, rttMs, heartbeat } = seen;
  return {
    node,
    label,
    isSelf,
    lastSeenMs: lastSeenMs ?? null,
    agoMs: lastSeenMs === undefined ? null : Math.max(0, nowMs - lastSeenMs),
    isPresent: isPresent(seen, nowMs),
    session: session ?? null,
    addresses,
    how,
    rttMs: rttMs ?? null,
    beat: heartbeat ?? null,
    drift: isSelf ? null : (driftOf(seen, input) ?? null),
    lacks: lacks.get(node) ?? null,
  };
}
