import type { Spread } from "./statistics.ts";

/**
 * One benchmark: the file `bench/<name>.bench.ts` exports it as `bench`. Sizes (how many tasks,
 * how many gates) are constants of the bench and the same in every run: `quick` lowers only how
 * often things are repeated, so that its figures stay comparable.
 */
export interface Bench {
  readonly name: string;
  /** One sentence for `bench list`. */
  readonly summary: string;
  /** What each value should reach. Every name here must be among the measured values. */
  readonly bars: Readonly<Record<string, Bar>>;
  /** Packages of bench/package.json that must be installed before `run`. */
  readonly peers?: readonly string[];
  run(context: BenchContext): Promise<BenchResult>;
}

/** At least `min`, or at most `max`. `aim` is what we hope for beyond the bar; it is only shown. */
export type Bar =
  | { readonly min: number; readonly aim?: number }
  | { readonly max: number; readonly aim?: number };

export interface BenchContext {
  readonly quick: boolean;
  /** How often each side is to run; never below 3, the least of which a median says something. */
  readonly repetitions: number;
  /** Progress for people; never part of the result. */
  readonly log: (line: string) => void;
}

export interface BenchResult {
  /** A spread shows its range in the table; in the JSON it becomes its median. */
  readonly values: Readonly<Record<string, number | Spread>>;
  /** What a reader must know to judge the figures: settings, versions, known limits. */
  readonly notes?: readonly string[];
  /** The Node version that both sides ran on, when it is not the one running the frame. */
  readonly node?: string;
}

export const repetitionsQuick = 3;
export const repetitionsFull = 5;

export function isMet(bar: Bar, value: number): boolean {
  return "min" in bar ? value >= bar.min : value <= bar.max;
}
