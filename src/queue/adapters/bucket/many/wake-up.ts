import { createId } from "../../../../base/ids.ts";
import type { Random } from "../../../../base/random.ts";
import { isUnavailable, type Bucket } from "../../../../bucket/index.ts";
import type { WakeUp } from "./many-shards.ts";

/**
 * One object (stored as `bell`) that changes when a shard gets work after it had none, so that an
 * idle node polls one object however many shards there are. It is a hint: a node that misses it
 * finds the work later.
 */
export function createWakeUp(bucket: Bucket, key: string, random: Random): WakeUp {
  let seen: string | undefined;
  let signalling: Promise<void> | undefined;

  const signal = async () => {
    try {
      seen = (await bucket.put(key, Buffer.from(`${createId(random)}\n`))).etag;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    } finally {
      signalling = undefined;
    }
  };

  return {
    signal: () => void (signalling ??= signal()),
    end: async () => signalling,
    async wasSignalled() {
      const got = await bucket.get(key, seen === undefined ? {} : { ifNoneMatch: seen });
      if (got.status !== "found") return false;
      seen = got.etag;
      return true;
    },
  };
}
