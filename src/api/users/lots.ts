import type { Random } from "../../base/random.ts";

/**
 * A queue with random order and a limited size. When it is full, a new one replaces a random one. So a
 * flood cannot keep others out for ever: each attempt has the same chance.
 */
export interface Lots {
  readonly size: () => number;
  /** True: drawn. False: it had to leave. */
  join(): Promise<boolean>;
  draw(): void;
}

export function createLots({
  max,
  random,
}: {
  readonly max: number;
  readonly random: Random;
}): Lots {
  const waiting: ((isDrawn: boolean) => void)[] = [];
  const take = () => waiting.splice(random.below(waiting.length), 1)[0]!;
  return {
    size: () => waiting.length,
    join() {
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (waiting.length > max) take()(false);
      });
    },
    draw() {
      if (waiting.length > 0) take()(true);
    },
  };
}
