/** Many nodes on a store that is far away: every request takes its time, whatever else happens. */
import { strictEqual } from "node:assert/strict";
import { sleep, systemClock } from "../../src/base/clock.ts";
import { createId } from "../../src/base/ids.ts";
import { systemRandom } from "../../src/base/random.ts";
import {
  createMemoryBucket,
  type MemoryObject,
} from "../../src/bucket/adapters/memory/memory-bucket.ts";
import type { Bucket } from "../../src/bucket/index.ts";
import { openBucketQueueStore } from "../../src/queue/adapters/bucket/bucket-queue-store.ts";
import { createQueue, createWaker, type Queue } from "../../src/queue/index.ts";
import type { Side } from "../frame/side.ts";

export interface SlowInput {
  readonly delayMs: number;
  readonly shards: number;
  readonly nodes: number;
  readonly tasks: number;
  readonly batch: number;
  /** How long the tasks of one claim take; absent: no time. */
  readonly workMs?: number;
}

const kinds = ["page"] as const;

export const slowFleet: Side<SlowInput> = async (input) => {
  const { delayMs, shards, nodes, tasks, batch, workMs = 0 } = input;
  const [clock, random] = [systemClock, systemRandom];
  const objects = new Map<string, MemoryObject>();
  const memory = createMemoryBucket({ clock, objects });
  let requests = 0;
  const bucket = delayed(memory, delayMs, () => (requests += 1));
  const open = async () =>
    createQueue({
      store: await openBucketQueueStore({
        bucket,
        shards,
        session: createId(random),
        clock,
        random,
        probe: "daily",
      }),
      clock,
      random,
    });
  const queues: Queue[] = [];
  for (let index = 0; index < nodes; index++) queues.push(await open());
  const opening = requests;
  let held = 0;
  const piece = 16 * batch;
  const ahead = 4 * nodes * batch;

  let stored = 0;
  /** Adds in few large pieces, since each goes to all shards, and stays a little ahead. */
  const produce = async (queue: Queue) => {
    while (stored < tasks) {
      if (stored - held > ahead) {
        await sleep(clock, 10);
        continue;
      }
      const size = Math.min(piece, tasks - stored);
      const keys = Array.from({ length: size }, (_, at) => `${stored + at}`);
      await queue.add(keys.map((key) => ({ kind: "page", key, payload: null })));
      stored += size;
    }
  };
  const work = async (queue: Queue, index: number) => {
    const worker = `node-${index}`;
    using waker = createWaker({ queue, kinds, worker });
    let leases: readonly { id: number; token: number }[] = [];
    while (held < tasks) {
      const mark = waker.mark();
      const outcome = { kind: "done" } as const;
      const finished = queue.finish(leases.map(({ id, token }) => ({ id, token, outcome })));
      const claimed = queue.claim({ worker, kinds, limit: batch });
      const answers = await finished;
      held += answers.filter(({ status }) => status === "done").length;
      ({ leases } = await claimed);
      if (leases.length > 0 && workMs > 0) await sleep(clock, workMs);
      if (leases.length > 0 || held >= tasks) continue;
      // Another may just have finished the last of them, which wakes nobody.
      await waker.wait(mark, AbortSignal.timeout(200)).catch(() => {});
    }
  };

  return {
    async run() {
      const [first, ...others] = queues;
      await Promise.all([produce(first!), ...others.map(work)]);
      return { held, requests: requests - opening };
    },
    async check() {
      strictEqual(held, tasks, "tasks finished once");
      strictEqual((await queues[0]!.stats()).states.done, tasks, "tasks stored as done");
    },
  };
};

function delayed(bucket: Bucket, delayMs: number, onRequest: () => void): Bucket {
  const after = async <T>(send: () => Promise<T>): Promise<T> => {
    onRequest();
    await sleep(systemClock, delayMs);
    return send();
  };
  return {
    ...bucket,
    get: (key, more) => after(() => bucket.get(key, more)),
    putIfAbsent: (key, body) => after(() => bucket.putIfAbsent(key, body)),
    putIfMatch: (key, body, etag) => after(() => bucket.putIfMatch(key, body, etag)),
    put: (key, body) => after(() => bucket.put(key, body)),
    delete: (key) => after(() => bucket.delete(key)),
    list: (prefix, more) => after(() => bucket.list(prefix, more)),
  };
}
