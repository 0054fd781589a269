import { readDoneLog } from "../../src/queue/adapters/bucket/log/done-log.ts";
import { readKeptKeys, readLogEntries } from "../../src/queue/adapters/bucket/log/entry-log.ts";
import { createHeadCodec } from "../../src/queue/adapters/bucket/head/head-codec.ts";
import type { EntryRef } from "../../src/queue/adapters/bucket/head/head.ts";
import { createPlace } from "../../src/queue/adapters/bucket/storage/queue-keys.ts";
import { withTasks } from "../../src/queue/adapters/bucket/head/recall.ts";
import { identityOf, type Shard } from "../../src/queue/model/shard.ts";
import type { KeptKey, Task } from "../../src/queue/index.ts";
import type { Fail } from "./verdict.ts";
import type { World } from "./world.ts";

/** One content of a shard's object, as it landed, and the logs that it lists. */
export interface LandedHead {
  readonly version: number;
  readonly commits: Readonly<Record<string, { readonly number: number }>>;
  readonly shard: Shard;
  /** The shard as it would be if nothing ever went to a file of its own. */
  readonly full: Shard;
  readonly logs: readonly string[];
  /** Which version of what all shards agree on it has applied. */
  readonly control: number;
}

export const queuePrefix = "queue/";
export const place = createPlace(queuePrefix);

/** Reads heads as a stranger would: from the bytes alone. */
export function createHeadReader({ objects }: World, fail: Fail) {
  /** One for each shard: what stayed the same from head to head is not read again. */
  const codecs = new Map<number, ReturnType<typeof createHeadCodec>>();
  const logs = new Map<string, readonly Task[]>();
  const tasksOf = (key: string): readonly Task[] => {
    const known = logs.get(key);
    if (known) return known;
    const body = objects.get(key)?.body;
    if (!body) {
      fail(`Q7: ${key} is listed and not there`);
      return [];
    }
    const tasks = readDoneLog(body, key);
    logs.set(key, tasks);
    return tasks;
  };
  const files = new Map<string, readonly KeptKey[]>();
  /** The rows of all listed files, of which no file and no count may be wrong. */
  const rowsOf = <T extends KeptKey>(
    refs: readonly EntryRef[],
    shardIndex: number,
    decode: (body: Uint8Array, key: string) => readonly T[],
  ): readonly T[] =>
    refs.flatMap(({ name, tasks }) => {
      const key = `${place.logs(shardIndex)}${name}`;
      const body = objects.get(key)?.body;
      if (!files.has(key) && !body) fail(`Q7: ${key} is listed and not there`);
      const rows = (files.get(key) ?? (body ? decode(body, key) : [])) as readonly T[];
      files.set(key, rows);
      if (rows.length !== tasks) fail(`Q8: ${key} is said to have ${tasks}, not ${rows.length}`);
      return rows;
    });
  return (body: Uint8Array, shardIndex: number): LandedHead => {
    const codec = codecs.get(shardIndex) ?? createHeadCodec({ liveTasksMax: Infinity });
    codecs.set(shardIndex, codec);
    const { commits, value: head } = codec.decode(body, `shard ${shardIndex}`);
    const { version, shard } = head;
    const names = head.logs.map(({ name }) => name);
    const logged = new Map<number, Task>();
    for (const name of names) {
      for (const task of tasksOf(`${place.logs(shardIndex)}${name}`)) {
        const where = `task ${task.id} (${task.key})`;
        if (logged.has(task.id)) fail(`Q7: ${where} is in two listed logs`);
        if (shard.tasks.has(task.id)) fail(`Q7: ${where} is in a log and at large`);
        if (task.finishedAtMs === 0) fail(`Q7: ${where} was logged ${task.state}`);
        logged.set(task.id, task);
      }
    }
    const counted = head.archived.reduce(
      (sum, one) => sum + one.done + one.skipped + one.failed,
      0,
    );
    if (counted !== logged.size)
      fail(`Q8: ${counted} logged tasks are counted, not ${logged.size}`);
    const entries = rowsOf(head.log, shardIndex, readLogEntries);
    const keys = rowsOf(head.keptKeys, shardIndex, readKeptKeys);
    const log = new Map(entries.map((entry) => [entry.id, entry]));
    const keptKeys = new Map(keys.map((kept) => [identityOf(kept), kept]));
    for (const { id } of entries) {
      if (shard.tasks.has(id) || logged.has(id)) fail(`Q7: purged task ${id} is still there`);
    }
    if (log.size < entries.length || keptKeys.size < keys.length)
      fail("Q7: an entry is there twice");
    const full = { ...withTasks(shard, [...logged.values()]), log, keptKeys };
    return { version, commits, shard, full, logs: names, control: head.control };
  };
}
