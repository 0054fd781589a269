import { AppError } from "../../../base/app-error.ts";
import { listLimitMax, type Bucket } from "../../../bucket/index.ts";
import { encodeDatagram } from "../../datagram/datagram-record.ts";
import type { Datagram } from "../../datagram/datagram.ts";
import { headerRecord } from "../../file-header.ts";
import { decodePart } from "../../fold/part-file.ts";
import { isForgotten, partOf, scrub, type TargetState } from "../../fold/part-state.ts";
import { isToScrub, newestFloors, readFloors, type Floors } from "../../floors.ts";
import { bucketBase } from "./hub-fold.ts";
import { archivePrefix, parseSegmentKey, scrubbedKey, segmentsPrefix } from "../keys.ts";
import {
  findNewestManifest,
  listManifests,
  readManifest,
  type CheckpointManifest,
} from "../manifest.ts";
import { readSegment } from "../segment.ts";

/** What was forgotten and erased, according to a checkpoint. */
export function floorsIn(bucket: Bucket, manifest: CheckpointManifest): Promise<Floors> {
  const base = bucketBase(bucket, manifest);
  return readFloors(async (targets) => {
    const found: (TargetState | undefined)[] = [];
    for (const target of targets) {
      const text = await base.readPart(partOf(target));
      const part = text === undefined ? undefined : decodePart(text, `the part of ${target}`);
      found.push(part?.get(target));
    }
    return found;
  });
}

/** The segment without forgotten content; undefined if it has none. */
export function scrubbedSegment(floors: Floors, name: string, body: Uint8Array) {
  const datagrams = datagramsIn(name, body);
  if (!datagrams.some((datagram) => isToScrub(floors, datagram))) return undefined;
  const lines = datagrams.map((one) => encodeDatagram(isToScrub(floors, one) ? scrub(one) : one));
  return Buffer.from(headerRecord("segment") + lines.join(""));
}

/** How many datagrams in a folder of segments still contain something forgotten. */
async function countToScrub(bucket: Bucket, prefix: string, floors: Floors) {
  let count = 0;
  for await (const { key, body } of eachSegment(bucket, prefix)) {
    count += datagramsIn(key, body).filter((datagram) => isToScrub(floors, datagram)).length;
  }
  return count;
}

/**
 * Rewrites the archive if something was forgotten since the last time. It reads the whole archive,
 * so a mark stores how far it has come. It may be repeated, interrupted, and run concurrently.
 */
export async function scrubArchive(bucket: Bucket, floors: Floors): Promise<number> {
  const { forgotten, erased } = newestFloors(floors);
  const got = await bucket.get(scrubbedKey);
  const mark = got.status === "found" ? Buffer.from(got.body).toString().trim() : "";
  // Earlier versions write the first stamp only, so the second one tells what they did not do.
  const [forgottenMark = "", erasedMark = ""] = mark.split(" ");
  if (forgotten <= forgottenMark && erased <= erasedMark) return 0;
  const count = await scrubAll(bucket, floors);
  await bucket.put(scrubbedKey, Buffer.from(`${`${forgotten} ${erased}`.trimEnd()}\n`));
  return count;
}

async function scrubAll(bucket: Bucket, floors: Floors): Promise<number> {
  let count = 0;
  for await (const { key, body, etag } of eachSegment(bucket, archivePrefix)) {
    const clean = scrubbedSegment(floors, key, body);
    if (!clean) continue;
    // Another process that knows of fewer forgotten targets may have read it earlier: the later
    // write must fail.
    const answer = await bucket.putIfMatch(key, clean, etag);
    if (!("etag" in answer)) throw changed(key);
    count += 1;
  }
  return count;
}

const changed = (key: string) =>
  new AppError(
    "unavailable",
    "ledger_archive_changed",
    `${key} was changed meanwhile: do it again`,
  );

function datagramsIn(name: string, body: Uint8Array): readonly Datagram[] {
  const at = name.startsWith(archivePrefix)
    ? `${segmentsPrefix}${name.slice(archivePrefix.length)}`
    : name;
  const { session: key, first } = parseSegmentKey(at)!;
  return readSegment(body, { key, first, name }).datagrams;
}

async function* eachSegment(bucket: Bucket, prefix: string) {
  let startAfter = "";
  for (;;) {
    const page = await bucket.list(prefix, { startAfter });
    for (const { key } of page) {
      const at = `${segmentsPrefix}${key.slice(prefix.length)}`;
      const got = parseSegmentKey(at) ? await bucket.get(key) : undefined;
      if (got?.status === "found") yield { key, body: got.body, etag: got.etag };
    }
    if (page.length < listLimitMax) return;
    startAfter = page.at(-1)!.key;
  }
}

/** Where in a bucket copies of forgotten data remain. */
export interface Copies {
  /** Datagrams in segments that were not pruned yet. */
  readonly segments: number;
  /** Datagrams in the archive. */
  readonly archive: number;
  /** Checkpoints that still contain it, until they are pruned. */
  readonly checkpoints: readonly number[];
}

export async function findCopies(bucket: Bucket, target: string): Promise<Copies> {
  const targets = new Map([[target, await floorOfTarget(bucket, target)]]);
  const floors: Floors = { targets, erased: new Map() };
  const checkpoints: number[] = [];
  for (const number of await listManifests(bucket)) {
    const found = await readManifest(bucket, number);
    if (!found) continue;
    const text = await bucketBase(bucket, found.manifest).readPart(partOf(target));
    const fields =
      text === undefined ? undefined : decodePart(text, `part of ${number}`).get(target);
    if (fields && !isForgotten(fields)) checkpoints.push(number);
  }
  return {
    segments: await countToScrub(bucket, segmentsPrefix, floors),
    archive: await countToScrub(bucket, archivePrefix, floors),
    checkpoints,
  };
}

/** Until a checkpoint contains the forgetting, everything about the target is a copy. */
async function floorOfTarget(bucket: Bucket, target: string): Promise<string> {
  const newest = (await findNewestManifest(bucket))?.manifest;
  const floor = newest && (await floorsIn(bucket, newest)).targets.get(target);
  return floor ?? "9999";
}

/**
 * Removes everything that the newest checkpoint knows as forgotten from the archive, whatever the
 * mark says.
 */
export async function scrubNow(bucket: Bucket): Promise<number> {
  const newest = (await findNewestManifest(bucket))?.manifest;
  return newest ? scrubAll(bucket, await floorsIn(bucket, newest)) : 0;
}
