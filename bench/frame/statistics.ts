import { assert } from "../../src/base/app-error.ts";

/** What repeated measurements of one value came to. `samples` are in the order they were taken. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly samples: readonly number[];
}

export function spread(samples: readonly number[]): Spread {
  return {
    median: median(samples),
    min: percentile(samples, 0),
    max: percentile(samples, 100),
    samples,
  };
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 50);
}

/** The value below which `percent` of the samples lie, interpolated between the nearest two. */
export function percentile(samples: readonly number[], percent: number): number {
  assert(samples.length > 0, "a percentile needs at least one sample");
  assert(percent >= 0 && percent <= 100, `${percent} is not a percentile`);
  const sorted = Float64Array.from(samples).sort();
  const position = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position - Math.floor(position));
}

/**
 * How many times `ours` is `peer`, repetition by repetition: the two runs of one repetition
 * stood next to each other in time, so a machine that slows down half-way distorts neither.
 */
export function ratio(ours: Spread, peer: Spread): Spread {
  return paired(ours, peer, (a, b) => a / b);
}

/** How much larger `ours` is than `peer`, repetition by repetition. */
export function difference(ours: Spread, peer: Spread): Spread {
  return paired(ours, peer, (a, b) => a - b);
}

/** The better of the two in each repetition, where more is better. */
export function best(one: Spread, other: Spread): Spread {
  return paired(one, other, Math.max);
}

function paired(ours: Spread, peer: Spread, combine: (a: number, b: number) => number): Spread {
  assert(ours.samples.length === peer.samples.length, "sides ran equally often");
  return spread(ours.samples.map((sample, index) => combine(sample, peer.samples[index]!)));
}
