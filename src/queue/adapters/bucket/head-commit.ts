import { apply } from "../../model/apply.ts";
import type { ModelNow } from "../../model/now.ts";
import type { Operation, Outcomes } from "../../operation.ts";
import { isTerminal, type Task } from "../../task.ts";
import type { Archive, Log } from "./archive.ts";
import { isSameShard, recountArchived, type Head, type LogRef } from "./head.ts";
import { concernedBy, findConcerned, withTasks, withoutTasks } from "./recall.ts";

export interface Committed {
  readonly head: Head;
  readonly answers: Outcomes;
  /** Logs that this head lists no more. */
  readonly dropped: readonly string[];
  readonly purged: readonly Task[];
}

/**
 * The model between a head and the next. Archived tasks that operations are about come back for
 * the while; those that changed stay, and their logs are written anew without them.
 */
export async function commitOn(
  base: Head,
  operations: readonly Operation[],
  { archive, now }: { readonly archive: Archive; readonly now: ModelNow },
): Promise<Committed> {
  const concerned = base.logs.length > 0 ? concernedBy(base.shard, operations) : undefined;
  const logs = concerned ? await archive.load(base) : [];
  const recalled = concerned ? findConcerned(logs, concerned) : [];
  const { shard, answers } = apply(withTasks(base.shard, recalled), operations, now);
  const [stayed, left] = split(recalled, (task) => shard.tasks.get(task.id) === task);
  const own = withoutTasks(shard, stayed);
  const purged = operations.some(({ op }) => op === "purge")
    ? [...base.shard.tasks.values(), ...left].filter(({ id }) => !own.tasks.has(id))
    : [];
  if (left.length === 0 && isSameShard(own, base.shard)) {
    return { head: base, answers, dropped: [], purged };
  }
  const rewritten = await withoutEntries(base, logs, left, archive);
  const archived = recountArchived(base.archived, left, -1);
  const next = { shard: own, version: base.version + 1, atMs: Math.max(base.atMs, now.ms) };
  const head = { ...base, ...next, archived, logs: rewritten.logs };
  return { head, answers, dropped: rewritten.dropped, purged };
}

interface Rewritten {
  readonly logs: readonly LogRef[];
  readonly dropped: readonly string[];
}

async function withoutEntries(
  base: Head,
  logs: readonly Log[],
  gone: readonly Task[],
  archive: Archive,
): Promise<Rewritten> {
  if (gone.length === 0) return { logs: base.logs, dropped: [] };
  const kept: LogRef[] = [];
  const dropped: string[] = [];
  for (const log of logs) {
    const goneHere = new Set(gone.filter(({ id }) => log.tasksById.has(id)).map(({ id }) => id));
    if (goneHere.size === 0) {
      kept.push(refOf(log));
      continue;
    }
    dropped.push(log.name);
    const rest = [...log.tasksById.values()].filter(({ id }) => !goneHere.has(id));
    if (rest.length > 0) kept.push(refOf(await archive.write(base, rest)));
  }
  return { logs: kept, dropped };
}

/** A log that was written for a head and is not listed yet. */
export interface PreparedLog {
  readonly log: Log;
  /** Small ones that went into it. */
  readonly absorbed: readonly string[];
  /** What it takes out of the head. */
  readonly moved: readonly Task[];
}

/** So that the number of logs grows with the logarithm of their tasks, and none becomes a monster. */
const logTasksMax = 20_000;
const absorbedMin = 4;

/** Writes what a committed head shows as finished into a log, with the small logs before it. */
export async function prepareLog(base: Head, archive: Archive): Promise<PreparedLog | undefined> {
  const moved = [...base.shard.tasks.values()].filter(({ state }) => isTerminal(state));
  if (moved.length === 0) return undefined;
  const first = firstAbsorbed(base.logs, moved.length);
  const absorbed = base.logs.slice(first).map(({ name }) => name);
  const logs = absorbed.length > 0 ? await archive.load(base) : [];
  const before = logs.filter(({ name }) => absorbed.includes(name));
  const tasks = [...before.flatMap((log) => [...log.tasksById.values()]), ...moved];
  return { log: await archive.write(base, tasks), absorbed, moved };
}

/** Logs of about the same size become one when there are some: each task moves but a few times. */
function firstAbsorbed(logs: readonly LogRef[], moved: number): number {
  let count = moved;
  let first = logs.length;
  for (;;) {
    let from = first;
    let sum = 0;
    while (from > 0 && logs[from - 1]!.tasks <= count * 2) sum += logs[--from]!.tasks;
    if (first - from < absorbedMin || count + sum > logTasksMax) return first;
    first = from;
    count += sum;
  }
}

/** The head that lists a prepared log; undefined where it no longer fits, since others were here. */
export function listLog(base: Head, prepared: PreparedLog): Head | undefined {
  const { log, absorbed, moved } = prepared;
  const isThere = (task: Task) => isSameEnd(base.shard.tasks.get(task.id), task);
  const names = new Set(base.logs.map(({ name }) => name));
  if (!moved.every(isThere) || !absorbed.every((name) => names.has(name))) return undefined;
  return {
    ...base,
    shard: withoutTasks(base.shard, moved),
    logs: [...base.logs.filter(({ name }) => !absorbed.includes(name)), refOf(log)],
    archived: recountArchived(base.archived, moved, 1),
  };
}

const isSameEnd = (a: Task | undefined, b: Task): boolean =>
  a !== undefined &&
  a.state === b.state &&
  a.token === b.token &&
  a.finishedAtMs === b.finishedAtMs &&
  a.attempts.length === b.attempts.length;

const refOf = ({ name, tasks }: LogRef): LogRef => ({ name, tasks });

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [T[], T[]] {
  const parts: [T[], T[]] = [[], []];
  for (const one of all) parts[isFirst(one) ? 0 : 1].push(one);
  return parts;
}
