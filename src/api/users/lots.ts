import type { Random } from "../../base/random.ts";

/**
 * A waiting room from which one is drawn at random. When it is full, one at random has to leave. So a
 * flood cannot fill the room for good: everybody who comes has the same chance, and comes again.
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
