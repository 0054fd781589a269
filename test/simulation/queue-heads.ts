import { readDoneLog } from "../../src/queue/adapters/bucket/done-log.ts";
import { createHeadCodec } from "../../src/queue/adapters/bucket/head-codec.ts";
import { createPlace } from "../../src/queue/adapters/bucket/place.ts";
import { withTasks } from "../../src/queue/adapters/bucket/recall.ts";
import type { Shard } from "../../src/queue/model/shard.ts";
import type { Task } from "../../src/queue/index.ts";
import type { Fail } from "./verdict.ts";
import type { World } from "./world.ts";

/** One content of a shard's object, as it landed, and the logs that it lists. */
export interface LandedHead {
  readonly version: number;
  readonly commits: Readonly<Record<string, { readonly number: number }>>;
  readonly shard: Shard;
  /** The shard as it would be if nothing ever went to a log. */
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
    const full = withTasks(shard, [...logged.values()]);
    return { version, commits, shard, full, logs: names, control: head.control };
  };
}
