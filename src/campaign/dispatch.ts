import type { AddStatus, Queue } from "../queue/index.ts";
import type { Campaign } from "./campaign.ts";
import type { Target } from "./plan.ts";
import { discoverTask } from "./tasks.ts";
import { standingOf, witnessOf, type Question, type Witness, type Witnesses } from "./witness.ts";

export interface DueTarget extends Target {
  /** When it was last searched; undefined: never. */
  readonly since: string | undefined;
}

export interface DueOptions {
  readonly targets: readonly Target[];
  readonly witnesses: ReadonlyMap<string, Witnesses>;
  readonly freshness: Campaign["freshness"];
  readonly nowMs: number;
  /** Whether a source can have anything in a tile; absent: nobody knows. */
  readonly mayHave?: (target: Target) => boolean;
  /** Of a witness that is fresh: whether it is to be searched again all the same. */
  readonly isOutdated?: (question: Question, witness: Witness) => boolean;
}

/** Targets − fresh witnesses, in the order of the plan. */
export function dueTargets(options: DueOptions): readonly DueTarget[] {
  const { targets, witnesses, freshness, nowMs, mayHave, isOutdated } = options;
  return targets.flatMap((target): DueTarget[] => {
    const witness = witnessOf(witnesses.get(target.tile.id), target);
    // Where there were places, somebody has to see that they are gone.
    if (mayHave && !mayHave(target) && (witness?.found ?? 0) === 0) return [];
    const standing = standingOf(witness, freshness, nowMs);
    const isDue =
      standing === "none" ||
      standing === "expired" ||
      (witness !== undefined && isOutdated?.(target, witness) === true);
    return isDue ? [{ ...target, since: witness?.at }] : [];
  });
}

/** Those of one tile and one source together: they are one task. */
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
 * So many of them: the first ones as a batch, or as a canary batch ones from all over the plan, so
 * that what is wrong with a phrase or a corner of the map shows before everything is under way.
 */
export function chooseBatch<T>(
  due: readonly T[],
  { limit, isCanary = false }: { readonly limit: number | undefined; readonly isCanary?: boolean },
): readonly T[] {
  if (limit === undefined || limit >= due.length) return due;
  if (!isCanary) return due.slice(0, limit);
  // The middles of `limit` equal stretches: neither end of the plan is preferred.
  return Array.from(
    { length: limit },
    (_, index) => due[Math.floor(((index + 0.5) * due.length) / limit)]!,
  );
}

/** `full`: targets that did not fit; those after the first page without room are counted, not tried. */
export type Dispatched = Readonly<Record<AddStatus, number>>;

export interface DispatchOptions {
  readonly onProgress?: (added: number) => void;
  /** Whether a snapshot answers, so that no server is asked. */
  readonly isKept?: (target: DueTarget) => boolean;
  /** What the campaign's file has now: part of the keys of tasks, as a changed file is another question. */
  readonly content?: string | undefined;
  /** Ends when so many were added: those that are already there do not count. */
  readonly addedMax?: number | undefined;
}

/** Tasks in one `add`. */
export const addsAtOnce = 500;

/**
 * Makes a task of each group. Safe to repeat, and to kill half-way: the key of a task says which
 * witnesses it follows, so the same question is asked once until there is an answer.
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
