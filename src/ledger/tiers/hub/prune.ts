import { sleep } from "../../../base/clock.ts";
import { createId } from "../../../base/ids.ts";
import { isUnavailable, type Bucket, type BucketLease } from "../../../bucket/index.ts";
import { encodeBoundary, readBoundary, type Boundary } from "../boundary.ts";
import type { Floors } from "../../floors.ts";
import type { HubContext } from "./hub-fold.ts";
import {
  archiveKey,
  boundaryKey,
  manifestKey,
  parseSegmentKey,
  partKey,
  partsPrefix,
  segmentsPrefix,
} from "../keys.ts";
import { listAll } from "../list-all.ts";
import { listManifests, readManifest, type CheckpointManifest } from "../manifest.ts";
import { floorsIn, scrubArchive, scrubbedSegment } from "./scrub.ts";

export interface PruneOptions {
  readonly context: HubContext;
  /** Read again right before anything is deleted. */
  readonly lease: Pick<BucketLease, "show">;
  readonly graceMs: number;
  /** Whether folded segments are kept for history. */
  readonly hasArchive: boolean;
}

export interface Pruned {
  readonly segments: number;
  readonly checkpoints: number;
  readonly parts: number;
}

const nothing: Pruned = { segments: 0, checkpoints: 0, parts: 0 };

/**
 * Removes what is no longer needed: segments that two checkpoints cover, if the older one has
 * existed for the grace period; checkpoints before that one; and their parts. The order is: raise
 * the boundary, read the lease again, delete. What is deleted stays covered, so a hub that was
 * paused in the middle may continue without harm.
 */
export async function prune({
  context,
  lease,
  graceMs,
  hasArchive,
}: PruneOptions): Promise<Pruned> {
  const { bucket, epoch, isHeld, nowMs } = context;
  const numbers = await listManifests(bucket);
  const kept = await readAll(bucket, numbers.slice(-2));
  const [older, newest] = kept;
  if (!older || !newest || nowMs() - older.madeAtMs < graceMs) return nothing;
  if (!(await raiseBoundary(context, older))) return nothing;
  const view = await lease.show();
  const isMine = view?.record.epoch === epoch && view.record.state === "held";
  if (!isMine || !isHeld()) return nothing;

  const floors = await floorsIn(bucket, newest);
  const segments = await pruneSegments(context, older, hasArchive ? floors : undefined);
  if (hasArchive) await scrubArchive(bucket, floors);
  const isDoomed = (number: number) => number < older.number;
  const doomed = await readAll(bucket, numbers.filter(isDoomed));
  const used = new Set(kept.flatMap(({ parts }) => parts));
  let parts = 0;
  for (const manifest of doomed) {
    for (const name of new Set(manifest.parts)) {
      if (name === undefined || used.has(name) || !isHeld()) continue;
      await bucket.delete(partKey(name));
      parts += 1;
    }
    if (isHeld()) await bucket.delete(manifestKey(manifest.number));
  }
  if (newest.epoch === epoch) parts += await pruneOrphans(context, used);
  return { segments, checkpoints: doomed.length, parts };
}

async function readAll(
  bucket: Bucket,
  numbers: readonly number[],
): Promise<readonly CheckpointManifest[]> {
  const found = await Promise.all(numbers.map((number) => readManifest(bucket, number)));
  return found.flatMap((one) => (one ? [one.manifest] : []));
}

const triesMax = 6;

/** Returns false if a hub with a later epoch has raised it. */
async function raiseBoundary(context: HubContext, older: CheckpointManifest): Promise<boolean> {
  const { bucket, epoch, clock, random } = context;
  const nonce = createId(random);
  for (let attempt = 0; attempt < triesMax; attempt++) {
    if (attempt > 0) await sleep(clock, random.next() * 50 * 2 ** attempt);
    const found = await readBoundary(bucket);
    if (found?.nonce === nonce) return true;
    if (found && found.epoch > epoch) return false;
    if (found && found.checkpoint >= older.number) return true;
    const vector = new Map(found?.vector);
    for (const [key, number] of older.vector) {
      vector.set(key, Math.max(number, vector.get(key) ?? 0));
    }
    const boundary: Boundary = { epoch, nonce, vector, checkpoint: older.number };
    const body = encodeBoundary(boundary);
    try {
      const answer = found
        ? await bucket.putIfMatch(boundaryKey, body, found.etag)
        : await bucket.putIfAbsent(boundaryKey, body);
      if ("etag" in answer) return true;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }
  return false;
}

async function pruneSegments(
  { bucket, isHeld }: HubContext,
  { vector }: CheckpointManifest,
  /** Undefined: there is no archive. */
  archiveFloors: Floors | undefined,
): Promise<number> {
  let count = 0;
  for await (const { key } of listAll(bucket, segmentsPrefix)) {
    const segment = parseSegmentKey(key);
    // Segments are folded completely: one that begins below the vector also ends there.
    if (!segment || segment.first > (vector.get(segment.session) ?? 0)) continue;
    if (!isHeld()) break;
    if (archiveFloors) {
      const got = await bucket.get(key);
      if (got.status !== "found") continue;
      const body = scrubbedSegment(archiveFloors, key, got.body) ?? got.body;
      await bucket.putIfAbsent(archiveKey(key), body);
    }
    await bucket.delete(key);
    count += 1;
  }
  return count;
}

/**
 * Deletes parts that no checkpoint names, left by hubs that died. Only those of earlier epochs, and
 * only when a checkpoint of this epoch exists: after that no earlier hub can create one.
 */
async function pruneOrphans(
  { bucket, isHeld, epoch }: HubContext,
  used: ReadonlySet<string | undefined>,
): Promise<number> {
  let count = 0;
  for await (const { key } of listAll(bucket, partsPrefix)) {
    const name = key.slice(partsPrefix.length);
    const partEpoch = Number(name.split("-")[1]);
    if (used.has(name) || !(partEpoch < epoch)) continue;
    if (!isHeld()) break;
    await bucket.delete(key);
    count += 1;
  }
  return count;
}
