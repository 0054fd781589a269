import { AppError, assert } from "../../src/base/app-error.ts";
import { spread } from "./statistics.ts";
import type { Spread } from "./statistics.ts";

/** One run of one side: its measured values by name, the same names in every run. */
export type SideRun = (repetition: number) => Promise<Readonly<Record<string, number>>>;

export interface InterleaveOptions<Side extends string> {
  readonly sides: Readonly<Record<Side, SideRun>>;
  readonly repetitions: number;
  /** Told about each run as it ends. */
  readonly log?: (line: string) => void;
}

export type Spreads = Readonly<Record<string, Spread>>;

/**
 * Runs the sides in turn, A B A B …, never two at once and never all of one first: what else
 * the machine does meanwhile then hits every side alike.
 */
export async function interleave<Side extends string>({
  sides,
  repetitions,
  log,
}: InterleaveOptions<Side>): Promise<Readonly<Record<Side, Spreads>>> {
  assert(repetitions >= 3, "a median needs at least 3 repetitions");
  const names = Object.keys(sides) as Side[];
  const runsBySide = new Map(names.map((name) => [name, [] as Record<string, number>[]]));
  for (let repetition = 0; repetition < repetitions; repetition++) {
    for (const name of names) {
      const measured = await sides[name](repetition);
      runsBySide.get(name)!.push(measured);
      log?.(`${repetition + 1}/${repetitions} ${name}: ${describe(measured)}`);
    }
  }
  const spreads = names.map((name) => [name, spreadsOf(name, runsBySide.get(name)!)]);
  return Object.fromEntries(spreads) as Record<Side, Spreads>;
}

function spreadsOf(side: string, runs: readonly Record<string, number>[]): Spreads {
  const names = Object.keys(runs[0]!);
  for (const run of runs) {
    if (Object.keys(run).join() !== names.join() || !Object.values(run).every(Number.isFinite)) {
      throw new AppError(
        "invalid",
        "bench_values_differ",
        `side "${side}" measured {${describe(run)}} after {${describe(runs[0]!)}}: ` +
          "return the same names with finite numbers from every run",
      );
    }
  }
  return Object.fromEntries(names.map((name) => [name, spread(runs.map((run) => run[name]!))]));
}

const describe = (measured: Readonly<Record<string, number>>): string =>
  Object.entries(measured)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`)
    .join(", ");
