import type { TargetView } from "./view.ts";

/**
 * Writes that are visible in the replica but not yet durable. A read from the replica waits for
 * the pending writes to its targets, and is repeated if a write failed in the meantime.
 */
export interface InFlightWrites {
  track<T>(targets: readonly string[], write: () => Promise<T>): Promise<T>;
  /** Calls `answer`, then waits for writes to its targets; repeats if a write failed. */
  settled<T>(answer: () => Promise<T>, targetsOf: (answer: T) => readonly string[]): Promise<T>;
}

const mergedPrefix = "merged/";

/** The target of a view, and the targets that were merged into it. */
export const shownTargets = ({ target, fields }: TargetView): readonly string[] => [
  target,
  ...fields.flatMap(({ field }) =>
    field.startsWith(mergedPrefix) ? [field.slice(mergedPrefix.length)] : [],
  ),
];

export function createInFlight(): InFlightWrites {
  const byTarget = new Map<string, Set<Promise<boolean>>>();
  let failures = 0;
  return {
    async track(targets, write) {
      const mine = write();
      const outcome = mine.then(
        () => true,
        () => {
          failures += 1;
          return false;
        },
      );
      const all = new Set(targets);
      for (const one of all) byTarget.set(one, (byTarget.get(one) ?? new Set()).add(outcome));
      try {
        return await mine;
      } finally {
        for (const one of all) {
          const some = byTarget.get(one);
          some?.delete(outcome);
          if (some?.size === 0) byTarget.delete(one);
        }
      }
    },
    async settled(answer, targetsOf) {
      for (;;) {
        const before = failures;
        const found = await answer();
        const targets = targetsOf(found);
        if (targets.length === 0) return found;
        if (byTarget.size > 0) {
          await Promise.all(targets.flatMap((target) => [...(byTarget.get(target) ?? [])]));
        }
        if (failures === before) return found;
      }
    },
  };
}
