import type { Records } from "../records.ts";
import type { DuplicatePair, FindPairsOptions } from "./find-pairs.ts";

/** The parts of records that merging needs; they may be open in another process. */
export interface MergingRecords extends Pick<Records, "merge"> {
  duplicatePairs(options: FindPairsOptions): Promise<readonly DuplicatePair[]>;
}

export interface MergeDuplicatesOptions {
  readonly isDryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onMerged?: () => void;
}

const pairsMax = 1_000_000;
const mergesAtOnce = 32;

/**
 * Merges all pairs that are certainly the same company, and counts those that need a review. Safe
 * to repeat, and to run on several nodes at once: the choice of the one that stays is the same
 * everywhere.
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
  let group: { readonly from: string; readonly into: string }[] = [];
  const busy = new Set<string>();
  const flush = async (): Promise<void> => {
    signal?.throwIfAborted();
    const source = "system";
    await Promise.all(group.map((one) => records.merge({ ...one, source }).then(onMerged)));
    for (const { from, into } of group) wentInto.set(from, into);
    group = [];
    busy.clear();
  };
  for (const pair of sure) {
    // Two merges of one company run one after the other; all others share their writes to disk.
    const isBusy = [pair.from, pair.into].some(({ target }) => busy.has(now(target)));
    if (isBusy || group.length >= mergesAtOnce) await flush();
    const [from, into] = [now(pair.from.target), now(pair.into.target)];
    if (from === into) continue;
    group.push({ from, into });
    busy.add(from).add(into);
  }
  await flush();
  return { merged: wentInto.size, left };
}
