import { apply } from "../../../model/apply.ts";
import type { ModelNow } from "../../../model/now.ts";
import type { Operation, Outcomes } from "../../../operation.ts";
import type { History } from "../log/history.ts";
import { recallHistory, writeHistory } from "../log/history-commit.ts";
import { isTerminal, type Task } from "../../../task.ts";
import { firstAbsorbed, type Archive, type Log } from "../log/archive.ts";
import { isSameShard, recountArchived, type ShardHead, type LogRef } from "./head.ts";
import { concernedBy, findConcerned, withTasks, withoutTasks } from "./recall.ts";

export interface HeadCommitted {
  readonly head: ShardHead;
  readonly answers: Outcomes;
  /** Logs that this head no longer lists. */
  readonly dropped: readonly string[];
  readonly purged: readonly Task[];
}

/**
 * Applies operations to a head with the model and returns the next head. Archived tasks that the
 * operations refer to are loaded into the shard for this. Tasks that changed stay in the shard, and
 * their logs are rewritten without them.
 */
export async function commitOn(
  base: ShardHead,
  operations: readonly Operation[],
  { archive, history, now }: CommitTools,
): Promise<HeadCommitted> {
  const hasFiles = base.logs.length + base.log.length + base.keptKeys.length > 0;
  const concerned = hasFiles ? concernedBy(base.shard, operations) : undefined;
  const logs = concerned && base.logs.length > 0 ? await archive.load(base) : [];
  const recalled = concerned ? findConcerned(logs, concerned) : [];
  const past = await recallHistory(base, operations, {
    history,
    identities: concerned?.identities,
  });
  const before = { ...withTasks(base.shard, recalled), ...past.shard };
  const { shard, answers } = apply(before, operations, now);
  const [stayed, left] = split(recalled, (task) => shard.tasks.get(task.id) === task);
  const { log: _log, keptKeys: _keptKeys, ...rest } = withoutTasks(shard, stayed);
  const own = { ...rest, log: base.shard.log, keptKeys: base.shard.keptKeys };
  const files = await writeHistory(base, past, shard, history);
  const purged = operations.some(({ op }) => op === "purge")
    ? [...base.shard.tasks.values(), ...left].filter(({ id }) => !own.tasks.has(id))
    : [];
  if (left.length === 0 && files.isSame && isSameShard(own, base.shard)) {
    return { head: base, answers, dropped: [], purged };
  }
  const rewritten = await withoutEntries(base, logs, left, archive);
  const archived = recountArchived(base.archived, left, -1);
  const next = { shard: own, version: base.version + 1, atMs: Math.max(base.atMs, now.ms) };
  const { log, keptKeys } = files;
  const head = { ...base, ...next, archived, logs: rewritten.logs, log, keptKeys };
  return { head, answers, dropped: [...rewritten.dropped, ...files.dropped], purged };
}

export interface CommitTools {
  readonly archive: Archive;
  readonly history: History;
  readonly now: ModelNow;
}

interface Rewritten {
  readonly logs: readonly LogRef[];
  readonly dropped: readonly string[];
}

async function withoutEntries(
  base: ShardHead,
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

/** A log that was written for a head, and that no head lists yet. */
export interface PreparedLog {
  readonly log: Log;
  /** The small logs that were merged into it. */
  readonly absorbed: readonly string[];
  /** The tasks that it removes from the head. */
  readonly moved: readonly Task[];
}

/** Writes the finished tasks of a committed head into a log, merged with small earlier logs. */
export async function prepareLog(
  base: ShardHead,
  archive: Archive,
): Promise<PreparedLog | undefined> {
  const moved = [...base.shard.tasks.values()].filter(({ state }) => isTerminal(state));
  if (moved.length === 0) return undefined;
  const first = firstAbsorbed(base.logs, moved.length);
  const absorbed = base.logs.slice(first).map(({ name }) => name);
  const logs = absorbed.length > 0 ? await archive.load(base) : [];
  const before = logs.filter(({ name }) => absorbed.includes(name));
  const tasks = [...before.flatMap((log) => [...log.tasksById.values()]), ...moved];
  return { log: await archive.write(base, tasks), absorbed, moved };
}

/**
 * The head that lists a prepared log; undefined if other nodes changed the head so that it does not
 * fit.
 */
export function listLog(base: ShardHead, prepared: PreparedLog): ShardHead | undefined {
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
