import type { Queue } from "../queue.ts";
import { createWaitingReader } from "./search-tasks.ts";
import { bucketOf, percentiles, type WaitPercentiles } from "./wait-histogram.ts";
import { waitingReasons, type WaitingReason } from "../waiting.ts";

/** How long pending tasks have waited since they were added, for each reason. */
export interface WaitingAges {
  readonly reasons: readonly (WaitPercentiles & { readonly reason: WaitingReason })[];
  readonly read: number;
  /** False if only the oldest pending tasks were read, because of the limit. */
  readonly isComplete: boolean;
}

const pageSize = 500;
const readMax = 5_000;

/** Reads the pending tasks themselves, because the queue's counts by reason contain no ages. */
export async function readWaitingAges(queue: Queue, signal?: AbortSignal): Promise<WaitingAges> {
  const reader = createWaitingReader(queue);
  const { ms: nowMs } = await queue.now();
  const ages = new Map<WaitingReason, Map<number, number>>();
  let read = 0;
  let afterId = 0;
  let isComplete = false;
  while (!isComplete && read < readMax) {
    const page = await queue.browse({ states: ["pending"], afterId, limit: pageSize });
    const reasons = await reader.read(page);
    for (const { id, createdAtMs } of page) {
      const reason = reasons.get(id)?.reason;
      if (reason === undefined) continue;
      const counts = ages.get(reason) ?? new Map<number, number>();
      ages.set(reason, counts);
      const bucket = bucketOf(nowMs - createdAtMs);
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    }
    read += page.length;
    afterId = page.at(-1)?.id ?? afterId;
    isComplete = page.length < pageSize;
    signal?.throwIfAborted();
  }
  const known = waitingReasons.filter((reason) => ages.has(reason));
  return {
    reasons: known.map((reason) => ({ reason, ...percentiles(ages.get(reason)!) })),
    read,
    isComplete,
  };
}
