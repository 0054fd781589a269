import { AppError } from "../../../base/app-error.ts";
import { browse, ended } from "../../model/read.ts";
import type { Shard } from "../../model/shard.ts";
import type { BrowseQuery, EndedQuery } from "../../queue-store.ts";
import { isTerminal, type Task } from "../../task.ts";
import type { Log } from "./archive.ts";
import type { DoneEntry } from "./done-entry.ts";
import type { Head } from "./head.ts";
import { withTasks } from "./recall.ts";
import type { ShardKeeper } from "./shard-keeper.ts";

interface WholeShard {
  readonly head: Head;
  readonly logs: readonly Log[];
}

const triesMax = 3;

/** A head and all its logs. A log that went meanwhile was replaced: a newer head says by what. */
export async function readWithLogs(keeper: ShardKeeper): Promise<WholeShard> {
  for (let attempt = 1; ; attempt++) {
    const head = await keeper.read();
    try {
      return { head, logs: await keeper.archive.load(head) };
    } catch (error) {
      const isMissing = error instanceof AppError && error.code === "queue_log_missing";
      if (!isMissing || attempt === triesMax || (await keeper.read()) === head) throw error;
    }
  }
}

export const archivedTasks = (logs: readonly Log[]): readonly Task[] =>
  logs.flatMap((log) => [...log.tasksById.values()]);

/** The shard as it would be if nothing had left it. */
export async function readWhole(keeper: ShardKeeper): Promise<{ head: Head; shard: Shard }> {
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
