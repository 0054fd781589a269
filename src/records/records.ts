import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import type { Commit, Datagram, EraseRequest, Ledger, Written } from "../ledger/index.ts";
import type { Company } from "./fields/company.ts";
import type { RecordEntry } from "./fields/entry.ts";
import type { EntryKind } from "./fields/fields.ts";
import type { Person } from "./fields/person.ts";
import type { FieldDifference } from "./change/record-history.ts";
import type { RecordIndex, RecordProblem } from "./search/record-index.ts";

/**
 * Companies and people as plain text files that anyone may edit, and the ledger behind them. One
 * process has the records of a data folder open. Invariants:
 * - facts are written to the ledger first; files and index follow, and after a crash `catchUp`
 * updates both;
 * - a hand edit of a file becomes facts before that file is written again;
 * - a file that cannot be parsed is not changed, and is listed by `problems`;
 * - long work (`ingest` of all, `catchUp`, reading the files for `rebuild`) pauses, so that other
 *   calls do not wait for its end. Only the fill of a new index does not;
 * - any request may be repeated, whether it was answered or not: with the same `id`, nothing is
 * created twice. A *name* of a record is its slug, one of its aliases, its target (`company/<id>`)
 * or its id. Throws AppError: `invalid` for input that cannot be stored, `unavailable` if the disk
 * is full.
 */
export interface Records extends AsyncDisposable {
  /**
   * Undefined if there is none or it was forgotten. For a merged company, returns the one that
   * stayed.
   */
  company(name: string): Promise<Company | undefined>;
  person(name: string): Promise<Person | undefined>;
  /** The target of a name; undefined if there is none. Reads no file. */
  resolve(kind: RecordKind, name: string): string | undefined;
  /** The path relative to the data folder; undefined if it has no file yet. */
  fileOf(target: string): string | undefined;

  /** Writes facts to the ledger, then updates the files and the index of their targets. */
  write(commit: Commit): Promise<Written>;
  /** Writes many commits with one sync each for journal, files and index. */
  writeAll(commits: readonly Commit[]): Promise<{ readonly written: number }>;

  /**
   * Creates a company, or adds to the one that already has its domain or place. Writes nothing if
   * it was forgotten.
   */
  create(request: CreateRequest): Promise<Created>;
  /** The same for many, in order; each finds the ones created before it. Uses few syncs. */
  createAll(requests: readonly CreateRequest[]): Promise<readonly Created[]>;
  createPerson(request: CreatePersonRequest): Promise<Created>;
  /** Companies that may be the same: by domain, by place, by name and address. */
  duplicatesOf(target: string): Promise<readonly Duplicate[]>;
  /**
   * Adds a note, a meeting or a call. `callback` also becomes the callback of the record. A call
   * ends the callback if it reached somebody, or was made when the callback was due or later.
   */
  addEntry(request: NewEntry): Promise<RecordEntry>;
  /** Changes the name, the folder, or both. The old folder redirects to the new one. */
  rename(request: RenameRequest): Promise<Company | Person>;
  /**
   * Merges two companies: fields that `into` lacks are copied from `from`, whose folder then
   * redirects. Returns the number of copied fields; 0 if `from` had already been merged into
   * `into`.
   */
  merge(request: MergeRequest): Promise<{ readonly fields: number }>;

  /** What was written about a record, newest first, as far as this node and `archive` have it. */
  history(request: HistoryRequest): Promise<readonly HistoryEntry[]>;
  /** The changes that `restoreAt` would make. */
  planRestore(request: Omit<RestoreRequest, "source">): Promise<readonly FieldDifference[]>;
  /** Restores a field, or a whole record, to its state at a moment. */
  restoreAt(request: RestoreRequest): Promise<Written>;
  /**
   * Erases a record permanently: facts, files, old renders and files that were held back. If the
   * record was already forgotten, its target selects it, and everything that is left is removed.
   */
  forget(request: { readonly name: string; readonly source: string }): Promise<Forgotten>;
  /**
   * Takes fields of records away for good, with all that was ever written to them. Without erasures it
   * only scrubs the logs, for what an earlier call could not.
   */
  erase(request: EraseRequest): Promise<{ readonly scrubbed: number }>;
  /** What is still on this machine of a forgotten target. */
  remains(target: string): Promise<Remains>;

  /** Turns hand edits of files into facts: of the given records, or of all. */
  ingest(options?: IngestOptions): Promise<Ingested>;
  /** Ingests files when they change, until it is stopped. */
  watch(options?: WatchOptions): Watching;
  /** Catches up repeatedly until it is stopped. */
  follow(options?: FollowOptions): Watching;
  /** Files that are not changed until a user repairs them. */
  problems(): readonly RecordProblem[];

  /** Updates files and index with everything that is new in the ledger. */
  catchUp(options?: RecordsProgressOptions): Promise<{ readonly records: number }>;
  /** Rebuilds index and files from the ledger; hand edits are ingested first. */
  rebuild(options?: RecordsProgressOptions): Promise<{ readonly records: number }>;
}

/** The options of `openRecords`. */
export interface RecordsOptions {
  readonly ledger: Ledger;
  /** Absolute: files are in its `companies/`, `people/` and `records/`. */
  readonly folder: string;
  /** Not closed by the records. */
  readonly index: RecordIndex;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The user who edits files here: facts from files have the source `hand:<user>`. */
  readonly user: string;
  /**
   * Called for records that were forgotten here or on another node, so that others can remove what
   * they store about them. If it fails, it is called again later.
   */
  readonly onForget?: (records: RecordsToForget) => Promise<void>;
  /** Called while opening catches up, which can take long after an import on another node. */
  readonly onProgress?: (progress: RecordsProgress) => void;
  /** Aborts long work with an AppError `aborted`: opening, `ingest`, `catchUp`, `rebuild`. */
  readonly signal?: AbortSignal;
}

export type RecordKind = "company" | "person";

export interface RecordsToForget {
  readonly kind: RecordKind;
  readonly targets: readonly string[];
  /** Their display names. */
  readonly names: readonly string[];
  /** Whether `resolve` finds one of them by this name. */
  readonly isCalled: (name: string) => boolean;
}

export interface CreateRequest {
  readonly source: string;
  /** Field → value, as in the ledger: `name`, `domain`, `email/<address>`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Written if the company does not have them yet; existing values are not changed. */
  readonly firstFields?: Readonly<Record<string, unknown>>;
  /**
   * Identifies a company without place and domain: the same key is the same company. An import
   * derives one from each line, so that it can be repeated. Letters and digits.
   */
  readonly key?: string;
  /**
   * The target that our own export names. If it does not exist, the new company gets this target.
   */
  readonly target?: string;
  /**
   * True if a user adds it: a known company gets the fields it lacks, and nothing is changed. A
   * company with a similar name that is the only one with its phone number then counts as the same,
   * unless domain or place differ.
   */
  readonly addsOnly?: boolean;
  /** Creates a new company even if one with the same domain is known: a branch. */
  readonly isSeparate?: boolean;
  /**
   * Used if the id would be random: no place, domain or key, or `isSeparate`. A repeated request
   * with the same id returns `created` and writes nothing. `a-z`, `0-9`, dots and dashes.
   */
  readonly id?: string;
}

export interface CreatePersonRequest {
  readonly source: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The name of the company to which the person belongs, and the role there. */
  readonly company?: string;
  readonly role?: string;
  /** As for a company: a repeated request with the same id returns `created` and writes nothing. */
  readonly id?: string;
}

export interface Created {
  readonly outcome: "created" | "known" | "suppressed";
  readonly target: string;
  /** "" for a forgotten one. */
  readonly slug: string;
  /** The number of fields that were new or changed. */
  readonly written: number;
  /** Fields, for instance an address, that are not written because they were forgotten before. */
  readonly leftOut: readonly string[];
  /** With `addsOnly`: slugs of other companies with one of its phone numbers. */
  readonly samePhone: readonly string[];
  /** With `addsOnly`: fields that differ in the known company, which keeps its values. */
  readonly kept: readonly {
    readonly field: string;
    readonly value: unknown;
    readonly given: unknown;
  }[];
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
  /** ISO moment; default: now. */
  readonly at?: string;
  /** A repeated request with the same id returns the entry of the first one. */
  readonly id?: string;
  readonly title?: string;
  readonly by?: string;
  readonly outcome?: string;
  readonly callback?: string;
  /** True: the callback is done, whenever it was due. */
  readonly isDone?: boolean;
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
  /** A field, or a collection: `email` means every `email/…`. */
  readonly field?: string;
  /** A source of older datagrams: `readArchive(bucket)`. */
  readonly archive?: AsyncIterable<Datagram>;
}

export interface HistoryEntry {
  readonly field: string;
  /** Undefined: removed. */
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
  /** Datagrams that were erased in this node's logs. */
  readonly scrubbed: number;
}

/** All zero if nothing is left here. */
export interface Remains {
  readonly files: number;
  readonly aside: number;
  readonly datagrams: number;
}

export interface IngestOptions {
  /** Paths of records, or of files next to them, relative to the data folder: `companies/acme`. */
  readonly only?: readonly string[];
  readonly onProgress?: (progress: RecordsProgress) => void;
  readonly signal?: AbortSignal;
}

export interface Ingested {
  /** The number of files read. */
  readonly files: number;
  readonly edited: readonly { readonly target: string; readonly fields: readonly string[] }[];
  readonly problems: readonly RecordProblem[];
}

export interface WatchOptions {
  /** How long a file must be unchanged before it is read. */
  readonly quietMs?: number;
  /** How often all files are read, with or without file events. */
  readonly checkMs?: number;
  /** How often to catch up with the ledger. */
  readonly followMs?: number;
  readonly onIngested?: (ingested: Ingested) => void;
}

export interface FollowOptions {
  readonly everyMs?: number;
}

export interface Watching {
  stop(): Promise<void>;
}

export interface RecordsProgressOptions {
  readonly onProgress?: (progress: RecordsProgress) => void;
  readonly signal?: AbortSignal;
}

export interface RecordsProgress {
  readonly step: "files" | "edits";
  readonly done: number;
  /** An estimate. */
  readonly total: number | undefined;
}
