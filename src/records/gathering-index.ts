import type { Position } from "../ledger/index.ts";
import type { Company } from "./company.ts";
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
  /**
   * Before an empty index is filled: who will have a folder's name in the end. Else whoever comes
   * first would get it, write over the file of the other, and lose the shape a hand gave it.
   */
  foresee(winners: ReadonlyMap<string, string>): void;
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
  /** By kind and folder. */
  let foreseen: ReadonlyMap<string, string> = new Map();
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
    [holders, wanted] = [new Map(), new Map()];
  };

  const find = (target: string) => (records.has(target) ? records.get(target) : index.find(target));
  /** Takes back what is gathered of one. */
  const take = (target: string) => {
    const old = records.get(target);
    const record = recordOf(old);
    if (!old || !record) return;
    const place = `${old.kind}/${record.slug}`;
    if (holders.get(place) === target) holders.delete(place);
    wanted.get(`${old.kind}/${record.slugWanted}`)?.delete(target);
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
      const target = index.bySlug(kind, slug);
      if (target === undefined || !records.has(target)) return target;
      const record = recordOf(records.get(target));
      return record && [record.slug, ...record.aliases].includes(slug) ? target : undefined;
    },
    wanting(kind, slug) {
      const before = index.wanting(kind, slug).filter((target) => !records.has(target));
      const winner = foreseen.get(`${kind}/${slug}`);
      const all = new Set([...before, ...(wanted.get(`${kind}/${slug}`) ?? [])]);
      if (winner !== undefined) all.add(winner);
      return [...all].sort();
    },
    render: (target) => (marks.has(target) ? marks.get(target) : index.render(target)),
    byPerson(personId) {
      const before = index.byPerson(personId).filter((target) => !records.has(target));
      const now = [...records.values()].flatMap((one) =>
        one?.kind === "company" && one.company.people.some(({ id }) => id === personId)
          ? [one.company.target]
          : [],
      );
      return [...before, ...now].sort();
    },
    put(indexed) {
      const { target, slug, slugWanted } = recordOf(indexed);
      take(target);
      records.set(target, indexed);
      holders.set(`${indexed.kind}/${slug}`, target);
      const wish = `${indexed.kind}/${slugWanted}`;
      wanted.set(wish, (wanted.get(wish) ?? new Set()).add(target));
    },
    drop(target) {
      take(target);
      records.set(target, undefined);
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
    foresee: (winners) => void (foreseen = winners),
    reload,
    discard: empty,
  };
}

export function recordOf(indexed: Indexed): Company | Person;
export function recordOf(indexed: Indexed | undefined): Company | Person | undefined;
export function recordOf(indexed: Indexed | undefined) {
  return indexed?.kind === "company" ? indexed.company : indexed?.person;
}
