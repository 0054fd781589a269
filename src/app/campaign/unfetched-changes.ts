import { AppError } from "../../base/app-error.ts";
import type { NodeReadApi } from "../../node/index.ts";
import {
  existingBucketAddress,
  hasFleetBucket,
  type FleetBucketOptions,
} from "../bucket/fleet-bucket.ts";

export interface UnfetchedOptions extends FleetBucketOptions {
  readonly ledger: Pick<NodeReadApi["ledger"], "preview">;
}

/**
 * Changes of other nodes in the bucket that this node has not fetched, or the reason why they are
 * not known.
 */
export type UnfetchedChanges = { readonly changes: number } | { readonly problem: string };

/** Undefined if there is no bucket, or this node has fetched everything. */
export async function readUnfetchedChanges(
  options: UnfetchedOptions,
): Promise<UnfetchedChanges | undefined> {
  if (!hasFleetBucket(options)) return undefined;
  try {
    const bucket = await existingBucketAddress(options);
    const { toPull } = await options.ledger.preview({ bucket });
    return toPull > 0 ? { changes: toPull } : undefined;
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}
