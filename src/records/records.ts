import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { Random } from "../base/random.ts";
import type { Commit, Datagram, Ledger, Written } from "../ledger/index.ts";
import type { Company } from "./company.ts";
import type { Entry } from "./entry.ts";
import type { EntryKind } from "./fields.ts";
import type { Person } from "./person.ts";
import type { RecordIndex, RecordProblem } from "./record-index.ts";

/**
 * Companies and people as plain text files that anyone may edit, and the ledger behind them. Always:
 * - facts are in the ledger first; files and index follow, and after a crash `catchUp` brings both
 *   up to it;
 * - what a hand changed in a file becomes facts before that file is written again;
 * - a file that cannot be understood is left alone, and shown by `problems`;
 * - processes that have the records of one folder open at once take turns with files and index.
 * A *name* of a record is its slug, one of its aliases, its target (`company/<id>`) or its id.
 * Throws AppError: `invalid` for what cannot be stored, `unavailable` for a disk that is full.
 */
export interface Records extends AsyncDisposable {
  /** Undefined: there is none, it was forgotten, or was merged (then the other one is answered). */
  company(name: string): Promise<Company | undefined>;
  person(name: string): Promise<Person | undefined>;
  /** The target of a name; undefined where nothing is called so. Reads no file. */
  resolve(kind: RecordKind, name: string): string | undefined;
  /** Below the data folder; undefined where it has no file yet. */
  fileOf(target: string): string | undefined;

  /** Writes facts, then the files and the index of the targets they are about. */
  write(commit: Commit): Promise<Written>;
  /** Many commits with one sync each for journal, files and index. */
  writeAll(commits: readonly Commit[]): Promise<{ readonly written: number }>;

  /**
   * Makes a company of what is known, or adds to the one that has its domain or place already.
   * Nothing is written for one that was forgotten.
   */
  create(request: CreateRequest): Promise<Created>;
  /** The same for many, in order, each knowing those before it; with few syncs. */
  createAll(requests: readonly CreateRequest[]): Promise<readonly Created[]>;
  createPerson(request: CreatePersonRequest): Promise<Created>;
  /** Companies that may be the same: by domain, by place, by name and address. */
  duplicatesOf(target: string): Promise<readonly Duplicate[]>;
  /** Adds a note, a meeting or a call; of a call with `callback`, the company's callback too. */
  addEntry(request: NewEntry): Promise<Entry>;
  /** Another name, another folder, or both. The old folder leads on to the new one. */
  rename(request: RenameRequest): Promise<Company | Person>;
  /**
   * Two companies become one: what `into` does not know comes from `from`, whose folder leads on.
   * Answers how many fields came over.
   */
  merge(request: MergeRequest): Promise<{ readonly fields: number }>;

  /** What was written of a record, the newest first, as far as this node and `archive` know. */
  history(request: HistoryRequest): Promise<readonly HistoryEntry[]>;
  /** Writes a field, or all of a record, as it was at a moment. */
  restoreAt(request: RestoreRequest): Promise<Written>;
  /** Forgets a record for good: facts, files, kept renders and copies that were put aside. */
  forget(request: { readonly name: string; readonly source: string }): Promise<Forgotten>;
  /** What of a forgotten target is still on this machine. */
  remains(target: string): Promise<Remains>;

  /** Takes in what hands changed in the files: of some records, else of all there are. */
  ingest(options?: IngestOptions): Promise<Ingested>;
  /** Follows the files until it is stopped. */
  watch(options?: WatchOptions): Watching;
  /** Catches up again and again until it is stopped, for who has them open for long. */
  follow(options?: FollowOptions): Watching;
  /** Files that are left alone until someone mends them. */
  problems(): readonly RecordProblem[];

  /** Files and index of what is new in the ledger, whoever wrote it. */
  catchUp(options?: ProgressOptions): Promise<{ readonly records: number }>;
  /** Index and files from the ledger alone; hand edits are taken in first. */
  rebuild(options?: ProgressOptions): Promise<{ readonly records: number }>;
}

/** What `openRecords` takes. */
export interface RecordsOptions {
  readonly ledger: Ledger;
  /** Absolute: files are in its `companies/`, `people/` and `records/`. */
  readonly folder: string;
  /** Not closed by the records. */
  readonly index: RecordIndex;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Who edits files here: facts from files have the source `hand:<user>`. */
  readonly user: string;
  /** Of catching up, where that takes long: after an import elsewhere, or with a new index. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends what waits for other processes, and long work between two slices, with `aborted`. */
  readonly signal?: AbortSignal;
}

export type RecordKind = "company" | "person";

export interface CreateRequest {
  readonly source: string;
  /** Field → value, as the ledger has them: `name`, `domain`, `email/<address>`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * What it is known by where it has neither place nor domain: the same key is the same company.
   * An import makes one of each line, so that it can be repeated. Letters and digits.
   */
  readonly key?: string;
  /** Makes a second one even where one of the same domain is known: a branch. */
  readonly isSeparate?: boolean;
}

export interface CreatePersonRequest {
  readonly source: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The company it belongs to, by name, and what it does there. */
  readonly company?: string;
  readonly role?: string;
}

export interface Created {
  readonly outcome: "created" | "known" | "forgotten";
  readonly target: string;
  /** "" for one that was forgotten. */
  readonly slug: string;
  /** How many fields were new, or changed. */
  readonly written: number;
  /** Fields that were forgotten elsewhere, an address for instance, and were not taken up. */
  readonly leftOut: readonly string[];
}

export interface Duplicate {
  readonly target: string;
  readonly slug: string;
  readonly name: string;
  readonly because: "domain" | "place" | "name and address";
}

export interface NewEntry {
  readonly name: string;
  readonly recordKind?: RecordKind;
  readonly kind: EntryKind;
  readonly source: string;
  readonly text: string;
  /** ISO moment; now where it is left out. */
  readonly at?: string;
  readonly title?: string;
  readonly by?: string;
  readonly outcome?: string;
  readonly callback?: string;
}

export interface RenameRequest {
  readonly kind?: RecordKind;
  readonly name: string;
  readonly source: string;
  readonly newName?: string;
  readonly newSlug?: string;
}

export interface MergeRequest {
  readonly from: string;
  readonly into: string;
  readonly source: string;
}

export interface HistoryRequest {
  readonly kind?: RecordKind;
  readonly name: string;
  /** A field, or the collection it belongs to: `email` is every `email/…`. */
  readonly field?: string;
  /** Where older datagrams are: `readArchive(bucket)`. */
  readonly archive?: AsyncIterable<Datagram>;
}

export interface HistoryEntry {
  readonly field: string;
  /** Undefined: taken away. */
  readonly value: unknown;
  readonly source: string;
  readonly stamp: string;
  readonly node: string;
  readonly target: string;
  readonly isShown: boolean;
}

export interface RestoreRequest {
  readonly kind?: RecordKind;
  readonly name: string;
  readonly field?: string;
  readonly atMs: number;
  readonly source: string;
  readonly archive?: AsyncIterable<Datagram>;
}

export interface Forgotten extends Remains {
  readonly target: string;
  /** Datagrams that were emptied in this node's logs. */
  readonly scrubbed: number;
}

/** Zero everywhere: nothing is left here. */
export interface Remains {
  readonly files: number;
  readonly aside: number;
  readonly datagrams: number;
}

export interface IngestOptions {
  /** Paths below the data folder, of records or of what is beside them: `companies/acme`. */
  readonly only?: readonly string[];
  readonly onProgress?: (progress: Progress) => void;
}

export interface Ingested {
  /** Files that were looked at. */
  readonly files: number;
  readonly edited: readonly { readonly target: string; readonly fields: readonly string[] }[];
  readonly problems: readonly RecordProblem[];
}

export interface WatchOptions {
  /** How long a file must be quiet. */
  readonly quietMs?: number;
  /** How often all files are looked at, whatever the system told. */
  readonly checkMs?: number;
  /** How often the ledger is looked at for what others have written. */
  readonly followMs?: number;
  readonly onIngested?: (ingested: Ingested) => void;
}

export interface FollowOptions {
  readonly everyMs?: number;
}

export interface Watching {
  stop(): Promise<void>;
}

export interface ProgressOptions {
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly step: "files" | "edits";
  readonly done: number;
  /** As far as it can be told by now. */
  readonly total: number | undefined;
}
