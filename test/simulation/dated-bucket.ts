import { createStoreClock } from "../../src/bucket/adapters/s3/store-clock.ts";
import type { Bucket } from "../../src/bucket/index.ts";
import type { SimNode } from "./sim-node.ts";

/**
 * A node's bucket that knows the time as the S3 adapter does: from the stamps of its answers, as
 * an interval on the node's own monotonic clock. It asks only when it had no answer yet.
 */
export function createDatedBucket({ bucket, clock }: Pick<SimNode, "bucket" | "clock">): Bucket {
  const storeClock = createStoreClock();
  const observe = (dateMs: number, sentMs: number) =>
    storeClock.observe({ dateMs, sentMs, receivedMs: clock.monotonicMs() });
  return {
    ...bucket,
    async get(key, more) {
      const sentMs = clock.monotonicMs();
      const got = await bucket.get(key, more);
      if (got.status === "found") observe(got.seenAtMs, sentMs);
      return got;
    },
    async now() {
      const known = storeClock.at(clock.monotonicMs());
      if (known) return known;
      const sentMs = clock.monotonicMs();
      observe((await bucket.now()).earliestMs, sentMs);
      return storeClock.at(clock.monotonicMs())!;
    },
  };
}
