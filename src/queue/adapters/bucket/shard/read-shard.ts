import type { LogEntry, LogStats } from "../../../read/log-entry.ts";
import { browse, ended } from "../../../model/read.ts";
import type { Shard } from "../../../model/shard.ts";
import type { BrowseQuery, EndedQuery } from "../../../queue-store.ts";
import { isTerminal, type Task } from "../../../task.ts";
import { isLogMissing, type Log } from "../log/archive.ts";
import type { DoneEntry } from "../log/done-entry.ts";
import type { ShardHead, LogRef } from "../head/head.ts";
import { withTasks } from "../head/recall.ts";
import type { ShardKeeper } from "./shard-keeper.ts";

interface WholeShard {
  readonly head: ShardHead;
  readonly logs: readonly Log[];
}

const triesMax = 3;

/** Reads files that a head lists. If one is gone, a newer head lists its replacement: read that. */
async function readListed<T>(
  keeper: ShardKeeper,
  read: (head: ShardHead) => Promise<T>,
): Promise<{ readonly head: ShardHead; readonly found: T }> {
  for (let attempt = 1; ; attempt++) {
    const head = await keeper.read();
    try {
      return { head, found: await read(head) };
    } catch (error) {
      if (!isLogMissing(error) || attempt === triesMax || (await keeper.read()) === head)
        throw error;
    }
  }
}

/** A head and all its logs of finished tasks. */
export async function readWithLogs(keeper: ShardKeeper): Promise<WholeShard> {
  const { head, found } = await readListed(keeper, (listed) => keeper.archive.load(listed));
  return { head, logs: found };
}

/** A page of the log. Reads only files that can have entries of this page. */
export async function logOfShard(
  keeper: ShardKeeper,
  query: EndedQuery,
): Promise<readonly LogEntry[]> {
  const { after, isNewestFirst, limit } = query;
  const [near, far] = isNewestFirst ? (["toMs", "fromMs"] as const) : (["fromMs", "toMs"] as const);
  const sign = isNewestFirst ? -1 : 1;
  const isBehind = (atMs: number, otherMs: number) => sign * (atMs - otherMs) > 0;
  const { found } = await readListed(keeper, async ({ log }) => {
    const refs = log
      .filter((ref) => !after || !isBehind(after.finishedAtMs, ref[far]))
      .sort((a, b) => sign * (a[near] - b[near]));
    let page: readonly LogEntry[] = [];
    for (const ref of refs) {
      const last = page[limit - 1];
      if (last && isBehind(ref[near], last.finishedAtMs)) break;
      page = ended([...page, ...(await keeper.history.readLog(ref))], query);
    }
    return page;
  });
  return found;
}

/** Reads files of the log, the newest first, until one has the entry. */
export async function logEntryOfShard(
  keeper: ShardKeeper,
  id: number,
): Promise<LogEntry | undefined> {
  const { found } = await readListed(keeper, async ({ log }) => {
    for (const ref of [...log].sort((a, b) => b.toMs - a.toMs)) {
      const entry = (await keeper.history.readLog(ref)).find((one) => one.id === id);
      if (entry) return entry;
    }
    return undefined;
  });
  return found;
}

export function logStatsOf(heads: readonly ShardHead[]): LogStats {
  const log = heads.flatMap((head) => head.log);
  const sum = (refs: readonly LogRef[]) => refs.reduce((total, { tasks }) => total + tasks, 0);
  return {
    entries: sum(log),
    oldestAtMs: log.length === 0 ? 0 : Math.min(...log.map(({ fromMs }) => fromMs)),
    keptKeys: sum(heads.flatMap((head) => head.keptKeys)),
  };
}

export const archivedTasks = (logs: readonly Log[]): readonly Task[] =>
  logs.flatMap((log) => [...log.tasksById.values()]);

/** The complete shard, including archived tasks and log entries. */
export async function readWhole(keeper: ShardKeeper): Promise<{ head: ShardHead; shard: Shard }> {
  const { head, logs } = await readWithLogs(keeper);
  return { head, shard: withTasks(head.shard, archivedTasks(logs)) };
}

export async function browseShard(
  keeper: ShardKeeper,
  query: BrowseQuery,
): Promise<readonly Task[]> {
  const isLive = query.states?.every((state) => !isTerminal(state)) ?? false;
  const shard = isLive ? (await keeper.read()).shard : (await readWhole(keeper)).shard;
  return browse(shard, query);
}

export async function endedInShard(
  keeper: ShardKeeper,
  query: EndedQuery,
): Promise<readonly Task[]> {
  const { head, logs } = await readWithLogs(keeper);
  function* all() {
    for (const log of logs) yield* log.tasksById.values();
    yield* head.shard.tasks.values();
  }
  return ended(all(), query);
}

export async function* readDoneLog(keeper: ShardKeeper, shard: number): AsyncIterable<DoneEntry> {
  const { head, logs } = await readWithLogs(keeper);
  for (const log of logs) {
    for (const task of log.tasksById.values()) yield { shard, log: log.name, task };
  }
  for (const task of head.shard.tasks.values()) {
    if (isTerminal(task.state)) yield { shard, log: undefined, task };
  }
}
