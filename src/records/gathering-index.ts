import type { Position } from "../ledger/index.ts";
import type { Company } from "./company.ts";
import { createFilling, type Filling, type Wishes } from "./filling.ts";
import type { Person } from "./person.ts";
import type {
  IndexBatch,
  Indexed,
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
  apply(position?: Position): void;
  /** Begins to fill an index that is empty; undefined: it is filled. */
  fill(wishes: Wishes | undefined): void;
  /** Another process has changed the index. */
  reload(): void;
  /** Drops what was gathered. */
  discard(): void;
}

export function gatherIndex(index: RecordIndex): GatheringIndex {
  /** Undefined: dropped. */
  let records = new Map<string, Indexed | undefined>();
  let marks = new Map<string, RenderMark | undefined>();
  let found = new Map<string, RecordProblem | undefined>();
  /** Of those in `records`, by kind and folder. */
  let holders = new Map<string, string>();
  let wanted = new Map<string, Set<string>>();
  /** Companies of those in `records`, by the people they name. */
  let employers = new Map<string, Set<string>>();
  let filling: Filling | undefined;
  let known = new Map<string, RecordProblem>();
  const reload = () => {
    known = new Map(index.problems().map((problem) => [problem.path, problem]));
    for (const [path, problem] of found) {
      if (problem) known.set(path, problem);
      else known.delete(path);
    }
  };
  reload();
  const empty = () => {
    [records, marks, found] = [new Map(), new Map(), new Map()];
    [holders, wanted, employers] = [new Map(), new Map(), new Map()];
  };

  /** What a filling has not come to is not in the index: that need not be asked. */
  const mayHave = (target: string) => !filling || filling.has(target);
  const find = (target: string) =>
    records.has(target) ? records.get(target) : mayHave(target) ? index.find(target) : undefined;
  const holderOf = (kind: Indexed["kind"], slug: string) =>
    filling ? filling.bySlug(kind, slug) : index.bySlug(kind, slug);
  /** Takes back what is gathered of one. */
  const take = (target: string) => {
    const old = records.get(target);
    const record = recordOf(old);
    if (!old || !record) return;
    const place = `${old.kind}/${record.slug}`;
    if (holders.get(place) === target) holders.delete(place);
    wanted.get(`${old.kind}/${record.slugWanted}`)?.delete(target);
    for (const id of peopleOf(old)) employers.get(id)?.delete(target);
  };
  const batchNow = (): IndexBatch => ({
    put: [...records.values()].filter((one) => one !== undefined),
    drop: [...records].flatMap(([target, one]) => (one ? [] : [target])),
    renders: [...marks.values()].filter((one) => one !== undefined),
    unrendered: [...marks].flatMap(([target, one]) => (one ? [] : [target])),
    problems: [...found].map(([path, problem]) => ({ path, problem })),
  });

  return {
    find,
    bySlug(kind, slug) {
      const holder = holders.get(`${kind}/${slug}`);
      if (holder !== undefined) return holder;
      const target = holderOf(kind, slug);
      if (target === undefined || !records.has(target)) return target;
      const record = recordOf(records.get(target));
      return record && [record.slug, ...record.aliases].includes(slug) ? target : undefined;
    },
    wanting(kind, slug) {
      const wish = `${kind}/${slug}`;
      const winner = filling?.wishes.winners.get(wish);
      const own = wanted.get(wish) ?? [];
      if (filling && !filling.wishes.contested.has(wish)) {
        return [...new Set(winner === undefined ? own : [winner, ...own])].sort();
      }
      const before = index.wanting(kind, slug).filter((target) => !records.has(target));
      return [...new Set([...before, ...own, ...(winner === undefined ? [] : [winner])])].sort();
    },
    render: (target) =>
      marks.has(target) ? marks.get(target) : mayHave(target) ? index.render(target) : undefined,
    byPerson(personId) {
      const before = index.byPerson(personId).filter((target) => !records.has(target));
      return [...before, ...(employers.get(personId) ?? [])].sort();
    },
    put(indexed) {
      const { target, slug, slugWanted } = recordOf(indexed);
      take(target);
      records.set(target, indexed);
      holders.set(`${indexed.kind}/${slug}`, target);
      const wish = `${indexed.kind}/${slugWanted}`;
      wanted.set(wish, (wanted.get(wish) ?? new Set()).add(target));
      for (const id of peopleOf(indexed)) {
        employers.set(id, (employers.get(id) ?? new Set()).add(target));
      }
      filling?.put(indexed);
    },
    drop(target) {
      take(target);
      records.set(target, undefined);
      filling?.drop(target);
    },
    mark: (render) => void marks.set(render.target, render),
    unmark: (target) => void marks.set(target, undefined),
    problem(path, problem) {
      if (problem) known.set(path, problem);
      else if (!known.delete(path)) return;
      found.set(path, problem);
    },
    problems: () => [...known.values()],
    size: () => records.size + marks.size + found.size,
    apply(position) {
      if (this.size() === 0 && position === undefined) return;
      index.update({ ...batchNow(), ...(position && { position }) });
      empty();
    },
    fill: (wishes) => void (filling = wishes && createFilling(wishes)),
    reload,
    discard: empty,
  };
}

const peopleOf = (indexed: Indexed): readonly string[] =>
  indexed.kind === "company" ? indexed.company.people.map(({ id }) => id) : [];

export function recordOf(indexed: Indexed): Company | Person;
export function recordOf(indexed: Indexed | undefined): Company | Person | undefined;
export function recordOf(indexed: Indexed | undefined) {
  return indexed?.kind === "company" ? indexed.company : indexed?.person;
}
