import { AppError } from "../../base/app-error.ts";
import { createSerial } from "../../base/serial.ts";
import type { Bucket } from "../../bucket/index.ts";
import {
  baseOf,
  hasPartFile,
  isPart,
  removeOldParts,
  switchBase,
  writePartFile,
} from "../replica/base-files.ts";
import type { Core } from "../core.ts";
import { isCovered } from "../fold/vector.ts";
import { expectedBeyond } from "../replica/missing-history.ts";
import { partKey } from "./keys.ts";
import { findNewestManifest, type FoundManifest, type CheckpointManifest } from "./manifest.ts";

export interface AdoptProgress {
  readonly done: number;
  readonly total: number;
}

export interface AdoptOptions {
  readonly onProgress?: (progress: AdoptProgress) => void;
}

export interface AdoptingOptions extends AdoptOptions {
  /** Runs work while nothing else writes to the journals. */
  readonly quietly: (work: () => Promise<void>) => Promise<void>;
}

/** How many parts are fetched at once. */
const lanes = 8;

/**
 * Bootstrap: switches to the newest checkpoint, if it is newer than the node's own. Only parts that
 * are not here are fetched, so an interrupted bootstrap continues where it was. What this node
 * knows beyond the checkpoint stays; journal files that the checkpoint covers are removed.
 */
export async function adoptNewest(
  core: Core,
  bucket: Bucket,
  { onProgress = () => {}, quietly }: AdoptingOptions,
): Promise<number | undefined> {
  for (;;) {
    const found = await findNewestManifest(bucket, core.replica().base.number);
    if (!found) return undefined;
    if ((await fetchParts(core, bucket, found.manifest, onProgress)) === "pruned") continue;
    await switchTo(core, found, quietly);
    return found.manifest.number;
  }
}

async function fetchParts(
  core: Core,
  bucket: Bucket,
  manifest: CheckpointManifest,
  onProgress: (progress: AdoptProgress) => void,
): Promise<"fetched" | "pruned"> {
  const { disk } = core.options;
  const names = [...new Set(manifest.parts.filter((name) => name !== undefined))];
  /** One write at a time: appends wait for the same disk. */
  const writing = createSerial();
  let done = 0;
  let isPruned = false;
  const work = async (queue: string[]) => {
    for (let name = queue.pop(); name !== undefined && !isPruned; name = queue.pop()) {
      if (!(await hasPartFile(disk, name))) {
        const got = await bucket.get(partKey(name));
        if (got.status !== "found") {
          isPruned = true;
          return;
        }
        if (!isPart(name, got.body)) {
          const message = `part ${name} of checkpoint ${manifest.number} is damaged in the bucket`;
          throw new AppError("corrupt", "ledger_part", message);
        }
        const part = name;
        await writing.run(() => writePartFile(disk, part, got.body));
      }
      done += 1;
      onProgress({ done, total: names.length });
    }
  };
  const queue = names.toReversed();
  await Promise.all(Array.from({ length: lanes }, () => work(queue)));
  if (!isPruned) return "fetched";
  // Only a checkpoint with two newer ones is pruned. If there is no newer one, the bucket lost a
  // part.
  const newer = await findNewestManifest(bucket, manifest.number);
  if (newer) return "pruned";
  const message = `checkpoint ${manifest.number} lacks a part: the bucket has lost an object`;
  throw new AppError("corrupt", "ledger_part", message);
}

async function switchTo(
  core: Core,
  { manifest, body }: FoundManifest,
  quietly: AdoptingOptions["quietly"],
): Promise<void> {
  const { disk } = core.options;
  const { vector } = manifest;
  const left = Object.entries(core.identity().published).filter(
    ([key, number]) => (vector.get(key) ?? 0) < number,
  );
  // Save the clock before a journal file is removed: it must not fall behind that file's stamps.
  await core.saveIdentity({
    highWater: core.highWater(),
    published: Object.fromEntries(left),
    ownDatagrams: expectedBeyond(core, vector),
  });
  await switchBase(disk, body);
  await core.saveIdentity({ checkpoint: manifest.number });
  await core.switchTo(baseOf(disk, manifest));
  await removeOldParts(disk, manifest);
  await core.segments.dropCovered(vector);
  if (core.stranded() > 0) await quietly(() => core.reload());
  await core.journal().prune((last) => isCovered(vector, last));
  await core.save();
}
