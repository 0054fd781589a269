import type { LedgerPosition } from "../../ledger/index.ts";
import type { Company } from "../fields/company.ts";
import type { Person } from "../fields/person.ts";

export type Indexed =
  | { readonly kind: "company"; readonly company: Company }
  | { readonly kind: "person"; readonly person: Person };

/** The file to which a record was last rendered. */
export interface RenderMark {
  readonly target: string;
  /** Relative to the data folder: `companies/acme`. */
  readonly folder: string;
  /** The `rev:` of the last render. */
  readonly rev: string;
}

/** A file that cannot be used. It is not changed until a user repairs it. */
export interface RecordProblem {
  /** Relative to the data folder. */
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
  /** Targets whose files were removed. */
  readonly unrendered?: readonly string[];
  /** By path; undefined: repaired. */
  readonly problems?: readonly {
    readonly path: string;
    readonly problem: RecordProblem | undefined;
  }[];
  /** After this batch, everything in the ledger up to this position is in the index. */
  readonly position?: LedgerPosition;
}

/** Lookups in an index. Calls are synchronous and take microseconds. */
export interface RecordLookup {
  /** Undefined if the index is empty. */
  position(): LedgerPosition | undefined;
  find(target: string): Indexed | undefined;
  render(target: string): RenderMark | undefined;
  problems(): readonly RecordProblem[];
  /** The target that has this folder, otherwise the one that has it as an alias. */
  bySlug(kind: Indexed["kind"], slug: string): string | undefined;
  /** All targets that prefer this folder (`slugWanted`), sorted. */
  wanting(kind: Indexed["kind"], slug: string): readonly string[];
  /**
   * Companies with this domain, their own or that of one that was merged into them, sorted by
   * target.
   */
  byDomain(domain: string): readonly string[];
  /** Companies with this number in E.164, sorted by target. */
  byPhone(number: string): readonly string[];
  byPlace(place: string): readonly string[];
  /** Companies and people with this address, sorted by target. */
  byEmail(address: string): readonly string[];
  /** Companies that list this person, sorted by target. */
  byPerson(personId: string): readonly string[];
  /** Companies with this name and this address, both as slugs. */
  byNameAndAddress(key: { readonly name: string; readonly address: string }): readonly string[];
  /** Targets of a kind, sorted, from the first one after `after`. */
  targets(options: {
    readonly kind: Indexed["kind"];
    readonly after?: string;
    readonly limit: number;
  }): readonly string[];
}

export interface IndexUpdateOptions {
  /**
   * True for one of many batches. It is committed together with later ones: by the next batch that
   * is not joined, by `settle`, or when there is much to commit. Until then it can be read here, is
   * invisible to other processes, and is lost in a crash. If a batch fails, the batches that were
   * joined before it may be lost too: see `position`.
   */
  readonly isJoined?: boolean;
}

/**
 * Finds records without reading folders. Everything in it can be rebuilt from the ledger and the
 * files. One process has it open for writing.
 * - A batch is applied completely or not at all, and in the order of the fields of `IndexBatch`.
 * - If `position()` is undefined, the records fill it again.
 */
export interface RecordIndex extends RecordLookup, Disposable {
  update(batch: IndexBatch, options?: IndexUpdateOptions): void;
  /** Commits all joined batches. */
  settle(): void;
  /** Starts a new, empty index that will replace this one. One at a time. */
  startReplacement(): IndexReplacement;
  /** Makes everything that was deleted unreadable in its files. May take seconds. */
  scrub(): void;
}

/**
 * A new index that is filled while the old one is still used. If it is disposed of without
 * `commit`, it is discarded and the old index stays unchanged.
 */
export interface IndexReplacement extends AsyncDisposable {
  /** Reads what was loaded. Must not be used after `commit`. */
  readonly lookup: RecordLookup;
  /**
   * Like `update`, for the new index. Batches are applied one after the other, while other work
   * continues; the promise resolves when its batch is applied.
   */
  load(batch: IndexBatch): Promise<void>;
  /** Call after the last `load`: from now on the index has the new content. */
  commit(): Promise<void>;
}
