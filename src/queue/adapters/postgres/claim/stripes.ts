/** Of one process; as many of its transactions never wait for each other's counters. */
export const stripesOfProcess = 4;

/** Lends each transaction a stripe of the counters that no other of this process is writing. */
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
