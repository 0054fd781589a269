import type { TargetView } from "./view.ts";

/**
 * Writes that are on their way to the disk. The replica has them already; whoever reads waits for
 * those it would show, and reads again if one of them has failed.
 */
export interface InFlightWrites {
  track<T>(targets: readonly string[], write: () => Promise<T>): Promise<T>;
  settled(read: () => Promise<readonly TargetView[]>): Promise<readonly TargetView[]>;
}

const mergedPrefix = "merged/";

export function createInFlight(): InFlightWrites {
  const byTarget = new Map<string, Set<Promise<boolean>>>();
  let failures = 0;
  const writesTo = ({ target, fields }: TargetView): readonly Promise<boolean>[] => {
    const merged = fields.flatMap(({ field }) =>
      field.startsWith(mergedPrefix) ? [field.slice(mergedPrefix.length)] : [],
    );
    return [target, ...merged].flatMap((one) => [...(byTarget.get(one) ?? [])]);
  };
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
    async settled(read) {
      for (;;) {
        const before = failures;
        const views = await read();
        if (byTarget.size > 0) await Promise.all(views.flatMap(writesTo));
        if (failures === before) return views;
      }
    },
  };
}
