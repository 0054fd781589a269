/**
 * Calls of `pass` run concurrently; `close` waits for them to end and holds back new ones
 * meanwhile.
 */
export interface ReadWriteLock {
  pass<T>(work: () => Promise<T>): Promise<T>;
  close<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(): ReadWriteLock {
  let closed: Promise<unknown> = Promise.resolve();
  const inside = new Set<Promise<unknown>>();
  return {
    async pass(work) {
      for (let before; before !== closed;) await (before = closed);
      const mine = work();
      const held = mine.catch(() => {});
      inside.add(held);
      try {
        return await mine;
      } finally {
        inside.delete(held);
      }
    },
    close(work) {
      const mine = closed.then(async () => {
        await Promise.all(inside);
        return work();
      });
      closed = mine.catch(() => {});
      return mine;
    },
  };
}
