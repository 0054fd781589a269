import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import type { PhysicalTime } from "./clock/physical-time.ts";
import type { Datagram } from "./datagram/datagram.ts";
import type { SessionKey, Vector } from "./fold/vector.ts";
import type { LedgerDisk } from "./journal/disk.ts";
import type { Cut, Journal, DamagedFile } from "./journal/journal.ts";
import type { DatagramRange } from "./journal/journal-reader.ts";
import type { NodeFile } from "./node-file.ts";
import type { Base, Replica } from "./replica/replica.ts";
import type { StateStore } from "./state/state-store.ts";
import type { SegmentLog } from "./tiers/segment-log.ts";

export interface CoreOptions {
  readonly disk: LedgerDisk;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The name that people use for this machine. */
  readonly label: string;
  /** Reads only; needs no lock. */
  readonly isReader?: boolean;
  /** Where the folded state is stored; absent: in memory. Closed with the ledger. */
  readonly openState?: () => StateStore | undefined;
  /** How many datagrams may be in memory before they are saved to the state. */
  readonly unsavedMax?: number;
}

/**
 * The state that the parts of an open ledger share. Invariants:
 * - the replica holds the journal, and own writes that are still being written to it;
 * - own datagrams are in `unpublished` from the moment they are durable until the bucket has them;
 * - the stored state is the fold of a prefix of each journal file, and says which prefix.
 */
export interface Core extends Disposable {
  readonly options: CoreOptions;
  readonly time: PhysicalTime;
  readonly cuts: readonly Cut[];
  /** Where each segment that this node has sent ends. */
  readonly segments: SegmentLog;
  /** Journal files that were found damaged when it was opened. */
  readonly damaged: readonly DamagedFile[];
  /** Datagrams in the journal that do not count, because datagrams before them are missing. */
  stranded(): number;
  /** Those of them that this node wrote, in the order of each session. */
  strandedOwn(): readonly Datagram[];
  identity(): NodeFile;
  saveIdentity(change: Partial<NodeFile>): Promise<void>;
  replaceIdentity(identity: NodeFile): Promise<void>;
  replica(): Replica;
  journal(): Journal;
  /** Own datagrams that are durable and not known to be in the bucket, as ranges of the journal. */
  unpublished(): readonly DatagramRange[];
  /** The last number of an own session that is in the journal, published or not. */
  lastOnDisk(key: SessionKey): number;
  /** The highest number of an own session that this disk has ever had. */
  lastNumber(session: string): number;
  /**
   * The session of this process, and its last number on the disk; undefined before its first write.
   */
  durable(): { readonly key: string; readonly number: number } | undefined;
  /**
   * Calls the listener with this node's datagrams, in order, once they are durable. Returns a
   * function that stops it.
   */
  follow(listener: (datagrams: readonly Datagram[]) => void): () => void;
  /**
   * What may be advertised to other nodes: what is on the disk. A node that has met a bucket
   * advertises its own writes only after it has met the bucket in this process too. Until then they
   * may have to be written again, because the clock was wrong or the disk is a clone, and no other
   * node may know them.
   */
  advertised(): Vector;
  /** Call when this process has met the bucket: its time and its name are right. */
  settle(): void;
  /** Returns the next moment, later than all that were seen. */
  nextStamp(): string;
  highWater(): string;
  /**
   * Stamps, folds and journals the drafts. A draft without a session gets the session of this
   * process. Resolves when they are durable.
   */
  append(drafts: readonly DatagramDraft[]): Promise<readonly Datagram[]>;
  /** Journals and folds datagrams of other nodes; see `incoming.ts`. */
  receive(datagrams: readonly Datagram[]): Promise<readonly Datagram[]>;
  /** Switches to another checkpoint and keeps what that does not cover. */
  switchTo(base: Base): Promise<void>;
  /** Saves the state if that is possible now. */
  save(): Promise<void>;
  /** Call after the journals were changed in a way that does not change the fold. */
  rewritten(): Promise<void>;
  /** Reads what has changed in the files. Nothing may be appended meanwhile. */
  reload(): Promise<void>;
  /**
   * Reads and checks all files again, after a journal was found damaged. Nothing may be appended
   * meanwhile.
   */
  rebuild(): Promise<void>;
  /** How often the files were read. After another read, other history may be missing. */
  loads(): number;
  /**
   * Works on the replica. Repeats the work if the replica was replaced meanwhile, because its files
   * may be gone.
   */
  steady<T>(work: (replica: Replica) => Promise<T | Again>): Promise<T>;
  /** The session of this process. It is made with the first write. */
  session(): string;
}

/** The answer of work in `steady` that found that its replica was replaced. */
export const again = Symbol("again");
export type Again = typeof again;

export type DatagramDraft = Pick<Datagram, "target" | "field" | "value" | "source" | "causality">;
