import type { Random } from "../../src/base/random.ts";
import type { SimNode } from "./sim-node.ts";
import type { World } from "./world.ts";

export interface TroubleOptions {
  readonly world: World;
  readonly names: readonly string[];
  /** Starts the program of a node in a new life. */
  readonly run: (node: SimNode) => void;
  readonly untilMs: number;
  /** Longer than a lease, or a pause would prove little. */
  readonly pauseMsMax: number;
  /** Between two of them; absent, 20 s. */
  readonly everyMsMax?: number;
}

export interface Trouble {
  /** Every life there was. */
  lives(): readonly SimNode[];
  /** Ends it: all who are dead come back, and nothing more happens to anyone. */
  end(): void;
}

/** Starts the nodes, then crashes, pauses, cuts off and confuses them until the end. */
export function makeTrouble(options: TroubleOptions): Trouble {
  const { world, names, run, untilMs, pauseMsMax, everyMsMax = 20_000 } = options;
  const { random, scheduler } = world;
  const lives: SimNode[] = [];
  const current = new Map<string, SimNode>();
  let isOver = false;

  const boot = (name: string) => {
    const node = world.boot(name);
    lives.push(node);
    current.set(name, node);
    // Which call or answer it dies at, if so: any of them, the first ones too.
    if (!isOver && random.next() < 0.3) node.crashAt(1 + random.below(40));
    if (lives.length === 1 && world.crashAt !== undefined) node.crashAt(world.crashAt);
    run(node);
  };
  const strike = () => {
    if (isOver || scheduler.nowMs() > untilMs) return;
    const name = names[random.below(names.length)]!;
    const node = current.get(name)!;
    if (!node.isAlive()) boot(name);
    else troubles[random.below(troubles.length)]!({ node, random, pauseMsMax });
    scheduler.after(random.next() * everyMsMax, strike);
  };

  for (const name of names) scheduler.after(random.next() * 3_000, () => boot(name));
  scheduler.after(4_000 + (random.next() * everyMsMax) / 2, strike);
  return {
    lives: () => lives,
    end() {
      isOver = true;
      for (const node of lives) node.crashAt(Infinity);
      for (const name of names) if (!current.get(name)?.isAlive()) boot(name);
    },
  };
}

interface Strike {
  readonly node: SimNode;
  readonly random: Random;
  readonly pauseMsMax: number;
}

const troubles: readonly ((strike: Strike) => void)[] = [
  ({ node }) => node.crash(),
  ({ node, random, pauseMsMax }) => node.pause(random.next() * pauseMsMax),
  ({ node, random, pauseMsMax }) => node.cutOff(random.next() * pauseMsMax),
  ({ node, random }) => node.stepClock((random.next() - 0.5) * 2 * 86_400_000),
];
