import { AppError } from "../../base/app-error.ts";
import type { LedgerPosition } from "../../ledger/index.ts";
import type { Company } from "../fields/company.ts";
import { createInitialFill, type FolderWinners, type InitialFill } from "./initial-fill.ts";
import type { Person } from "../fields/person.ts";
import type {
  IndexBatch,
  Indexed,
  IndexUpdateOptions,
  RecordIndex,
  RecordLookup,
  RecordProblem,
  RenderMark,
} from "./record-index.ts";

/**
 * Gathers changes of the index and applies them in one batch. Lookups here include gathered changes
 * immediately: two records of one batch may prefer the same folder.
 */
export interface GatheringIndex extends Pick<
  RecordIndex,
  "find" | "bySlug" | "wanting" | "render" | "byPerson"
> {
  put(indexed: Indexed): void;
  drop(target: string): void;
  mark(render: RenderMark): void;
  unmark(target: string): void;
  problem(path: string, problem: RecordProblem | undefined): void;
  problems(): readonly RecordProblem[];
  /** The number of gathered changes. */
  size(): number;
  /**
   * Applies the gathered changes. During a fill this only starts the batch, which is applied while
   * other work continues; the next call waits for it, and throws if it failed.
   */
  apply(position?: LedgerPosition, options?: IndexUpdateOptions): Promise<void>;
  /** Starts to fill a new index, which replaces the present one with `commitFill`. */
  fill(wishes: FolderWinners): void;
  /** Waits for all batches, and replaces the old index with the new one. */
  commitFill(): Promise<void>;
  /** Ends the fill. If it was not committed, the new index is discarded. */
  endFill(): Promise<void>;
  /** Drops the gathered changes. */
  discard(): void;
}

/** Changes that are not in the index yet. Undefined: dropped. */
interface Gathered {
  readonly records: Map<string, Indexed | undefined>;
  readonly marks: Map<string, RenderMark | undefined>;
  readonly found: Map<string, RecordProblem | undefined>;
  /** Kind and folder → target, for those in `records`. */
  readonly holders: Map<string, string>;
  readonly wanted: Map<string, Set<string>>;
  /** Companies in `records`, by the people they list. */
  readonly employers: Map<string, Set<string>>;
}

const nothing = (): Gathered => ({
  records: new Map(),
  marks: new Map(),
  found: new Map(),
  holders: new Map(),
  wanted: new Map(),
  employers: new Map(),
});

export function gatherIndex(index: RecordIndex): GatheringIndex {
  let now = nothing();
  /** The batch that is being loaded into a new index. */
  let passing = nothing();
  let passed: Promise<void> = Promise.resolve();
  let initialFill: InitialFill | undefined;
  let known = storedProblems(index, []);
  /** The stored mark that was read last, because a render reads it several times. */
  let asked: { readonly target: string; readonly mark: RenderMark | undefined } | undefined;

  const lookup = (): RecordLookup => initialFill?.replacement.lookup ?? index;
  /** A target that the fill has not reached is not in the new index, so no look-up is needed. */
  const mayHave = (target: string) => !initialFill || initialFill.has(target);
  const gathered = (target: string) =>
    now.records.has(target) ? now : passing.records.has(target) ? passing : undefined;
  const find = (target: string) => {
    const layer = gathered(target);
    if (layer) return layer.records.get(target);
    return mayHave(target) ? lookup().find(target) : undefined;
  };
  const holderOf = (kind: Indexed["kind"], slug: string) =>
    initialFill ? initialFill.bySlug(kind, slug) : index.bySlug(kind, slug);
  /** A list from the index, corrected by the changes that are not in it yet. */
  const merged = (
    stored: readonly string[],
    listOf: (layer: Gathered) => Iterable<string> | undefined,
  ): readonly string[] => {
    const older = stored.filter((target) => !gathered(target));
    const later = [...(listOf(passing) ?? [])].filter((target) => !now.records.has(target));
    return [...older, ...later, ...(listOf(now) ?? [])];
  };
  /** Removes the gathered changes of a target. */
  const take = (target: string) => {
    const old = now.records.get(target);
    const record = recordOf(old);
    if (!old || !record) return;
    const place = `${old.kind}/${record.slug}`;
    if (now.holders.get(place) === target) now.holders.delete(place);
    now.wanted.get(`${old.kind}/${record.slugWanted}`)?.delete(target);
    for (const id of peopleOf(old)) now.employers.get(id)?.delete(target);
  };
  const batchNow = ({ records, marks, found }: Gathered): IndexBatch => ({
    put: [...records.values()].filter((one) => one !== undefined),
    drop: [...records].flatMap(([target, one]) => (one ? [] : [target])),
    renders: [...marks.values()].filter((one) => one !== undefined),
    unrendered: [...marks].flatMap(([target, one]) => (one ? [] : [target])),
    problems: [...found].map(([path, problem]) => ({ path, problem })),
  });

  return {
    find,
    bySlug(kind, slug) {
      const holder = now.holders.get(`${kind}/${slug}`);
      if (holder !== undefined) return holder;
      const target = holderOf(kind, slug);
      if (target === undefined || !now.records.has(target)) return target;
      const record = recordOf(now.records.get(target));
      return record && [record.slug, ...record.aliases].includes(slug) ? target : undefined;
    },
    wanting(kind, slug) {
      const wish = `${kind}/${slug}`;
      const winner = initialFill?.wishes.winners.get(wish);
      const isAlone = initialFill && !initialFill.wishes.contested.has(wish);
      const stored = isAlone ? [] : lookup().wanting(kind, slug);
      const found = merged(stored, ({ wanted }) => wanted.get(wish));
      return [...new Set(winner === undefined ? found : [winner, ...found])].sort();
    },
    render(target) {
      const layer = now.marks.has(target) ? now : passing.marks.has(target) ? passing : undefined;
      if (layer) return layer.marks.get(target);
      if (!mayHave(target)) return undefined;
      if (asked?.target !== target) asked = { target, mark: lookup().render(target) };
      return asked.mark;
    },
    byPerson: (personId) =>
      [...merged(lookup().byPerson(personId), ({ employers }) => employers.get(personId))].sort(),
    put(indexed) {
      const { target, slug, slugWanted } = recordOf(indexed);
      take(target);
      now.records.set(target, indexed);
      now.holders.set(`${indexed.kind}/${slug}`, target);
      addTo(now.wanted, `${indexed.kind}/${slugWanted}`, target);
      for (const id of peopleOf(indexed)) addTo(now.employers, id, target);
      initialFill?.put(indexed);
    },
    drop(target) {
      take(target);
      now.records.set(target, undefined);
      initialFill?.drop(target);
    },
    mark: (render) => void now.marks.set(render.target, render),
    unmark: (target) => void now.marks.set(target, undefined),
    problem(path, problem) {
      if (problem) known.set(path, problem);
      else if (!known.delete(path)) return;
      now.found.set(path, problem);
    },
    problems: () => [...known.values()],
    size: () => now.records.size + now.marks.size + now.found.size,
    async apply(position, options) {
      asked = undefined;
      if (this.size() === 0 && position === undefined) return;
      await passed;
      const batch = { ...batchNow(now), ...(position && { position }) };
      if (!initialFill) {
        index.update(batch, options);
        now = nothing();
        return;
      }
      [passing, now] = [now, nothing()];
      passed = initialFill.replacement.load(batch).then(() => void (passing = nothing()));
      passed.catch(() => {}); // the next call throws it
    },
    fill(wishes) {
      asked = undefined;
      initialFill = createInitialFill(wishes, index.startReplacement());
      for (const [path, problem] of known) now.found.set(path, problem);
    },
    async commitFill() {
      asked = undefined;
      await passed;
      await initialFill?.replacement.commit();
      initialFill = undefined;
    },
    async endFill() {
      const ended = initialFill;
      [initialFill, asked] = [undefined, undefined];
      await passed.catch(() => {}); // thrown by `apply` or `commitFill`
      [passing, passed] = [nothing(), Promise.resolve()];
      await ended?.replacement[Symbol.asyncDispose]();
    },
    discard() {
      [now, asked] = [nothing(), undefined];
      known = storedProblems(index, known);
    },
  };
}

/** By path. If the index is damaged, the known problems stay. */
function storedProblems(
  index: Pick<RecordIndex, "problems">,
  known: Iterable<readonly [string, RecordProblem]>,
): Map<string, RecordProblem> {
  try {
    return new Map(index.problems().map((problem) => [problem.path, problem]));
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return new Map(known);
  }
}

/**
 * True if the index is damaged. It is then replaced by a new one, because it can be rebuilt from
 * the ledger.
 */
export const isCorrupt = (error: unknown): boolean =>
  error instanceof AppError && error.kind === "corrupt" && error.code === "index_corrupt";

function addTo(lists: Map<string, Set<string>>, name: string, target: string): void {
  const list = lists.get(name);
  if (list) list.add(target);
  else lists.set(name, new Set([target]));
}

const peopleOf = (indexed: Indexed): readonly string[] =>
  indexed.kind === "company" ? indexed.company.people.map(({ id }) => id) : [];

export function recordOf(indexed: Indexed): Company | Person;
export function recordOf(indexed: Indexed | undefined): Company | Person | undefined;
export function recordOf(indexed: Indexed | undefined) {
  return indexed?.kind === "company" ? indexed.company : indexed?.person;
}
