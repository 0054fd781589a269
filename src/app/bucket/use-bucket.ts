import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import { createRetryingBucket, type Bucket } from "../../bucket/index.ts";
import { openMeteredBucket } from "./open-bucket.ts";

/** Opens a bucket by its address for one operation of the ledger. */
export async function useBucket<T>(
  address: string,
  use: (bucket: Bucket) => Promise<T>,
): Promise<T> {
  const opened = (await openMeteredBucket(address, { isLate: true }))("ledger");
  try {
    return await use(
      createRetryingBucket({ bucket: opened, clock: systemClock, random: systemRandom }),
    );
  } finally {
    await opened.close();
  }
}
