import { listLimitMax, type Bucket, type ListedObject } from "../../bucket/index.ts";
import type { SessionKey } from "../fold/vector.ts";
import { parseSegmentKey } from "./keys.ts";

/** All objects below a prefix, in the order of their keys: a request for every thousand. */
export async function* listAll(bucket: Bucket, prefix: string): AsyncGenerator<ListedObject> {
  let startAfter = "";
  for (;;) {
    const page = await bucket.list(prefix, { startAfter });
    yield* page;
    if (page.length < listLimitMax) return;
    startAfter = page.at(-1)!.key;
  }
}

export interface ListedSegment {
  readonly first: number;
  readonly bytes: number;
}

/** The segments below a prefix, by session, in order. */
export async function listSegments(
  bucket: Bucket,
  prefix: string,
): Promise<ReadonlyMap<SessionKey, readonly ListedSegment[]>> {
  const sessions = new Map<SessionKey, ListedSegment[]>();
  for await (const { key, bytes } of listAll(bucket, prefix)) {
    const segment = parseSegmentKey(key);
    if (!segment) continue;
    const some = sessions.get(segment.session) ?? [];
    sessions.set(segment.session, some);
    some.push({ first: segment.first, bytes });
  }
  return sessions;
}
