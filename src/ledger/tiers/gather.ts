import { AppError } from "../../base/app-error.ts";
import type { Bucket } from "../../bucket/index.ts";
import type { Spill } from "../fold/spill.ts";
import { lastKnown } from "../fold/vector.ts";
import type { HubState } from "./hub/hub-state.ts";
import { decodeHead, type SessionHead } from "./head.ts";
import { segmentKey } from "./keys.ts";
import { listHeads, missingSegment } from "./pull.ts";

export interface GatherOptions {
  readonly bucket: Bucket;
  readonly onFault: (fault: string) => void;
  /** Whether the role is held. Reading stops as soon as it is not. */
  readonly isHeld: () => boolean;
  /** Its capacity limits one checkpoint; the next one takes the rest. */
  readonly spill: Spill;
}

export interface Gathered {
  readonly datagrams: number;
  /** Whether there is more than a hub's own note that it made a checkpoint. */
  readonly isWorthIt: boolean;
}

/** From how many nodes segments are fetched at once. */
const lanes = 8;

/**
 * Reads everything in the bucket beyond the state. Heads are hints: a session that may continue is
 * also read beyond its head, because its node may have died before it updated the head. An
 * unreadable segment stops its session, is reported, and stays where it is.
 */
export async function gather(options: GatherOptions, state: HubState): Promise<Gathered> {
  const { bucket, onFault, spill, isHeld } = options;
  let [bytes, count, isWorthIt] = [0, 0, false];
  const takeSession = async (key: string, { number, isComplete, node }: SessionSeen) => {
    while (bytes < spill.bytesMax && isHeld()) {
      const known = lastKnown(state.vector(), key);
      if (known >= number && isComplete) return;
      const name = segmentKey(key, known + 1);
      const got = await bucket.get(name);
      if (got.status !== "found") {
        if (known < number) onFault(missingSegment(name, node));
        return;
      }
      bytes += got.body.byteLength;
      const taken = await state.take({ body: got.body, key, name });
      count += taken.datagrams;
      isWorthIt ||= taken.isWorthIt;
      await spill.flush();
    }
  };
  const takeHead = async ({ node, label, sessions }: SessionHead) => {
    for (const { session, number, isComplete } of sessions) {
      try {
        await takeSession(`${node}/${session}`, { number, isComplete, node: { node, label } });
      } catch (error) {
        if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
        onFault(error.message);
      }
    }
  };
  const queue = [...(await readHeads(bucket, onFault))];
  const work = async () => {
    for (let head = queue.shift(); head; head = queue.shift()) await takeHead(head);
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return { datagrams: count, isWorthIt };
}

interface SessionSeen {
  readonly number: number;
  readonly isComplete: boolean;
  readonly node: Pick<SessionHead, "node" | "label">;
}

/** A head, and its age by the store's clock. */
export interface HeadSeen {
  readonly head: SessionHead;
  readonly ageMs: number;
}

export async function readHeadsSeen(
  bucket: Bucket,
  onFault: (fault: string, key: string) => void,
): Promise<readonly HeadSeen[]> {
  const seen = new Map<string, HeadSeen>();
  const keys = (await listHeads(bucket)).map(({ key }) => key);
  const left = [...keys];
  const read = async () => {
    for (let key = left.shift(); key !== undefined; key = left.shift()) {
      const got = await bucket.get(key);
      if (got.status !== "found") continue;
      try {
        const head = decodeHead(got.body, key);
        seen.set(key, { head, ageMs: Math.max(0, got.seenAtMs - got.modifiedAtMs) });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        onFault(error.message, key);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, read));
  return keys.flatMap((key) => seen.get(key) ?? []);
}

export const readHeads = async (
  bucket: Bucket,
  onFault: (fault: string, key: string) => void,
): Promise<readonly SessionHead[]> =>
  (await readHeadsSeen(bucket, onFault)).map(({ head }) => head);
