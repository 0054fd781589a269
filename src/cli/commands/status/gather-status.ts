import {
  expectsOtherMachines,
  gossipKeySource,
  hasFleetBucket,
  ownKeyAdvice,
} from "../../../app/index.ts";
import { createLease, type Bucket, type LeaseView } from "../../../bucket/index.ts";
import { systemRandom } from "../../../base/random.ts";
import { AppError } from "../../../base/app-error.ts";
import { driftOf, isPresent, type DriftInput, type NodeSeen } from "../../../fleet/index.ts";
import { findNewestManifest, hubLease, readManifest, type Ledger } from "../../../ledger/index.ts";
import { fleetBucketOf } from "../../bucket-option.ts";
import type { SettingsContext } from "../../command.ts";
import type { OpenFleet } from "../fleet/open-fleet.ts";
import { attentionOf } from "./attention.ts";
import type { QueueSource } from "./queue-source.ts";
import type { CheckpointStatus, ClusterStatus, HubStatus, NodeStatus } from "./cluster-status.ts";

export interface StatusSources {
  readonly context: SettingsContext;
  readonly fleet: OpenFleet;
  /** Opened anew for each look: one that only looks does not hear of what others write. */
  readonly ledger: Ledger;
  readonly queue: QueueSource;
  readonly isCluster: boolean;
  /** Counting them reads all there is, so it is not done at each look. */
  readonly conflicts: number;
}

type Checkpoints = Map<number, ReadonlyMap<string, number>>;

/** One look at everything. What cannot be reached is said, and the rest is shown. */
export async function gatherStatus(sources: StatusSources): Promise<ClusterStatus> {
  const { context, fleet, ledger, queue, isCluster, conflicts } = sources;
  const { clock, settings } = context;
  const nowMs = clock.nowMs();
  const { cuts, ...known } = ledger.status();
  const { stats, log, fault } = await queue.look();
  const { seen, hub, checkpoint, checkpoints, faults } = await lookAround(sources);
  const nodes = seen
    .filter(({ isSelf }) => isCluster || isSelf)
    .map((one) =>
      nodeStatus(one, { nowMs, vector: ledger.vector(), log: ledger.log(), checkpoints }),
    );
  const status = {
    atMs: nowMs,
    ledger: { ...known, cuts: cuts.length, conflicts },
    nodes,
    hub,
    checkpoint: checkpoint && { ...checkpoint, ageMs: nowMs - checkpoint.madeAtMs },
    gossip: (await fleet.view())?.gossip ?? null,
    gossipKey: gossipKeySource({
      gossip: settings.gossip,
      hasBucket: hasFleetBucket(fleetBucketOf(context)),
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
  return {
    ...status,
    attention: [
      ...faults,
      ...(fault === undefined ? [] : [fault]),
      ...fleet.faults,
      ...(status.gossipKey === "own" && expectsOtherMachines(settings.gossip)
        ? [`gossip: own key only, ${ownKeyAdvice}`]
        : []),
      ...attentionOf(status),
    ],
  };
}

interface Surroundings {
  readonly seen: readonly NodeSeen[];
  readonly hub: HubStatus | null;
  readonly checkpoint: Omit<CheckpointStatus, "ageMs"> | null;
  readonly checkpoints: Checkpoints;
  readonly faults: readonly string[];
}

/** The bucket is asked only for the whole fleet: a look at this node costs nothing. */
async function lookAround({ fleet, context, isCluster }: StatusSources): Promise<Surroundings> {
  const nothing = { hub: null, checkpoint: null, checkpoints: new Map() as Checkpoints };
  const { bucket } = fleet;
  if (!isCluster || !bucket) return { ...nothing, seen: await fleet.roster(isCluster), faults: [] };
  try {
    const seen = await fleet.roster();
    const lease = createLease({
      bucket,
      name: hubLease,
      owner: "",
      clock: context.clock,
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
      faults: await wantedFaults(fleet),
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "unavailable") throw error;
    const faults = [`the bucket cannot be reached: ${error.message}`];
    return { ...nothing, seen: await fleet.roster(false), faults };
  }
}

/** What nodes cannot read they do not follow, and no command could be given. */
async function wantedFaults({ desired }: OpenFleet): Promise<readonly string[]> {
  try {
    await desired?.read();
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "corrupt") throw error;
    return [`nodes cannot see what is wanted of them: ${error.message}`];
  }
}

const checkpointOf = (found: Awaited<ReturnType<typeof findNewestManifest>>) =>
  found
    ? {
        number: found.manifest.number,
        madeAtMs: found.manifest.madeAtMs,
        quarantined: found.manifest.aside.length,
      }
    : null;

/** Nodes stand on checkpoints that may not be the newest. */
async function readOlder(
  bucket: Bucket,
  seen: readonly NodeSeen[],
  checkpoints: Checkpoints,
): Promise<void> {
  for (const { beat } of seen) {
    const number = beat?.knows?.checkpoint ?? 0;
    if (number === 0 || checkpoints.has(number)) continue;
    const found = await readManifest(bucket, number);
    if (found) checkpoints.set(number, found.manifest.vector);
  }
}

/** What was given back is free, however long ago that was. */
const hubStatus = ({ record, ageMs, isExpired }: LeaseView): HubStatus => ({
  node: record.owner,
  epoch: record.epoch,
  state: record.state === "held" && isExpired ? "expired" : record.state,
  ageMs,
});

function nodeStatus(seen: NodeSeen, input: DriftInput): NodeStatus {
  const { nowMs } = input;
  const { node, label, isSelf, lastSeenMs, session, addresses, how, rttMs, beat } = seen;
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
    beat: beat ?? null,
    drift: isSelf ? null : (driftOf(seen, input) ?? null),
  };
}
