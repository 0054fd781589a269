import type { Position } from "../ledger/index.ts";
import type { Company } from "./company.ts";
import { createFilling, type Filling, type Wishes } from "./filling.ts";
import type { Person } from "./person.ts";
import type {
  IndexBatch,
  Indexed,
  IndexLoader,
  RecordIndex,
  RecordProblem,
  RenderMark,
} from "./record-index.ts";

/**
 * Changes to the index that are gathered and then applied at once. Who asks here hears of them
 * already: two records of one batch may want the same folder.
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
  size(): number;
  /** While an index is filled, this goes on beside other work: the next one waits for it. */
  apply(position?: Position): Promise<void>;
  /** Begins to fill an index that is empty. */
  fill(wishes: Wishes): void;
  /** All of it is in the index, or it throws; in both cases nothing is filled any more. */
  endFilling(): Promise<void>;
  /** Another process has changed the index. */
  reload(): void;
  /** Drops what was gathered. */
  discard(): void;
}

/** What was not put into the index yet. Undefined: dropped. */
interface Gathered {
  readonly records: Map<string, Indexed | undefined>;
  readonly marks: Map<string, RenderMark | undefined>;
  readonly found: Map<string, RecordProblem | undefined>;
  /** Of those in `records`, by kind and folder. */
  readonly holders: Map<string, string>;
  readonly wanted: Map<string, Set<string>>;
  /** Companies of those in `records`, by the people they name. */
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
  /** On its way into an index that is being filled. */
  let passing = nothing();
  let passed: Promise<void> = Promise.resolve();
  let filling: (Filling & { readonly loader: IndexLoader }) | undefined;
  let known = new Map<string, RecordProblem>();
  const reload = () => {
    known = new Map(index.problems().map((problem) => [problem.path, problem]));
    for (const [path, problem] of now.found) {
      if (problem) known.set(path, problem);
      else known.delete(path);
    }
  };
  reload();

  /** What a filling has not come to is not in the index: that need not be asked. */
  const mayHave = (target: string) => !filling || filling.has(target);
  const gathered = (target: string) =>
    now.records.has(target) ? now : passing.records.has(target) ? passing : undefined;
  const find = (target: string) => {
    const layer = gathered(target);
    if (layer) return layer.records.get(target);
    return mayHave(target) ? index.find(target) : undefined;
  };
  const holderOf = (kind: Indexed["kind"], slug: string) =>
    filling ? filling.bySlug(kind, slug) : index.bySlug(kind, slug);
  /** Of a list that the index has, and of what is on its way there: as it is now. */
  const merged = (
    stored: readonly string[],
    listOf: (layer: Gathered) => Iterable<string> | undefined,
  ): readonly string[] => {
    const older = stored.filter((target) => !gathered(target));
    const later = [...(listOf(passing) ?? [])].filter((target) => !now.records.has(target));
    return [...older, ...later, ...(listOf(now) ?? [])];
  };
  /** Takes back what is gathered of one. */
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
      const winner = filling?.wishes.winners.get(wish);
      const isAlone = filling && !filling.wishes.contested.has(wish);
      const stored = isAlone ? [] : index.wanting(kind, slug);
      const found = merged(stored, ({ wanted }) => wanted.get(wish));
      return [...new Set(winner === undefined ? found : [winner, ...found])].sort();
    },
    render(target) {
      const layer = now.marks.has(target) ? now : passing.marks.has(target) ? passing : undefined;
      if (layer) return layer.marks.get(target);
      return mayHave(target) ? index.render(target) : undefined;
    },
    byPerson: (personId) =>
      [...merged(index.byPerson(personId), ({ employers }) => employers.get(personId))].sort(),
    put(indexed) {
      const { target, slug, slugWanted } = recordOf(indexed);
      take(target);
      now.records.set(target, indexed);
      now.holders.set(`${indexed.kind}/${slug}`, target);
      addTo(now.wanted, `${indexed.kind}/${slugWanted}`, target);
      for (const id of peopleOf(indexed)) addTo(now.employers, id, target);
      filling?.put(indexed);
    },
    drop(target) {
      take(target);
      now.records.set(target, undefined);
      filling?.drop(target);
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
    async apply(position) {
      if (this.size() === 0 && position === undefined) return;
      await passed;
      const batch = { ...batchNow(now), ...(position && { position }) };
      if (!filling) {
        index.update(batch);
        now = nothing();
        return;
      }
      [passing, now] = [now, nothing()];
      passed = filling.loader.load(batch).then(() => void (passing = nothing()));
      passed.catch(() => {}); // whoever comes next hears of it
    },
    fill: (wishes) => void (filling = { ...createFilling(wishes), loader: index.startLoading() }),
    async endFilling() {
      const ended = filling;
      filling = undefined;
      try {
        await passed;
      } finally {
        [passing, passed] = [nothing(), Promise.resolve()];
        await ended?.loader[Symbol.asyncDispose]();
      }
    },
    reload,
    discard: () => void (now = nothing()),
  };
}

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
