import type { Datagram, Dot } from "../datagram/datagram.ts";
import type { SessionKey } from "../fold/vector.ts";

/**
 * The folded state of a ledger: for each target the text that it would have in a part of a
 * checkpoint (the value of each field, the write it comes from, the writes that lost), and which
 * datagrams it was folded from. It is derived from checkpoint and journals, and built again if it
 * is missing, damaged or does not match them. Invariants:
 * - a batch is applied as a whole or not at all, also if the process or the machine stops;
 * - a crash may undo the last batches, never one in the middle.
 *
 * All methods are synchronous, so that nothing happens between a read and a write. Throws AppError
 * `ledger_state_damaged` if the file is unreadable.
 */
export interface StateStore extends Disposable {
  /** It reads a file that another process may own, and never changes it. */
  readonly isReadOnly: boolean;
  /** What it was folded from; undefined: it is empty. */
  head(): StateHead | undefined;
  /** The records of a target, as in a part; undefined: nothing is known of it. */
  read(target: string): string | undefined;
  /** The targets of a part, in order of their UTF-8 bytes, after one of them. */
  list(part: number, page: StatePage): readonly StoredTarget[];
  /** Targets with conflicts, in the same order. */
  listConflicted(page: StatePage): readonly StoredTarget[];
  /** How far each journal file was folded. */
  files(): readonly FoldedFile[];
  /** Where datagrams are in the journals. */
  runs(): readonly JournalRun[];
  apply(batch: StateBatch): void;
  /** The text that was staged for a target; see `StateBatch.staged`. */
  readStaged(target: string): string | undefined;
  /** Removes everything. */
  clear(): void;
}

export interface StatePage {
  readonly after?: string;
  readonly limit: number;
}

export interface StoredTarget {
  readonly target: string;
  readonly text: string;
  /** It has a conflict: a write that lost unseen. */
  readonly isConflicted: boolean;
}

export interface StateHead {
  /** The checkpoint that is folded in, and the names of its parts; 0: none. */
  readonly checkpoint: number;
  readonly partNames: readonly (string | null)[];
  /** The last number of each session that was folded or held back. */
  readonly vector: Readonly<Record<SessionKey, number>>;
  /** Known, ahead of the time, and not folded yet. */
  readonly heldBack: readonly Datagram[];
  readonly dropped: readonly Dot[];
  /** The latest stamp that was folded. */
  readonly latest: string;
}

/** How far a journal file was folded. */
export interface FoldedFile {
  readonly name: string;
  readonly bytes: number;
  /** The last bytes of that content, as text. They show whether the content was replaced. */
  readonly mark: string;
  /** The time of the last write, as the disk reports it; empty: not known. */
  readonly changed: string;
  /** The last number of each session in it. */
  readonly last: Readonly<Record<string, number>>;
}

/** Consecutive datagrams of one session in a journal file, from `start` to before `end`. */
export interface JournalRun {
  readonly key: SessionKey;
  readonly first: number;
  readonly last: number;
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** The stamp of the first of them. */
  readonly stamp: string;
}

export interface StateBatch {
  readonly targets?: readonly StoredTarget[];
  /** Only the changed parts; the first batch has all of it. */
  readonly head?: Partial<StateHead>;
  readonly files?: readonly FoldedFile[];
  /** A run replaces the one with the same file and start. */
  readonly runs?: readonly JournalRun[];
  /** Journal files that are gone or were replaced: removes what is stored about them. */
  readonly dropFiles?: readonly string[];
  /** Targets of a part that is being replaced. They count when that part is promoted. */
  readonly staged?: readonly StoredTarget[];
  /** Parts whose targets are replaced by the staged ones, all at once. */
  readonly promote?: readonly number[];
  /** Removes everything that was staged and not promoted. */
  readonly dropStaged?: true;
}
