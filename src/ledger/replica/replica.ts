import { noTime, stampOf, type HybridTime } from "../clock/stamp.ts";
import type { Datagram, Dot } from "../datagram/datagram.ts";
import type { TargetState } from "../fold/part-state.ts";
import type { SessionKey, Vector } from "../fold/vector.ts";
import type { StateBatch, StateHead, StatePage, StateStore } from "../state/state-store.ts";

/** The checkpoint that a replica is based on. */
export interface Base {
  readonly number: number;
  readonly vector: Vector;
  readonly heldBack: readonly Datagram[];
  readonly dropped: readonly Dot[];
  /** The latest moment that was folded into it. */
  readonly latest: HybridTime;
  /** A part that did not change keeps its name. */
  readonly partNames: readonly (string | undefined)[];
  /** The text of a part; undefined if it is empty. */
  readPart(index: number): Promise<string | undefined>;
}

export const noBase: Base = {
  number: 0,
  vector: new Map(),
  heldBack: [],
  dropped: [],
  latest: noTime,
  partNames: [],
  readPart: async () => undefined,
};

/**
 * All that a node knows: the stored state, and in memory what came since it was last saved. Always
 * the fold of checkpoint and journals, independent of the order in which datagrams came.
 */
export interface Replica {
  readonly base: Base;
  vector(): Vector;
  /** How many datagrams are known beyond the checkpoint. */
  beyond(): number;
  /** Known datagrams that are ahead of the time. They are folded when their time has come. */
  heldBack(): ReadonlyMap<Dot, Datagram>;
  dropped(): ReadonlySet<Dot>;
  /** What was taken since the state was saved, folded or not, in order of arrival. */
  recent(): readonly Datagram[];
  /** The latest moment that was folded. */
  latest(): HybridTime;
  /**
   * Takes the new ones of these datagrams: whole commits of a session in order. Throws at a gap.
   */
  take(datagrams: readonly Datagram[], options: TakeOptions): readonly Datagram[];
  /** Folds datagrams that are no longer ahead of the time. */
  release(nowMs: number): readonly Datagram[];
  /** Undoes `take` for datagrams that a failed append did not make durable. */
  untake(key: string, lastNumber: number): void;
  /** The fields of some targets, valid until the next await. */
  withTargets<T>(
    targets: readonly string[],
    use: (fieldsOf: (target: string) => TargetState | undefined) => T | Promise<T>,
  ): Promise<T>;
  /**
   * The ones of these fields that the target may have; it certainly lacks the others. Fast for targets
   * with many fields, because it decodes nothing. Does not find names with characters that a file
   * escapes. Call `settle` first.
   */
  fieldsWithin(target: string, fields: readonly string[]): readonly string[];
  /** Every target of a part, in order of their names. */
  targetsOf(index: number): Promise<readonly string[]>;
  /** A page of a superset of all targets with conflicts; `next` is undefined on the last one. */
  conflicted(
    page: StatePage,
  ): Promise<{ readonly targets: readonly string[]; readonly next: string | undefined }>;
  /** The text of a part: the same on every replica that knows the same. */
  partText(index: number): Promise<string>;
  /** One digest of all that is folded. */
  digest(): Promise<string>;
  /** Whether the store contains no dropped datagrams. */
  isSettled(): boolean;
  /** Removes dropped datagrams from the store. */
  settle(): Promise<void>;
  /**
   * Saves what was taken and is in the journal, which is at `durable`. Returns false if that is not
   * possible now. Call `settle` first.
   */
  save(durable: (key: SessionKey) => number, more: JournalBatch): boolean;
}

export type JournalBatch = Required<Pick<StateBatch, "files" | "runs" | "dropFiles">>;

export interface TakeOptions {
  /** Undefined: own datagrams, which are never ahead of this node's clock. */
  readonly nowMs: number | undefined;
  /** The datagrams, encoded: then they need not be encoded again to be saved. */
  readonly records?: readonly string[];
}

export interface ReplicaOptions {
  readonly base: Base;
  readonly store: StateStore;
  /** What the store was folded from. */
  readonly head: StateHead;
  /** Folds the targets of these datagrams again without them, from checkpoint and journals. */
  readonly foldAgain: (
    dropped: readonly Dot[],
    isCounted: (datagram: Datagram) => boolean,
  ) => Promise<ReadonlyMap<string, TargetState>>;
}

export const emptyHead: StateHead = {
  checkpoint: 0,
  partNames: [],
  vector: {},
  heldBack: [],
  dropped: [],
  latest: stampOf(noTime),
};

export function isConflicted(fields: TargetState): boolean {
  for (const { conflicts } of fields.values()) if (conflicts.length > 0) return true;
  return false;
}
