import type { LedgerPosition } from "../../ledger/index.ts";
import type { Company } from "../fields/company.ts";
import type { Person } from "../fields/person.ts";

export type Indexed =
  | { readonly kind: "company"; readonly company: Company }
  | { readonly kind: "person"; readonly person: Person };

/** The file that a record was last rendered to. */
export interface RenderMark {
  readonly target: string;
  /** Below the data folder: `companies/acme`. */
  readonly folder: string;
  /** Of the last render: what the file says as `rev:`. */
  readonly rev: string;
}

/** A file that cannot be used as it is. It is left alone until somebody repairs it. */
export interface RecordProblem {
  /** Below the data folder. */
  readonly path: string;
  /** Undefined if the file names no record and its folder belongs to none. */
  readonly target: string | undefined;
  /** What is wrong, and what to do. */
  readonly reason: string;
  /** ISO moment. */
  readonly foundAt: string;
}

export interface IndexBatch {
  readonly put?: readonly Indexed[];
  /** Targets that no longer exist: forgotten, merged into another, or without a field. */
  readonly drop?: readonly string[];
  readonly renders?: readonly RenderMark[];
  /** Targets whose files are gone. */
  readonly unrendered?: readonly string[];
  /** By path; undefined: repaired. */
  readonly problems?: readonly {
    readonly path: string;
    readonly problem: RecordProblem | undefined;
  }[];
  /** Everything in the ledger up to this position is in the index after this batch. */
  readonly position?: LedgerPosition;
}

/** What can be looked up in an index. Calls are synchronous and take microseconds. */
export interface RecordLookup {
  /** Undefined if the index is empty. */
  position(): LedgerPosition | undefined;
  find(target: string): Indexed | undefined;
  render(target: string): RenderMark | undefined;
  problems(): readonly RecordProblem[];
  /** The target that has this folder, else the one that has it as an alias. */
  bySlug(kind: Indexed["kind"], slug: string): string | undefined;
  /** All targets that prefer this folder (`slugWanted`), sorted. */
  wanting(kind: Indexed["kind"], slug: string): readonly string[];
  /** Companies of this domain, their own or that of one that was merged into them, sorted by target. */
  byDomain(domain: string): readonly string[];
  /** Companies that have this number in E.164, sorted by target. */
  byPhone(number: string): readonly string[];
  byPlace(place: string): readonly string[];
  /** Companies and people that have this address, sorted by target. */
  byEmail(address: string): readonly string[];
  /** Companies that list this person, sorted by target. */
  byPerson(personId: string): readonly string[];
  /** Companies whose name, as a slug, and whose address, as a slug, are these. */
  byNameAndAddress(key: { readonly name: string; readonly address: string }): readonly string[];
  /** Targets of a kind, sorted, beginning after `after`. */
  targets(options: {
    readonly kind: Indexed["kind"];
    readonly after?: string;
    readonly limit: number;
  }): readonly string[];
}

export interface IndexUpdateOptions {
  /**
   * True for one of many batches. It is committed together with those that follow: by the next batch
   * that is not joined, by `settle`, or when there is much to commit. Until then it can be read here,
   * other processes do not see it, and a crash takes it back. If a batch fails, the batches that were
   * joined before it may be taken back too: `position` tells.
   */
  readonly isJoined?: boolean;
}

/**
 * Finds records without reading folders. It contains nothing that cannot be made again from the
 * ledger and the files. One process has it open for writing.
 * - A batch is applied completely or not at all, and in the order of the fields of `IndexBatch`.
 * - If `position()` is undefined, the records fill it again.
 */
export interface RecordIndex extends RecordLookup, Disposable {
  update(batch: IndexBatch, options?: IndexUpdateOptions): void;
  /** Commits all batches that were joined. */
  settle(): void;
  /** Starts a new, empty index that will replace this one. One at a time. */
  startReplacement(): IndexReplacement;
  /** Makes everything that was dropped unreadable in its files. May take seconds. */
  scrub(): void;
}

/**
 * A new index that is filled while the old one still answers. Disposed of without `commit`, it is
 * discarded and the old index stays as it is.
 */
export interface IndexReplacement extends AsyncDisposable {
  /** Reads what was loaded. Not to be used after `commit`. */
  readonly lookup: RecordLookup;
  /**
   * Like `update`, for the new index. Batches are applied one after the other, while other work
   * continues; the promise is fulfilled when its batch is applied.
   */
  load(batch: IndexBatch): Promise<void>;
  /** After the last `load`: from now on the index answers from the new content. */
  commit(): Promise<void>;
}
