import { AppError } from "../../base/app-error.ts";
import type { Bucket } from "../../bucket/index.ts";
import type { Datagram } from "../datagram/datagram.ts";
import { lastKnown } from "../fold/vector.ts";
import type { Replica } from "../replica.ts";
import { decodeHead, type Head } from "./head.ts";
import { segmentKey } from "./keys.ts";
import { listHeads } from "./pull.ts";
import { readSegment } from "./segment.ts";

export interface GatherOptions {
  readonly bucket: Bucket;
  readonly nowMs: () => number;
  readonly onFault: (fault: string) => void;
}

/** One checkpoint takes in at most this much; the next one takes the rest. */
const bytesMax = 64 * 2 ** 20;

/**
 * Takes all that the bucket has beyond the replica. Heads are hints: a session that may go on is
 * looked at beyond its head too, because its node may have died before it said so. What cannot be
 * read stops its session, is told, and stays where it is.
 */
export async function gather(
  { bucket, nowMs, onFault }: GatherOptions,
  replica: Replica,
): Promise<{ readonly datagrams: readonly Datagram[]; readonly isAll: boolean }> {
  const all: Datagram[] = [];
  let bytes = 0;
  const takeSession = async (key: string, head: { number: number; isComplete: boolean }) => {
    while (bytes < bytesMax) {
      const known = lastKnown(replica.vector(), key);
      if (known >= head.number && head.isComplete) return;
      const name = segmentKey(key, known + 1);
      const got = await bucket.get(name);
      if (got.status !== "found") {
        if (known < head.number) onFault(`${name} is missing, and the head says it is there`);
        return;
      }
      const { datagrams } = readSegment(got.body, { key, first: known + 1, name });
      for (const datagram of replica.take(datagrams, { nowMs: nowMs() })) all.push(datagram);
      bytes += got.body.byteLength;
    }
  };
  for (const head of await readHeads(bucket, onFault)) {
    for (const { session, number, isComplete } of head.sessions) {
      try {
        await takeSession(`${head.node}/${session}`, { number, isComplete });
      } catch (error) {
        if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
        onFault(error.message);
      }
    }
  }
  return { datagrams: all, isAll: bytes < bytesMax };
}

export async function readHeads(
  bucket: Bucket,
  onFault: (fault: string) => void,
): Promise<readonly Head[]> {
  const heads: Head[] = [];
  for (const { key } of await listHeads(bucket)) {
    const got = await bucket.get(key);
    if (got.status !== "found") continue;
    try {
      heads.push(decodeHead(got.body, key));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      onFault(error.message);
    }
  }
  return heads;
}
