import { AppError } from "../../base/app-error.ts";
import { formats, isReadable, markOf } from "../../base/text/formats.ts";
import type { Bucket } from "../../bucket/index.ts";
import type { Vector } from "../fold/vector.ts";
import { boundaryKey } from "./keys.ts";

/**
 * What may have been deleted: segments up to this vector, checkpoints below this number. It is
 * written before the first deletion, and never decreases.
 */
export interface Boundary {
  readonly epoch: number;
  readonly nonce: string;
  readonly vector: Vector;
  /** Checkpoints below this number may be deleted. */
  readonly checkpoint: number;
}

export interface FoundBoundary extends Boundary {
  readonly etag: string;
}

export async function readBoundary(bucket: Bucket): Promise<FoundBoundary | undefined> {
  const got = await bucket.get(boundaryKey);
  if (got.status !== "found") return undefined;
  let found: Record<string, unknown> | undefined;
  try {
    found = JSON.parse(Buffer.from(got.body).toString()) as typeof found;
  } catch {
    // reported below
  }
  if (!isReadable("boundary", found, boundaryKey) || typeof found?.["vector"] !== "object") {
    throw new AppError("corrupt", "ledger_boundary", `${boundaryKey} is not ours`);
  }
  const { epoch, nonce, checkpoint, vector } = found as unknown as {
    epoch: number;
    nonce: string;
    checkpoint: number;
    vector: Record<string, number>;
  };
  return { epoch, nonce, checkpoint, vector: new Map(Object.entries(vector)), etag: got.etag };
}

export const encodeBoundary = ({ vector, ...rest }: Boundary): Uint8Array =>
  Buffer.from(
    `${JSON.stringify({ ...markOf(formats.boundary.newest), ...rest, vector: Object.fromEntries(vector) })}\n`,
  );
