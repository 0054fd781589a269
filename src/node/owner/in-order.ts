/** Runs work on the same names one at a time, in the order in which it was given. */
export interface InOrder {
  run<T>(names: readonly string[], work: () => Promise<T>): Promise<T>;
}

export function createInOrder(): InOrder {
  const lastOf = new Map<string, Promise<unknown>>();
  return {
    run(names, work) {
      const before = new Set(names.flatMap((name) => lastOf.get(name) ?? []));
      const mine = before.size === 0 ? work() : Promise.all(before).then(work);
      const ended = mine.then(
        () => {},
        () => {},
      );
      for (const name of names) lastOf.set(name, ended);
      void ended.then(() => {
        for (const name of names) if (lastOf.get(name) === ended) lastOf.delete(name);
      });
      return mine;
    },
  };
}
