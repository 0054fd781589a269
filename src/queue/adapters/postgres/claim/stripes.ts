/**
 * The stripes of one process: this many of its transactions update counters without waiting for
 * each other.
 */
export const stripesOfProcess = 4;

/** Gives each transaction a counter stripe that no other transaction of this process uses. */
export interface Stripes {
  lend<T>(work: (stripe: number) => Promise<T>): Promise<T>;
}

export function createStripes(first: number, count: number): Stripes {
  const users = Array.from({ length: count }, () => 0);
  return {
    async lend(work) {
      const index = users.indexOf(Math.min(...users));
      users[index]! += 1;
      try {
        return await work(first + index);
      } finally {
        users[index]! -= 1;
      }
    },
  };
}
