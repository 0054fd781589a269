import { AppError } from "../../../base/app-error.ts";
import { sleep, type Clock } from "../../../base/clock.ts";
import { createId } from "../../../base/ids.ts";
import type { Random } from "../../../base/random.ts";
import { isUnavailable, type Bucket } from "../../../bucket/index.ts";
import { parseStamp } from "../../clock/stamp.ts";
import { isPart } from "../../replica/base-files.ts";
import type { FoldWorker } from "./fold-worker.ts";
import { partCount } from "../../fold/part-state.ts";
import type { Spill } from "../../fold/spill.ts";
import { noBase, type Base } from "../../replica/replica.ts";
import { readBoundary } from "../boundary.ts";
import { gather } from "../gather.ts";
import { createHubState, type HubState } from "./hub-state.ts";
import { manifestKey, partKey } from "../keys.ts";
import {
  decodeManifest,
  encodeManifest,
  findNewestManifest,
  type CheckpointManifest,
} from "../manifest.ts";

export interface HubContext {
  readonly bucket: Bucket;
  readonly clock: Clock;
  readonly random: Random;
  /** The name of this node, for people. */
  readonly hub: string;
  readonly epoch: number;
  /** Whether the role is held. Checked before every change. */
  readonly isHeld: () => boolean;
  /** The store's time. */
  readonly nowMs: () => number;
  readonly onFault: (fault: string) => void;
  readonly openSpill: () => Spill;
  readonly openFoldWorker: () => FoldWorker;
}

export type FoldRound =
  | { readonly status: "made"; readonly manifest: CheckpointManifest; readonly datagrams: number }
  /** There was nothing to fold. */
  | { readonly status: "nothing" }
  /** Another node has the role now; what was made is garbage. */
  | { readonly status: "lost" };

/**
 * Consolidation: folds what the bucket has beyond the newest checkpoint into the next one, part by
 * part. Parts have unique names and have no effect until a manifest names them, and a manifest is
 * created once. So a hub may die or be replaced at any point.
 */
export async function foldRound(context: HubContext): Promise<FoldRound> {
  const { bucket, isHeld, epoch, nowMs } = context;
  const newest = (await findNewestManifest(bucket))?.manifest;
  if (newest && newest.epoch > epoch) return { status: "lost" };
  await using spill = context.openSpill();
  await using foldWorker = context.openFoldWorker();
  const state = createHubState({
    base: newest ? bucketBase(bucket, newest) : noBase,
    spill,
    nowMs,
    foldWorker,
  });
  const { datagrams, isWorthIt } = await gather({ ...context, spill }, state);
  if (!isHeld()) return { status: "lost" };
  const released = state.release();
  if (!isWorthIt && released === 0) return { status: "nothing" };

  const parts = await writeParts(context, state, newest?.parts ?? [], spill.touched());
  if (!parts || !isHeld()) return { status: "lost" };
  const manifest: CheckpointManifest = {
    number: (newest?.number ?? 0) + 1,
    epoch,
    hub: context.hub,
    nonce: createId(context.random),
    madeAtMs: nowMs(),
    vector: state.vector(),
    parts,
    heldBack: [...state.heldBack().values()],
    dropped: [...state.dropped()].sort(),
    latest: state.latest(),
  };
  return (await createManifest(context, manifest))
    ? { status: "made", manifest, datagrams }
    : { status: "lost" };
}

export function bucketBase(bucket: Bucket, manifest: CheckpointManifest): Base {
  return {
    number: manifest.number,
    vector: manifest.vector,
    heldBack: manifest.heldBack,
    dropped: manifest.dropped,
    latest: parseStamp(manifest.latest),
    partNames: manifest.parts,
    async readPart(index) {
      const name = manifest.parts[index];
      if (name === undefined) return undefined;
      const got = await bucket.get(partKey(name));
      if (got.status === "found" && isPart(name, got.body)) return Buffer.from(got.body).toString();
      const fault = got.status === "found" ? "damaged" : "missing";
      const message = `part ${name} of checkpoint ${manifest.number} is ${fault} in the bucket`;
      throw new AppError("corrupt", "ledger_part", message);
    },
  };
}

/** Returns undefined if the role was lost meanwhile. */
async function writeParts(
  { bucket, random, epoch, isHeld }: HubContext,
  state: HubState,
  old: CheckpointManifest["parts"],
  touched: readonly number[],
): Promise<CheckpointManifest["parts"] | undefined> {
  const parts = Array.from({ length: partCount }, (_, index) => old[index]);
  const writePart = async (index: number) => {
    const { body, digest } = await state.foldPart(index);
    // A part that did not change keeps its name. Otherwise the name is unique, even if the content
    // existed before: so a deleted name is never needed again.
    if (parts[index]?.startsWith(`${digest}-`)) return;
    const name = `${digest}-${epoch}-${createId(random, 8)}.usv`;
    await bucket.put(partKey(name), body);
    parts[index] = name;
  };
  const queue = [...touched];
  const work = async () => {
    for (let index = queue.shift(); index !== undefined && isHeld(); index = queue.shift()) {
      await writePart(index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return queue.length === 0 && isHeld() ? parts : undefined;
}

/**
 * How many parts are folded at once: while one is uploaded the next ones are folded. Few, to limit
 * memory.
 */
const lanes = 6;

const triesMax = 8;

/** Creates the manifest, and determines whether the one in the bucket is ours. */
async function createManifest(context: HubContext, manifest: CheckpointManifest): Promise<boolean> {
  const { bucket, clock, random, isHeld } = context;
  const key = manifestKey(manifest.number);
  const body = encodeManifest(manifest);
  let lastError: unknown;
  for (let attempt = 0; attempt < triesMax && isHeld(); attempt++) {
    if (attempt > 0) await sleep(clock, random.next() * Math.min(2_000, 50 * 2 ** attempt));
    try {
      if ((await bucket.putIfAbsent(key, body)).status === "exists") {
        const got = await bucket.get(key);
        if (got.status !== "found") continue;
        if (decodeManifest(got.body, key).nonce !== manifest.nonce) return false;
      }
      // O5: a number behind the boundary was used before, and deleted.
      const boundary = await readBoundary(bucket);
      return (boundary?.checkpoint ?? 0) < manifest.number;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      lastError = error;
    }
  }
  if (!isHeld()) return false;
  const message = `${key} gave no clear answer; the next round starts from what is there`;
  throw new AppError("unavailable", "ledger_checkpoint_unresolved", message, { cause: lastError });
}
