import type { Datagram, Dot } from "../datagram/datagram.ts";
import type { SessionKey } from "../fold/vector.ts";

/**
 * The folded state of a ledger: for each target the text that it would have in a part of a
 * checkpoint (which value each field has, from which write, and which writes lost), and which
 * datagrams it was folded from. Derived data: checkpoint and journals are the truth, and it is made
 * again from them if it is missing, damaged or does not fit them. Always:
 * - a batch is applied as a whole or not at all, also if the process or the machine stops;
 * - a crash may take back the last batches, never one from the middle.
 * All methods are synchronous, so that nothing can happen between looking and changing. Throws
 * AppError: `ledger_state_damaged` if the file cannot be read any more.
 */
export interface StateStore extends Disposable {
  /** It reads a file that another process may own, and never changes it. */
  readonly isReadOnly: boolean;
  /** What it was folded from; undefined: nothing yet. */
  head(): StateHead | undefined;
  /** The records of a target, as in a part; undefined: nothing is known of it. */
  read(target: string): string | undefined;
  /** The targets of a part, in order of their UTF-8 bytes, after one of them. */
  list(part: number, page: StatePage): readonly StoredTarget[];
  /** Targets with writes that lost unseen, in the same order. */
  listConflicted(page: StatePage): readonly StoredTarget[];
  /** How far each journal file was folded. */
  files(): readonly FoldedFile[];
  /** Where datagrams are in the journals. */
  runs(): readonly JournalRun[];
  apply(batch: StateBatch): void;
  /** What was staged for a target; see `StateBatch.staged`. */
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
  /** It has a write that lost unseen. */
  readonly isConflicted: boolean;
}

export interface StateHead {
  /** The checkpoint that is folded in, and the names of its parts; 0: none. */
  readonly checkpoint: number;
  readonly partNames: readonly (string | null)[];
  /** The last folded or quarantined number of each session. */
  readonly vector: Readonly<Record<SessionKey, number>>;
  /** Known, and ahead of time: not folded yet. */
  readonly aside: readonly Datagram[];
  readonly dropped: readonly Dot[];
  /** The latest stamp that was folded. */
  readonly latest: string;
}

/** How far a journal file was folded. */
export interface FoldedFile {
  readonly name: string;
  readonly bytes: number;
  /** The last bytes before that, as text: another content has others. */
  readonly mark: string;
  /** When it was last written, as the disk says; empty: not known. */
  readonly changed: string;
  /** The last number of each session in it. */
  readonly last: Readonly<Record<string, number>>;
}

/** Datagrams of one session that follow on each other in a journal file, from `start` to before `end`. */
export interface JournalRun {
  readonly key: SessionKey;
  readonly first: number;
  readonly last: number;
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** Of the first of them. */
  readonly stamp: string;
}

export interface StateBatch {
  readonly targets?: readonly StoredTarget[];
  /** Only what has changed of it; the first batch has all. */
  readonly head?: Partial<StateHead>;
  readonly files?: readonly FoldedFile[];
  /** A run takes the place of one with the same file and start. */
  readonly runs?: readonly JournalRun[];
  /** These journal files are gone, or have other content: drops what is known of them. */
  readonly dropFiles?: readonly string[];
  /** Targets of a part that is being replaced. They count once that part is promoted. */
  readonly staged?: readonly StoredTarget[];
  /** Parts whose targets are replaced by what was staged for them, all at once. */
  readonly promote?: readonly number[];
  /** Drops all that was staged and not promoted. */
  readonly dropStaged?: true;
}
