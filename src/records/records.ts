import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/logger.ts";
import type { Random } from "../base/random.ts";
import type { Commit, Datagram, Ledger, Written } from "../ledger/index.ts";
import type { Company } from "./fields/company.ts";
import type { RecordEntry } from "./fields/entry.ts";
import type { EntryKind } from "./fields/fields.ts";
import type { Person } from "./fields/person.ts";
import type { FieldDifference } from "./change/record-history.ts";
import type { RecordIndex, RecordProblem } from "./search/record-index.ts";

/**
 * Companies and people as plain text files that anyone may edit, and the ledger behind them. One
 * process has the records of a data folder open. Always:
 * - facts are in the ledger first; files and index follow, and after a crash `catchUp` brings both
 *   up to it;
 * - a hand edit of a file becomes facts before that file is written again;
 * - a file that cannot be understood is left alone, and shown by `problems`;
 * - long work (`ingest` of all, `catchUp`, reading the files for `rebuild`) pauses, so that other
 *   calls do not wait for its end. Only the fill of a new index does not;
 * - a request that was answered or not may be repeated: with the same `id`, nothing is made twice.
 * A *name* of a record is its slug, one of its aliases, its target (`company/<id>`) or its id.
 * Throws AppError: `invalid` for what cannot be stored, `unavailable` for a disk that is full.
 */
export interface Records extends AsyncDisposable {
  /** Undefined: there is none, it was forgotten, or was merged (then the other one is answered). */
  company(name: string): Promise<Company | undefined>;
  person(name: string): Promise<Person | undefined>;
  /** The target of a name; undefined if there is none. Reads no file. */
  resolve(kind: RecordKind, name: string): string | undefined;
  /** Path below the data folder; undefined if it has no file yet. */
  fileOf(target: string): string | undefined;

  /** Writes facts, then the files and the index of the targets they are about. */
  write(commit: Commit): Promise<Written>;
  /** Many commits with one sync each for journal, files and index. */
  writeAll(commits: readonly Commit[]): Promise<{ readonly written: number }>;

  /**
   * Makes a company, or adds to the one that has its domain or place already. Nothing is written
   * for one that was forgotten.
   */
  create(request: CreateRequest): Promise<Created>;
  /** The same for many, in order; each finds what those before it made. With few syncs. */
  createAll(requests: readonly CreateRequest[]): Promise<readonly Created[]>;
  createPerson(request: CreatePersonRequest): Promise<Created>;
  /** Companies that may be the same: by domain, by place, by name and address. */
  duplicatesOf(target: string): Promise<readonly Duplicate[]>;
  /**
   * Adds a note, a meeting or a call. `callback` also becomes the callback of the record. A call that
   * reached somebody, or was made when the callback was due or later, ends it.
   */
  addEntry(request: NewEntry): Promise<RecordEntry>;
  /** Another name, another folder, or both. The old folder redirects to the new one. */
  rename(request: RenameRequest): Promise<Company | Person>;
  /**
   * Two companies become one: what `into` does not know comes from `from`, whose folder redirects.
   * Answers how many fields were copied; 0 if the target `from` was merged into `into` before.
   */
  merge(request: MergeRequest): Promise<{ readonly fields: number }>;

  /** What was written about a record, newest first, as far as this node and `archive` know. */
  history(request: HistoryRequest): Promise<readonly HistoryEntry[]>;
  /** What `restoreAt` would change. */
  planRestore(request: Omit<RestoreRequest, "source">): Promise<readonly FieldDifference[]>;
  /** Writes a field, or all of a record, as it was at a moment. */
  restoreAt(request: RestoreRequest): Promise<Written>;
  /**
   * Forgets a record for good: facts, files, kept renders and files that were held back. Given the
   * target of a forgotten record, it removes what is left.
   */
  forget(request: { readonly name: string; readonly source: string }): Promise<Forgotten>;
  /** What of a forgotten target is still on this machine. */
  remains(target: string): Promise<Remains>;

  /** Turns hand edits of files into facts: of some records, else of all. */
  ingest(options?: IngestOptions): Promise<Ingested>;
  /** Ingests files as they change, until it is stopped. */
  watch(options?: WatchOptions): Watching;
  /** Catches up repeatedly until it is stopped. */
  follow(options?: FollowOptions): Watching;
  /** Files that are left alone until somebody repairs them. */
  problems(): readonly RecordProblem[];

  /** Renders files and index of everything that is new in the ledger. */
  catchUp(options?: RecordsProgressOptions): Promise<{ readonly records: number }>;
  /** Makes index and files again from the ledger; hand edits are ingested first. */
  rebuild(options?: RecordsProgressOptions): Promise<{ readonly records: number }>;
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
  /** Called before a record is forgotten: what others keep about it must go too. */
  readonly onForget?: (record: RecordToForget) => Promise<void>;
  /** Called while opening catches up, which can take long after an import on another node. */
  readonly onProgress?: (progress: RecordsProgress) => void;
  /** Ends long work with an AppError `aborted`: opening, `ingest`, `catchUp`, `rebuild`. */
  readonly signal?: AbortSignal;
}

export type RecordKind = "company" | "person";

export interface RecordToForget {
  readonly kind: RecordKind;
  /** Its own id, and those of records that were merged into it. */
  readonly targets: readonly string[];
  /** Slugs, also earlier ones, and the name. */
  readonly names: readonly string[];
}

export interface CreateRequest {
  readonly source: string;
  /** Field → value, as the ledger has them: `name`, `domain`, `email/<address>`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Written where the company does not have them yet, and never changed by this. */
  readonly firstFields?: Readonly<Record<string, unknown>>;
  /**
   * Identifies a company that has neither place nor domain: the same key is the same company. An
   * import makes one from each line, so that it can be repeated. Letters and digits.
   */
  readonly key?: string;
  /** The company as an export names it. If it is not there, the new one gets this target. */
  readonly target?: string;
  /**
   * True if a person adds it: a known company gets what it lacks, and nothing of it is changed. Then a
   * company of a like name that alone has its phone number is the same too, unless domain or place differ.
   */
  readonly addsOnly?: boolean;
  /** Makes a new one even if one of the same domain is known: a branch. */
  readonly isSeparate?: boolean;
  /**
   * Used if the id would be random: no place, domain or key, or `isSeparate`. A repeated request with
   * the same id answers `created` and writes nothing. `a-z`, `0-9`, dots and dashes.
   */
  readonly id?: string;
}

export interface CreatePersonRequest {
  readonly source: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The name of the company it belongs to, and the role there. */
  readonly company?: string;
  readonly role?: string;
  /** As for a company: a repeated request with the same id answers `created` and writes nothing. */
  readonly id?: string;
}

export interface Created {
  readonly outcome: "created" | "known" | "suppressed";
  readonly target: string;
  /** "" for one that was forgotten. */
  readonly slug: string;
  /** How many fields were new, or changed. */
  readonly written: number;
  /** Fields that were forgotten before, for instance an address, and are not written. */
  readonly leftOut: readonly string[];
  /** With `addsOnly`: slugs of other companies that have one of its phone numbers. */
  readonly samePhone: readonly string[];
  /** With `addsOnly`: what the known company says otherwise, and keeps. */
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
  /** A repeated request with the same id answers the entry that the first one made. */
  readonly id?: string;
  readonly title?: string;
  readonly by?: string;
  readonly outcome?: string;
  readonly callback?: string;
  /** True: what was to be called about is done, whenever that was due. */
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
  readonly onProgress?: (progress: RecordsProgress) => void;
  readonly signal?: AbortSignal;
}

export interface Ingested {
  /** Files that were looked at. */
  readonly files: number;
  readonly edited: readonly { readonly target: string; readonly fields: readonly string[] }[];
  readonly problems: readonly RecordProblem[];
}

export interface WatchOptions {
  /** How long a file must not change before it is read. */
  readonly quietMs?: number;
  /** How often all files are read, with or without events of the system. */
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
