import type { Clock } from "../base/clock.ts";
import type { Position } from "../ledger/index.ts";
import type { Company } from "./company.ts";
import type { Person } from "./person.ts";

export type Indexed =
  | { readonly kind: "company"; readonly company: Company }
  | { readonly kind: "person"; readonly person: Person };

/** What is known of the file that a record was rendered to. */
export interface RenderMark {
  readonly target: string;
  /** Below the data folder: `companies/acme`. */
  readonly folder: string;
  /** Of the last render: what the file says as `rev:`. */
  readonly rev: string;
}

/** A file that cannot be used as it is. It is left alone until someone mends it. */
export interface RecordProblem {
  /** Below the data folder. */
  readonly path: string;
  /** Undefined where the file does not tell, and its folder is nobody's. */
  readonly target: string | undefined;
  /** What is wrong, and what to do. */
  readonly reason: string;
  /** ISO moment. */
  readonly foundAt: string;
}

export interface IndexBatch {
  readonly put?: readonly Indexed[];
  /** Targets that are no more: forgotten, merged away, or without a field. */
  readonly drop?: readonly string[];
  readonly renders?: readonly RenderMark[];
  /** Targets whose files are gone. */
  readonly unrendered?: readonly string[];
  /** By path; undefined: mended. */
  readonly problems?: readonly {
    readonly path: string;
    readonly problem: RecordProblem | undefined;
  }[];
  /** How far in the ledger it has come with this batch. */
  readonly position?: Position;
}

/** Applies batches one after the other, beside other work. Nobody else updates meanwhile. */
export interface IndexLoader extends AsyncDisposable {
  /** As `update`: it is applied when the promise is fulfilled. */
  load(batch: IndexBatch): Promise<void>;
}

/**
 * Finds records without looking through folders. It holds nothing that cannot be made anew from
 * the ledger and the files: `position()` answers undefined, and the records fill it again.
 * - A batch is applied whole or not at all, and in the order of its members' names above.
 * - Calls are synchronous: they take microseconds, and nothing comes in between.
 */
export interface RecordIndex extends Disposable {
  /**
   * Waits until no other process has its turn with files and index, and keeps the others waiting
   * until it is disposed of; a process that dies has ended its turn. One at a time in a process.
   * When the signal fires while it waits, it rejects with an AppError `aborted`.
   */
  takeTurn(clock: Clock, signal?: AbortSignal): Promise<Disposable>;
  /** Another number whenever another process has changed it. */
  version(): number;
  /** Undefined when it is empty, or of another version of ours. */
  position(): Position | undefined;
  update(batch: IndexBatch): void;
  /** For who has so much to put in that other work can be done meanwhile. One at a time, in turn. */
  startLoading(): IndexLoader;
  /** Empties it, position included. */
  clear(): void;
  /** Nothing that was dropped can be read from its files any more. May take seconds. */
  scrub(): void;
  find(target: string): Indexed | undefined;
  render(target: string): RenderMark | undefined;
  problems(): readonly RecordProblem[];
  /** The target whose folder that is, else the one that has it as an alias. */
  bySlug(kind: Indexed["kind"], slug: string): string | undefined;
  /** All that would like to have that folder (`slugWanted`), by target. */
  wanting(kind: Indexed["kind"], slug: string): readonly string[];
  /** Companies of that domain (`texts.domain`), by target. */
  byDomain(domain: string): readonly string[];
  byPlace(place: string): readonly string[];
  /** Companies and people that have that address, by target. */
  byEmail(address: string): readonly string[];
  /** Companies that name that person among theirs, by target. */
  byPerson(personId: string): readonly string[];
  /** Companies whose name, as a slug, and whose address, as a slug, are these. */
  byNameAndAddress(key: { readonly name: string; readonly address: string }): readonly string[];
  /** Every target, by name, from after one on. */
  targets(options: {
    readonly kind: Indexed["kind"];
    readonly after?: string;
    readonly limit: number;
  }): readonly string[];
}
