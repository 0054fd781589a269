import type { AddStatus, Queue } from "../queue/index.ts";
import type { Campaign } from "./campaign.ts";
import type { Target } from "./plan.ts";
import { discoverTask } from "./tasks.ts";
import { witnessState, witnessOf, type Question, type Witness, type Witnesses } from "./witness.ts";

export interface DueTarget extends Target {
  /** The time of the last search; undefined: never. */
  readonly since: string | undefined;
}

export interface DueOptions {
  readonly targets: readonly Target[];
  readonly witnesses: ReadonlyMap<string, Witnesses>;
  readonly freshness: Campaign["freshness"];
  readonly nowMs: number;
  /** Whether a source can have any place in a tile; absent if unknown. */
  readonly mayHave?: (target: Target) => boolean;
  /** Whether a target with a fresh witness must be searched again nevertheless. */
  readonly isOutdated?: (question: Question, witness: Witness) => boolean;
}

/** Targets without a fresh witness, in the order of the plan. */
export function dueTargets(options: DueOptions): readonly DueTarget[] {
  const { targets, witnesses, freshness, nowMs, mayHave, isOutdated } = options;
  return targets.flatMap((target): DueTarget[] => {
    const witness = witnessOf(witnesses.get(target.tile.id), target);
    // A tile that had places is searched again, so that places that are gone are noticed.
    if (mayHave && !mayHave(target) && (witness?.found ?? 0) === 0) return [];
    const state = witnessState(witness, freshness, nowMs);
    const isDue =
      state === "none" ||
      state === "expired" ||
      (witness !== undefined && isOutdated?.(target, witness) === true);
    return isDue ? [{ ...target, since: witness?.at }] : [];
  });
}

/** Groups the targets of one tile and one source, because they become one task. */
export function groupByTask(due: readonly DueTarget[]): readonly (readonly DueTarget[])[] {
  const groups = new Map<string, DueTarget[]>();
  for (const target of due) {
    const key = `${target.tile.id} ${target.source}`;
    const known = groups.get(key);
    if (known) known.push(target);
    else groups.set(key, [target]);
  }
  return [...groups.values()];
}

/**
 * Chooses `limit` targets: the first ones, or for a canary batch some from all over the plan, so
 * that a problem with a phrase or a region shows before everything is running.
 */
export function chooseBatch<T>(
  due: readonly T[],
  { limit, isCanary = false }: { readonly limit: number | undefined; readonly isCanary?: boolean },
): readonly T[] {
  if (limit === undefined || limit >= due.length) return due;
  if (!isCanary) return due.slice(0, limit);
  // The middles of `limit` equal sections, so that neither end of the plan is preferred.
  return Array.from(
    { length: limit },
    (_, index) => due[Math.floor(((index + 0.5) * due.length) / limit)]!,
  );
}

/**
 * `full`: targets that did not fit. After the first page without room the rest is counted, not
 * tried.
 */
export type Dispatched = Readonly<Record<AddStatus, number>>;

export interface DispatchOptions {
  readonly onProgress?: (added: number) => void;
  /** Whether a snapshot has the answer, so that no server is asked. */
  readonly isKept?: (target: DueTarget) => boolean;
  /**
   * The hash of the campaign's file. It is part of the keys of tasks: a changed file is searched
   * again.
   */
  readonly content?: string | undefined;
  /** Stops after this many targets were added; existing ones do not count. */
  readonly addedMax?: number | undefined;
}

/** The number of tasks in one `add`. */
export const addsAtOnce = 500;

/**
 * Adds a task for each group. It can be repeated, and killed half-way: the key of a task names the
 * witnesses that it follows, so a question is asked only once until it is answered.
 */
export async function dispatch(
  queue: Pick<Queue, "add">,
  campaign: Pick<Campaign, "name" | "overpass">,
  groups: readonly (readonly DueTarget[])[],
  options: DispatchOptions = {},
): Promise<Dispatched> {
  const { onProgress = () => {}, isKept = () => false, addedMax = Infinity, content } = options;
  const counts = { added: 0, duplicate: 0, over_budget: 0, closed: 0, full: 0 };
  let at = 0;
  while (at < groups.length && counts.added < addedMax) {
    const some = groups.slice(at, at + Math.min(addsAtOnce, addedMax - counts.added));
    at += some.length;
    const answers = await queue.add(
      some.map((group) => discoverTask(campaign, group, { isKept: isKept(group[0]!), content })),
    );
    const before = counts.full;
    for (const { status } of answers) counts[status] += 1;
    onProgress(some.length);
    const isFull = counts.full > before && !answers.some(({ status }) => status === "added");
    if (!isFull) continue;
    counts.full += groups.length - at;
    break;
  }
  return counts;
}
