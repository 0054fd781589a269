import { createId } from "../../../../base/ids.ts";
import type { Random } from "../../../../base/random.ts";
import { isUnavailable, type Bucket } from "../../../../bucket/index.ts";
import type { Bell } from "./many-shards.ts";

/**
 * One object that changes when a shard gets work after it had none: so an idle node has one thing
 * to look at, however many shards there are. It is a hint: who misses it finds the work later.
 */
export function createBell(bucket: Bucket, key: string, random: Random): Bell {
  let heard: string | undefined;
  let ringing: Promise<void> | undefined;

  const ring = async () => {
    try {
      heard = (await bucket.put(key, Buffer.from(`${createId(random)}\n`))).etag;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    } finally {
      ringing = undefined;
    }
  };

  return {
    ring: () => void (ringing ??= ring()),
    end: async () => ringing,
    async hasRung() {
      const got = await bucket.get(key, heard === undefined ? {} : { ifNoneMatch: heard });
      if (got.status !== "found") return false;
      heard = got.etag;
      return true;
    },
  };
}
