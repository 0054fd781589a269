import { AppError } from "../../base/app-error.ts";
import { listLimitMax, type Bucket, type ListedObject } from "../../bucket/index.ts";
import type { Core } from "../core.ts";
import { lastKnown } from "../fold/vector.ts";
import { decodeHead, type Head } from "./head.ts";
import { headsPrefix, parseSegmentKey, segmentKey, segmentsPrefix } from "./keys.ts";
import { readSegment, type Segment } from "./segment.ts";

export interface Pulled {
  readonly datagrams: number;
  readonly nodes: number;
  /** Heads and segments that cannot be used, and why: shown, and passed over. */
  readonly faults: readonly string[];
  /** A segment was pruned that is still needed: stand on the newest checkpoint first. */
  readonly mustAdopt: boolean;
}

export interface Puller {
  pull(): Promise<Pulled>;
}

/** Fetches what other nodes have published, as far as their heads say. */
export function createPuller(core: Core, bucket: Bucket): Puller {
  const etags = new Map<string, string>();

  const segmentBehind = async (key: string, known: number): Promise<Segment> => {
    const read = async (first: number) => {
      const name = segmentKey(key, first);
      const got = await bucket.get(name);
      return got.status === "found" ? readSegment(got.body, { key, first, name }) : undefined;
    };
    const next = await read(known + 1);
    if (next) return next;
    // What comes from other nodes ends anywhere: the rest may be inside of an earlier segment.
    const first = await firstBefore(bucket, key, known);
    const begun = first === undefined ? undefined : await read(first);
    if (begun && begun.lastNumber > known) return begun;
    throw new MissingSegment(segmentKey(key, known + 1));
  };

  const pullHead = async (head: Head) => {
    let count = 0;
    for (const { session, number } of head.sessions) {
      const key = `${head.node}/${session}`;
      for (;;) {
        const known = lastKnown(core.replica().vector(), key);
        if (known >= number) break;
        const { datagrams } = await segmentBehind(key, known);
        count += (await core.receive(datagrams.filter((one) => one.number > known))).length;
      }
    }
    return count;
  };

  return {
    async pull() {
      const faults: string[] = [];
      let [datagrams, nodes, mustAdopt] = [0, 0, false];
      core.replica().release(core.time.nowMs());
      for (const { key, etag } of await listHeads(bucket)) {
        if (etags.get(key) === etag) continue;
        try {
          const got = await bucket.get(key);
          if (got.status !== "found") continue;
          const head = decodeHead(got.body, key);
          if (head.node !== core.identity().node) {
            const count = await pullHead(head);
            datagrams += count;
            nodes += count > 0 ? 1 : 0;
            etags.set(key, got.etag);
          }
        } catch (error) {
          if (error instanceof MissingSegment) mustAdopt = true;
          else if (error instanceof AppError && error.kind !== "unavailable") {
            faults.push(error.message);
          } else throw error;
        }
      }
      return { datagrams, nodes, faults, mustAdopt };
    },
  };
}

/** Where the last segment begins that begins with `known` or earlier. */
async function firstBefore(bucket: Bucket, key: string, known: number) {
  let [startAfter, last] = ["", undefined as number | undefined];
  for (;;) {
    const page = await bucket.list(`${segmentsPrefix}${key}/`, { startAfter });
    for (const one of page) {
      const first = parseSegmentKey(one.key)?.first ?? Infinity;
      if (first > known) return last;
      last = first;
    }
    if (page.length < listLimitMax) return last;
    startAfter = page.at(-1)!.key;
  }
}

/** Not an error for people: the way on is the checkpoint. */
class MissingSegment extends Error {}

export async function listHeads(bucket: Bucket): Promise<readonly ListedObject[]> {
  const all: ListedObject[] = [];
  let startAfter = "";
  for (;;) {
    const page = await bucket.list(headsPrefix, { startAfter });
    all.push(...page);
    if (page.length < listLimitMax) return all;
    startAfter = page.at(-1)!.key;
  }
}
