import { inSlices } from "../../../../base/tick.ts";
import type { Gate } from "../../../gate.ts";
import { emptyLane, laneKey, type Lane } from "../../../lane.ts";
import { gatesWithTasks, lanesOf } from "../../../model/read.ts";
import type { Shard } from "../../../model/shard.ts";
import type { StoreNow } from "../../../queue-store.ts";
import type { Task, TerminalState } from "../../../task.ts";

/**
 * The content of one shard's object: the state of the model, and the list of files with its
 * finished tasks. Invariants:
 * - a task is in `shard` or in exactly one listed log, never in both;
 * - `archived` counts the tasks of the listed logs, so that counting does not read them;
 * - `shard.log` and `shard.keptKeys` are empty: their entries are in listed files;
 * - like a shard of the model, it is never changed in place.
 */
export interface ShardHead {
  /** The id of the queue that the shard belongs to, as in the manifest. */
  readonly queueId: string;
  readonly index: number;
  readonly shards: number;
  /** The number of commits so far. */
  readonly version: number;
  /** The store's clock at the last commit. The clock of a later commit is never lower. */
  readonly atMs: number;
  readonly shard: Shard;
  /** Oldest first. */
  readonly logs: readonly LogRef[];
  readonly archived: readonly ArchivedLane[];
  /** Files with entries of the log. */
  readonly log: readonly EntryRef[];
  /** Files with reserved keys of tasks in the log. */
  readonly keptKeys: readonly EntryRef[];
  /** The version of the jobs' common settings that this shard has applied. */
  readonly control: number;
}

/** The files that a head lists: all others in its folder are garbage. */
export const listedNames = ({ logs, log, keptKeys }: ShardHead): ReadonlySet<string> =>
  new Set([...logs, ...log, ...keptKeys].map(({ name }) => name));

/** A file of log entries or of reserved keys. It never changes. */
export interface EntryRef extends LogRef {
  /** When the first and the last of its tasks finished. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** A listed log of finished tasks: an object that never changes. */
export interface LogRef {
  readonly name: string;
  readonly tasks: number;
}

export type ArchivedLane = Pick<Lane, "kind" | "job" | "gate" | TerminalState>;

/** The counters of a shard's lanes, including its logs. */
export async function lanesOfHead(
  { shard, archived }: ShardHead,
  now: StoreNow,
): Promise<ReadonlyMap<string, Lane>> {
  const lanes = await lanesOf(shard, now);
  await inSlices(archived, (lane) => {
    const key = laneKey(lane);
    const live = lanes.get(key) ?? emptyLane(lane);
    lanes.set(key, {
      ...live,
      done: live.done + lane.done,
      skipped: live.skipped + lane.skipped,
      failed: live.failed + lane.failed,
    });
  });
  return lanes;
}

export const gatesOfHead = ({ shard, archived }: ShardHead): Promise<readonly Gate[]> =>
  gatesWithTasks(shard, archived);

/** Adds tasks to the counts of a head's logs, or subtracts them if `by` is -1. */
export function recountArchived(
  archived: readonly ArchivedLane[],
  tasks: Iterable<Task>,
  by: 1 | -1,
): readonly ArchivedLane[] {
  const lanes = new Map(archived.map((lane) => [laneKey(lane), lane]));
  for (const task of tasks) {
    const { kind, job, gate } = task;
    const name = laneKey(task);
    const lane = lanes.get(name) ?? { kind, job, gate, ...noneFinished };
    const state = task.state as TerminalState;
    lanes.set(name, { ...lane, [state]: lane[state] + by });
  }
  return [...lanes.values()].filter(({ done, skipped, failed }) => done + skipped + failed > 0);
}

const noneFinished = { done: 0, skipped: 0, failed: 0 };

/** True if a commit changed nothing, so that nothing needs to be written. */
export function isSameShard(a: Shard, b: Shard): boolean {
  return (
    a.nextId === b.nextId &&
    a.lastToken === b.lastToken &&
    a.served === b.served &&
    a.raises.raised === b.raises.raised &&
    a.raises.unchanged === b.raises.unchanged &&
    isSameMap(a.jobs, b.jobs) &&
    isSameMap(a.gates, b.gates) &&
    isSameMap(a.claims, b.claims) &&
    isSameMap(a.waits, b.waits) &&
    isSameMap(a.tasks, b.tasks)
  );
}

function isSameMap<K, V>(a: ReadonlyMap<K, V>, b: ReadonlyMap<K, V>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) if (b.get(key) !== value) return false;
  return true;
}
