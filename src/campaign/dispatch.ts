import type { AddStatus, Queue } from "../queue/index.ts";
import type { Campaign } from "./campaign.ts";
import type { Target } from "./plan.ts";
import { discoverTask } from "./tasks.ts";
import { standingOf, type Witnesses } from "./witness.ts";

export interface DueTarget extends Target {
  /** When it was last looked through; undefined: never. */
  readonly since: string | undefined;
}

export interface DueOptions {
  readonly targets: readonly Target[];
  readonly witnesses: ReadonlyMap<string, Witnesses>;
  readonly freshness: Campaign["freshness"];
  readonly nowMs: number;
}

/** Targets − fresh witnesses, in the order of the plan. */
export function dueTargets(options: DueOptions): readonly DueTarget[] {
  const { targets, witnesses, freshness, nowMs } = options;
  return targets.flatMap((target): DueTarget[] => {
    const witness = witnesses.get(target.tile.id)?.get(target.phrase);
    const standing = standingOf(witness, freshness, nowMs);
    const isDue = standing === "none" || standing === "expired";
    return isDue ? [{ ...target, since: witness?.at }] : [];
  });
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

export type Dispatched = Readonly<Record<AddStatus, number>>;

const addsAtOnce = 500;

/**
 * Makes a task of each. Safe to repeat, and to kill half-way: the key of a task says which witness
 * it follows, so the same question is asked once until there is an answer.
 */
export async function dispatch(
  queue: Pick<Queue, "add">,
  campaign: Pick<Campaign, "name">,
  due: readonly DueTarget[],
  onProgress: (added: number) => void = () => {},
): Promise<Dispatched> {
  const counts = { added: 0, duplicate: 0, over_budget: 0, closed: 0, full: 0 };
  for (let at = 0; at < due.length; at += addsAtOnce) {
    const some = due.slice(at, at + addsAtOnce);
    const answers = await queue.add(some.map((target) => discoverTask(campaign.name, target)));
    for (const { status } of answers) counts[status] += 1;
    onProgress(some.length);
  }
  return counts;
}
