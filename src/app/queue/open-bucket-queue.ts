import { AppError } from "../../base/app-error.ts";
import { systemClock } from "../../base/clock.ts";
import { createId } from "../../base/ids.ts";
import { systemRandom } from "../../base/random.ts";
import { createRetryingBucket } from "../../bucket/index.ts";
import type { NodeWake } from "../../node/index.ts";
import type { Added, Operation, Outcomes, QueueStore } from "../../queue/index.ts";
import { openMeteredBucket } from "../bucket/open-bucket.ts";

export interface OpenBucketQueueOptions {
  readonly mustExist?: boolean;
  /** Wakes up idle processes when tasks are added. A lost wake-up only delays work. */
  readonly wake?: NodeWake;
}

/**
 * Opens the queue at a bucket's address. `?shards=16` at its end sets the number of shards of a new
 * queue; for an existing one it is checked. The bucket is closed with the queue.
 */
export async function openQueueOnBucket(
  address: string,
  { mustExist = false, wake }: OpenBucketQueueOptions = {},
): Promise<QueueStore> {
  const { place, shards } = splitShards(address);
  const { openBucketQueueStore } =
    await import("../../queue/adapters/bucket/bucket-queue-store.ts");
  const opened = (await openMeteredBucket(place))("queue");
  const bucket = createRetryingBucket({
    bucket: opened,
    clock: systemClock,
    random: systemRandom,
  });
  try {
    const store = await openBucketQueueStore({
      bucket,
      mustExist,
      ...(shards !== undefined && { shards }),
      session: createId(systemRandom),
      clock: systemClock,
      random: systemRandom,
      probe: "daily",
    });
    const closing = new AbortController();
    const waking = new Set<Promise<void>>();
    let listening: Promise<void> | undefined;
    const wakeUp = () => {
      const mine = wake?.added().catch(() => {});
      if (!mine) return;
      waking.add(mine);
      void mine.then(() => waking.delete(mine));
    };
    const listen = async () => {
      const { signal } = closing;
      await wake?.listen({ onProgress: () => store.hint(), signal }).catch(() => {});
    };
    return {
      ...store,
      async commit(operations) {
        const outcomes = await store.commit(operations);
        if (hasAdded(operations, outcomes)) wakeUp();
        return outcomes;
      },
      watch(listener) {
        listening ??= listen();
        return store.watch(listener);
      },
      async [Symbol.asyncDispose]() {
        closing.abort();
        await Promise.all([...waking, listening]);
        await store[Symbol.asyncDispose]();
        await opened[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

/** True if there may be waiting tasks that idle nodes do not know about. */
function hasAdded(operations: readonly Operation[], outcomes: Outcomes): boolean {
  return operations.some((operation, index) => {
    if (operation.op === "finish")
      return operation.finishes.some(({ add }) => add && add.length > 0);
    const outcome = outcomes[index];
    if (operation.op === "add") {
      return (
        Array.isArray(outcome) && (outcome as Added[]).some(({ status }) => status === "added")
      );
    }
    return operation.op === "retry" || operation.op === "resume";
  });
}

const shardsMax = 256;

function splitShards(address: string): { place: string; shards: number | undefined } {
  const [, before = "", text, after = ""] = /^(.*[?&])shards=([^&]*)(.*)$/s.exec(address) ?? [];
  if (text === undefined) return { place: address, shards: undefined };
  const shards = Number(text);
  if (!/^\d+$/.test(text) || shards < 1 || shards > shardsMax) {
    throw new AppError(
      "invalid",
      "queue_address",
      `"${address}" is not the address of a queue: shards is a whole number 1–${shardsMax}`,
    );
  }
  const place = `${before}${after.replace(/^&/, "")}`.replace(/[?&]$/, "");
  return { place, shards };
}
