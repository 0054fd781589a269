import { inSlices } from "../../base/tick.ts";
import { countJobs, createKindCounter, type QueueCounts } from "../read/counts.ts";
import { hasRoom, isOpen, openFromMs, type Gate } from "../gate.ts";
import { isClaimable, newJob } from "../job.ts";
import { emptyLane, laneKey, type Lane } from "../lane.ts";
import type { LogEntry, LogStats } from "../read/log-entry.ts";
import type { BrowseQuery, EndedCursor, EndedQuery, StoreNow, TaskView } from "../queue-store.ts";
import type { Task, TaskState } from "../task.ts";
import { isHeld } from "../waiting.ts";
import type { Shard } from "./shard.ts";

/** The counters of all lanes, which the model computes on demand. */
export async function lanesOf(shard: Shard, now: StoreNow): Promise<Map<string, Lane>> {
  const lanes = new Map<string, Lane>();
  await inSlices(shard.tasks.values(), (task) => {
    const key = laneKey(task);
    lanes.set(key, counted(lanes.get(key) ?? emptyLane(task), task, now));
  });
  return lanes;
}

/** Counts these lanes of a shard, which may include archived tasks. */
export async function counts(
  shard: Shard,
  lanes: ReadonlyMap<string, Lane>,
  now: StoreNow,
): Promise<QueueCounts> {
  const counter = createKindCounter(now);
  const gates = new Set<string>();
  await inSlices(lanes.values(), (lane) => {
    const gate = shard.gates.get(lane.gate);
    if (gate) gates.add(gate.name);
    counter.add(lane, gate, shard.jobs.get(lane.job));
  });
  return {
    now,
    kinds: counter.kinds(),
    shards: 1,
    lanes: lanes.size,
    gates: gates.size,
    jobs: countJobs(shard.jobs.values()),
    waits: shard.waits,
    raises: shard.raises,
  };
}

/** Gates that have tasks: in these lanes, or in the shard itself. */
export async function gatesWithTasks(
  { gates, tasks }: Pick<Shard, "gates" | "tasks">,
  lanes: Iterable<{ readonly gate: string }> = [],
): Promise<readonly Gate[]> {
  const names = new Set<string>();
  for (const some of [tasks.values(), lanes]) {
    await inSlices<{ readonly gate: string }>(some, ({ gate }) => void names.add(gate), 5_000);
  }
  const found: Gate[] = [];
  await inSlices(gates.values(), (gate) => void (names.has(gate.name) && found.push(gate)), 5_000);
  return found;
}

function counted(lane: Lane, task: Task, now: StoreNow): Lane {
  if (task.state !== "pending") return { ...lane, [task.state]: lane[task.state] + 1 };
  const older = (atMs: number) =>
    atMs === 0 ? task.createdAtMs : Math.min(atMs, task.createdAtMs);
  if (task.dueAtMs <= now.wallMs) {
    return { ...lane, ready: lane.ready + 1, oldestReadyAtMs: older(lane.oldestReadyAtMs) };
  }
  return task.attempts.length > 0
    ? { ...lane, backoff: lane.backoff + 1, oldestBackoffAtMs: older(lane.oldestBackoffAtMs) }
    : {
        ...lane,
        scheduled: lane.scheduled + 1,
        oldestScheduledAtMs: older(lane.oldestScheduledAtMs),
      };
}

export function viewTask(shard: Shard, id: number, now: StoreNow): TaskView | undefined {
  const task = shard.tasks.get(id);
  if (!task) return undefined;
  return {
    now,
    task,
    gate: shard.gates.get(task.gate),
    job: shard.jobs.get(task.job) ?? newJob(task.job, now.ms),
    worker: task.state === "running" ? shard.claims.get(task.token)?.worker : undefined,
  };
}

export function browse(shard: Shard, query: BrowseQuery): readonly Task[] {
  return [...shard.tasks.values()]
    .filter((task) => task.id > query.afterId && matches(task, query))
    .sort((a, b) => a.id - b.id)
    .slice(0, query.limit);
}

/** The first `limit` items in one pass; it holds at most twice that many. */
export function ended<T extends Task | LogEntry>(
  tasks: Iterable<T>,
  query: EndedQuery,
): readonly T[] {
  const order = endedOrder(query);
  const states: ReadonlySet<TaskState> = new Set(query.states);
  let found: T[] = [];
  const trim = () => void (found = found.sort(order).slice(0, query.limit));
  for (const task of tasks) {
    if (!states.has(task.state) || !isInLane(task, query)) continue;
    if (query.after && order(task, query.after) <= 0) continue;
    if (found.push(task) >= 2 * query.limit) trim();
  }
  trim();
  return found;
}

export function logStats({ log, keptKeys }: Pick<Shard, "log" | "keptKeys">): LogStats {
  let oldestAtMs = 0;
  for (const { finishedAtMs } of log.values()) {
    if (oldestAtMs === 0 || finishedAtMs < oldestAtMs) oldestAtMs = finishedAtMs;
  }
  return { entries: log.size, oldestAtMs, keptKeys: keptKeys.size };
}

export const endedOrder = ({ isNewestFirst }: Pick<EndedQuery, "isNewestFirst">) => {
  const sign = isNewestFirst ? -1 : 1;
  return (a: EndedCursor, b: EndedCursor): number =>
    sign * (a.finishedAtMs - b.finishedAtMs || a.id - b.id);
};

type LaneQuery = Pick<BrowseQuery, "kind" | "job" | "gate">;

export const isInLane = (task: Pick<Task, "kind" | "job" | "gate">, query: LaneQuery): boolean =>
  (query.kind === undefined || query.kind === task.kind) &&
  (query.job === undefined || query.job === task.job) &&
  (query.gate === undefined || query.gate === task.gate);

const matches = (task: Task, query: BrowseQuery): boolean =>
  (query.states === undefined || query.states.includes(task.state)) &&
  isInLane(task, query) &&
  (query.keyPrefix === undefined || task.key.startsWith(query.keyPrefix)) &&
  (query.text === undefined || task.payload.includes(query.text));

export interface WakeQuery {
  readonly kinds: readonly string[];
  readonly worker: string | undefined;
}

export function wakeInMs(shard: Shard, waker: WakeQuery, now: StoreNow): number | undefined {
  const takesSuspects = waker.worker !== undefined && !holdsAny(shard, waker.worker);
  let best = Infinity;
  for (const task of shard.tasks.values()) {
    if (task.state === "running") best = Math.min(best, task.expiresAtMs - now.ms);
    if (task.state !== "pending" || !waker.kinds.includes(task.kind)) continue;
    best = Math.min(best, claimableInMs(shard, task, takesSuspects, now));
    if (best <= 0) return 0;
  }
  return best === Infinity ? undefined : Math.max(0, best);
}

const holdsAny = (shard: Shard, worker: string): boolean =>
  [...shard.claims.values()].some((record) => record.worker === worker && record.open > 0);

function claimableInMs(shard: Shard, task: Task, takesSuspects: boolean, now: StoreNow): number {
  const job = shard.jobs.get(task.job);
  const gate = shard.gates.get(task.gate);
  if (!job || isHeld(job)) return Infinity;
  const dueInMs = task.dueAtMs - now.wallMs;
  if (gate && !hasRoom(gate)) return dueInMs > 0 ? dueInMs : Infinity;
  const openInMs = gate && !isOpen(gate, now.ms) ? openFromMs(gate) - now.ms : 0;
  const inMs = Math.max(0, dueInMs, openInMs);
  // A task that could be claimed already but waits for a write of others has no time to wake at.
  const isNotMine = task.isSuspect && !takesSuspects;
  return inMs === 0 && (isNotMine || !isClaimable(job)) ? Infinity : inMs;
}
