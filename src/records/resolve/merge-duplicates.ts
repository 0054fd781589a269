import type { Records } from "../records.ts";
import type { DuplicatePair, FindPairsOptions } from "./find-pairs.ts";

/** What merging needs of records, wherever they are open. */
export interface MergingRecords extends Pick<Records, "merge"> {
  duplicatePairs(options: FindPairsOptions): Promise<readonly DuplicatePair[]>;
}

export interface MergeDuplicatesOptions {
  readonly isDryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onMerged?: () => void;
}

const pairsMax = 1_000_000;

/**
 * Merges all pairs that are surely one company, and counts those that a person has to look at. Safe to
 * repeat, and on several nodes at once: which of two stays is the same everywhere.
 */
export async function mergeDuplicates(
  records: MergingRecords,
  { isDryRun = false, signal, onMerged }: MergeDuplicatesOptions = {},
): Promise<{ readonly merged: number; readonly left: number }> {
  const pairs = await records.duplicatePairs({ limit: pairsMax });
  const sure = pairs.filter(({ verdict }) => verdict === "same");
  const left = pairs.length - sure.length;
  if (isDryRun) return { merged: sure.length, left };
  const wentInto = new Map<string, string>();
  const now = (target: string): string => {
    const next = wentInto.get(target);
    return next === undefined ? target : now(next);
  };
  for (const { from, into } of sure) {
    signal?.throwIfAborted();
    const [source, goes, stays] = ["system", now(from.target), now(into.target)];
    if (goes === stays) continue;
    await records.merge({ from: goes, into: stays, source });
    wentInto.set(goes, stays);
    onMerged?.();
  }
  return { merged: wentInto.size, left };
}
