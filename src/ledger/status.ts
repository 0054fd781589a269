import type { Core } from "./core.ts";
import type { Cut } from "./journal/journal.ts";
import { countRanges } from "./journal/journal-reader.ts";
import { missingHistory } from "./replica/missing-history.ts";

export interface LedgerStatus {
  readonly node: string;
  readonly label: string;
  readonly checkpoint: number;
  readonly sessions: number;
  readonly datagramsSinceCheckpoint: number;
  readonly unpublished: number;
  readonly quarantined: number;
  /** The wall clock minus the bucket's clock; undefined until it was measured. */
  readonly clockOffsetMs: number | undefined;
  readonly highWater: string;
  /** Incomplete tails that a crash had left, cut off when the ledger was opened. */
  readonly cuts: readonly Cut[];
  readonly stranded: number;
  /**
   * Datagrams that this node wrote and its journal no longer holds. While there are any, `write`
   * throws `ledger_history_missing`. A sync fetches those that were published.
   */
  readonly lost: number;
  /** The checkpoint that this node used, if its file is missing; null: it is not missing. */
  readonly lostCheckpoint: number | null;
  /** What the last sync could not use in the bucket, and why. */
  readonly faults: readonly string[];
}

export function statusOf(core: Core): LedgerStatus {
  const { node, label } = core.identity();
  const replica = core.replica();
  const missing = missingHistory(core);
  return {
    node,
    label,
    checkpoint: replica.base.number,
    sessions: replica.vector().size,
    datagramsSinceCheckpoint: replica.beyond(),
    unpublished: countRanges(core.unpublished()),
    quarantined: replica.heldBack().size,
    clockOffsetMs: core.time.offsetMs(),
    highWater: core.highWater(),
    cuts: core.cuts,
    stranded: core.stranded(),
    lost: missing?.datagrams ?? 0,
    lostCheckpoint: missing?.checkpoint ?? null,
    faults: core.identity().faults ?? [],
  };
}
