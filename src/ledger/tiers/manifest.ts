import { AppError } from "../../base/app-error.ts";
import { formats, isReadable, markOf } from "../../base/text/formats.ts";
import { listLimitMax, type Bucket } from "../../bucket/index.ts";
import { scanUsv } from "../../usv/index.ts";
import type { Stamp } from "../clock/stamp.ts";
import { datagramOf, encodeDatagram } from "../datagram/datagram-record.ts";
import type { Datagram, Dot } from "../datagram/datagram.ts";
import { partCount } from "../fold/part-state.ts";
import type { Vector } from "../fold/vector.ts";
import { manifestKey, manifestsPrefix, parseManifestKey } from "./keys.ts";

/** A checkpoint: everything up to a vector, folded. Created once, never changed. */
export interface CheckpointManifest {
  readonly number: number;
  /** The epoch of the lease under which it was made; never decreases. */
  readonly epoch: number;
  /** Which hub made it, and the random text by which that hub recognises it. */
  readonly hub: string;
  readonly nonce: string;
  /** In the store's time. */
  readonly madeAtMs: number;
  readonly vector: Vector;
  /** Names of the 256 parts; undefined for an empty part. */
  readonly parts: readonly (string | undefined)[];
  /** Unfolded datagrams that are ahead of the time. */
  readonly heldBack: readonly Datagram[];
  readonly dropped: readonly Dot[];
  /**
   * The latest stamp that was folded: clocks of nodes that use the checkpoint are not behind it.
   */
  readonly latest: Stamp;
}

export function encodeManifest(manifest: CheckpointManifest): Uint8Array {
  const { vector, parts, heldBack, ...rest } = manifest;
  const body = {
    ...markOf(formats.checkpoint.newest),
    ...rest,
    vector: Object.fromEntries([...vector].sort(([a], [b]) => (a < b ? -1 : 1))),
    parts: parts.map((name) => name ?? null),
    aside: heldBack.map(encodeDatagram),
  };
  return Buffer.from(`${JSON.stringify(body)}\n`);
}

export function decodeManifest(body: Uint8Array, name: string): CheckpointManifest {
  let found: Record<string, unknown> | undefined;
  try {
    found = JSON.parse(Buffer.from(body).toString()) as typeof found;
  } catch {
    // `found` stays undefined, which is reported below
  }
  const parts = found?.["parts"];
  if (
    !isReadable("checkpoint", found, name) ||
    !Array.isArray(parts) ||
    parts.length !== partCount
  ) {
    const message = `${name} is not a checkpoint of Forager: another program writes there`;
    throw new AppError("corrupt", "ledger_checkpoint", message);
  }
  const raw = found as unknown as Omit<CheckpointManifest, "vector" | "parts" | "heldBack"> & {
    vector: Record<string, number>;
    aside: string[];
  };
  const { number, epoch, hub, nonce, madeAtMs, dropped, latest } = raw;
  return {
    number,
    epoch,
    hub,
    nonce,
    madeAtMs,
    dropped,
    latest,
    vector: new Map(Object.entries(raw.vector)),
    parts: (parts as (string | null)[]).map((one) => checkedPartName(one, name)),
    heldBack: raw.aside.map((text) => {
      const [item] = scanUsv(text);
      return datagramOf(item?.kind === "record" ? item.units : []);
    }),
  };
}

/** Checks a part's name, which becomes part of a key and of a file name. */
function checkedPartName(part: string | null, name: string): string | undefined {
  if (part === null) return undefined;
  if (/^[0-9a-f]{64}-\d{1,15}-[0-9a-z]{8}\.usv$/.test(part)) return part;
  throw new AppError("corrupt", "ledger_checkpoint", `${name} names a part that is not of Forager`);
}

export interface FoundManifest {
  readonly manifest: CheckpointManifest;
  readonly body: Uint8Array;
}

/** The newest checkpoint with a number above `above`; undefined if there is none. */
export async function findNewestManifest(
  bucket: Bucket,
  above = 0,
): Promise<FoundManifest | undefined> {
  for (;;) {
    const numbers = await listManifests(bucket, above);
    const newest = numbers.at(-1);
    if (newest === undefined) return undefined;
    const found = await readManifest(bucket, newest);
    if (found) return found; // otherwise it was pruned meanwhile, because newer ones were made
  }
}

export async function listManifests(bucket: Bucket, above = 0): Promise<readonly number[]> {
  const numbers: number[] = [];
  let startAfter = manifestKey(above);
  for (;;) {
    const page = await bucket.list(manifestsPrefix, { startAfter });
    for (const { key } of page) {
      const number = parseManifestKey(key);
      if (number !== undefined && number > above) numbers.push(number);
    }
    if (page.length < listLimitMax) return numbers;
    startAfter = page.at(-1)!.key;
  }
}

export async function readManifest(
  bucket: Bucket,
  number: number,
): Promise<FoundManifest | undefined> {
  const got = await bucket.get(manifestKey(number));
  if (got.status !== "found") return undefined;
  return { manifest: decodeManifest(got.body, manifestKey(number)), body: got.body };
}
