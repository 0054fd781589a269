import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { PhysicalTime } from "./clock/physical-time.ts";
import type { Datagram } from "./datagram/datagram.ts";
import type { SessionKey, Vector } from "./fold/vector.ts";
import type { LedgerDisk } from "./journal/disk.ts";
import type { Cut, Journal, DamagedFile } from "./journal/journal.ts";
import type { DatagramRange } from "./journal/journal-reader.ts";
import type { NodeFile } from "./node-file.ts";
import type { Base, Replica } from "./replica.ts";
import type { StateStore } from "./state/state-store.ts";
import type { SegmentLog } from "./tiers/segment-log.ts";

export interface CoreOptions {
  readonly disk: LedgerDisk;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What people call this machine. */
  readonly label: string;
  /** Looks and writes nothing; needs no lock. */
  readonly isReader?: boolean;
  /** Where the folded state is kept; absent: in memory. Closed with the ledger. */
  readonly openState?: () => StateStore | undefined;
  /** How many datagrams may be in memory before they are saved to the state. */
  readonly unsavedMax?: number;
}

/**
 * What the parts of an open ledger share: who it is, what it knows, what time it is. Always:
 * - the replica holds what is in the journal, and one's own writes that are on their way to it;
 * - one's own datagrams are in `unpublished` once they are durable, until the bucket has them;
 * - the stored state is the fold of a beginning of each journal file, and says which.
 */
export interface Core extends Disposable {
  readonly options: CoreOptions;
  readonly time: PhysicalTime;
  readonly cuts: readonly Cut[];
  /** Where the segments end that this node has sent. */
  readonly segments: SegmentLog;
  /** Journal files that were found damaged when it was opened. */
  readonly damaged: readonly DamagedFile[];
  /** Datagrams in the journal whose predecessors are missing: the checkpoint they follow is gone. */
  stranded(): number;
  /** Those of them that this node wrote, each session's in order. */
  strandedOwn(): readonly Datagram[];
  identity(): NodeFile;
  saveIdentity(change: Partial<NodeFile>): Promise<void>;
  replaceIdentity(identity: NodeFile): Promise<void>;
  replica(): Replica;
  journal(): Journal;
  /** One's own, durable, not yet known to be in the bucket: where they are in the journal. */
  unpublished(): readonly DatagramRange[];
  /** The last number of one's own session that is in the journal, published or not. */
  lastOnDisk(key: SessionKey): number;
  /** The last number of one's own session that this disk has ever had. */
  lastNumber(session: string): number;
  /** This life's session, and its last number that is on the disk; undefined before a write. */
  durable(): { readonly key: string; readonly number: number } | undefined;
  /** Calls with what this node wrote, once it is on the disk, in order. Answers how to stop. */
  follow(listener: (datagrams: readonly Datagram[]) => void): () => void;
  /**
   * What others may be told of: what is on the disk. A node that has met a bucket tells of its own
   * writes only when it has met it in this life too: before that they may have to be written anew,
   * because the clock was wrong or the disk is a clone, and must not be known to anyone.
   */
  advertised(): Vector;
  /** The bucket was met in this life: time and name are right. */
  settle(): void;
  /** Gives the next moment, later than all that was seen. */
  nextStamp(): string;
  highWater(): string;
  /** Stamps, folds and journals; undefined session: this life's. Resolves when it is durable. */
  append(drafts: readonly DatagramDraft[]): Promise<readonly Datagram[]>;
  /** Journals and folds what came from others; see `incoming.ts`. */
  receive(datagrams: readonly Datagram[]): Promise<readonly Datagram[]>;
  /** Goes over to another checkpoint, keeping what it does not cover. */
  standOn(base: Base): Promise<void>;
  /** Saves the state as far as that can be done now. */
  save(): Promise<void>;
  /** After the journals were changed in a way that changes nothing in the fold. */
  rewritten(): Promise<void>;
  /** Reads what has changed, after the files have changed. Nobody may append meanwhile. */
  reload(): Promise<void>;
  /** Reads everything anew and checks it: a journal was found damaged. Nobody may append meanwhile. */
  rebuild(): Promise<void>;
  /** How often files were read: then other things may be missing than before. */
  loads(): number;
  /** Works on the replica, again if another took its place meanwhile: its files may be gone. */
  steady<T>(work: (replica: Replica) => Promise<T | Again>): Promise<T>;
  /** This life's session; made with the first write. */
  session(): string;
}

/** What steady work answers when it found that its replica is the one before. */
export const again = Symbol("again");
export type Again = typeof again;

export type DatagramDraft = Pick<Datagram, "target" | "field" | "value" | "source" | "causality">;
