import { assert } from "./app-error.ts";

/**
 * Metrics of a process. Invariants:
 * - the name, the help text and the label names of a metric never change;
 * - a metric has at most `seriesMax` series; further label values are counted under "other", so a
 *   label cannot grow with the data;
 * - a counter never falls while its process lives.
 *
 * A handle is one object with a number in it, so that counting costs almost nothing.
 */
export interface Metrics {
  counter(definition: MetricDefinition): Family<Counter>;
  gauge(definition: MetricDefinition): Family<Gauge>;
  histogram(definition: HistogramDefinition): Family<Histogram>;
  /** `read` is called before each snapshot, for gauges that are computed on demand. */
  onSnapshot(read: () => void): void;
  snapshot(): MetricsSnapshot;
}

export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}
export interface HistogramDefinition extends MetricDefinition {
  /** Upper bounds in ascending order; +Inf is added. */
  readonly bounds: readonly number[];
}

export interface Family<Handle> {
  /**
   * The values of the labels, in the order of the label names. The same values give the same
   * handle.
   */
  of(...values: readonly string[]): Handle;
}
export interface Counter {
  add(count: number): void;
}
export interface Gauge {
  set(value: number): void;
}
export interface Histogram {
  /** Adds `count` observations of this value. */
  observe(value: number, count?: number): void;
}

/** Plain data: processes send it to each other as JSON. */
export type MetricsSnapshot = readonly FamilySnapshot[];
export interface FamilySnapshot extends MetricDefinition {
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  readonly bounds?: readonly number[];
  readonly series: readonly SeriesSnapshot[];
}
export interface SeriesSnapshot {
  readonly values: readonly string[];
  /** The value of a counter or gauge; for a histogram, the sum of all observations. */
  readonly value: number;
  /**
   * For a histogram: the observations in each bucket. The last bucket has those above all bounds.
   */
  readonly buckets?: readonly number[];
}

export const seriesMax = 200;

class Series implements Counter, Gauge {
  readonly values: readonly string[];
  value = 0;
  constructor(values: readonly string[]) {
    this.values = values;
  }
  add(count: number): void {
    this.value += count;
  }
  set(value: number): void {
    this.value = value;
  }
}

class HistogramSeries extends Series implements Histogram {
  readonly buckets: number[];
  readonly bounds: readonly number[];
  constructor(values: readonly string[], bounds: readonly number[]) {
    super(values);
    this.bounds = bounds;
    this.buckets = [...bounds.map(() => 0), 0];
  }
  observe(value: number, count = 1): void {
    this.value += value * count;
    let at = 0;
    while (at < this.bounds.length && value > this.bounds[at]!) at++;
    this.buckets[at]! += count;
  }
}

export function createMetrics(): Metrics {
  const families = new Map<string, () => FamilySnapshot>();
  const readers: (() => void)[] = [];

  function family<Handle extends Series>(
    type: FamilySnapshot["type"],
    definition: MetricDefinition & { readonly bounds?: readonly number[] },
    make: (values: readonly string[]) => Handle,
  ): Family<Handle> {
    const { name, help, labels = [], bounds } = definition;
    assert(/^[a-z][a-z0-9_]*$/.test(name), `${name} is not a valid name of a metric`);
    assert(!families.has(name), `the metric ${name} is defined twice`);
    const series = new Map<string, Handle>();
    families.set(name, () => ({
      name,
      help,
      type,
      labels,
      ...(bounds && { bounds }),
      series: [...series.values()].map(snapshotOf),
    }));
    const find = (values: readonly string[]): Handle => {
      const key = values.join("\u0000");
      const known = series.get(key);
      if (known) return known;
      if (series.size >= seriesMax) {
        const other = labels.map(() => "other");
        if (values.some((value) => value !== "other")) return find(other);
      }
      const made = make(values);
      series.set(key, made);
      return made;
    };
    return {
      of(...values) {
        assert(values.length === labels.length, `${name} takes ${labels.length} label values`);
        return find(values);
      },
    };
  }

  return {
    counter: (definition) => family("counter", definition, (values) => new Series(values)),
    gauge: (definition) => family("gauge", definition, (values) => new Series(values)),
    histogram: (definition) =>
      family("histogram", definition, (values) => new HistogramSeries(values, definition.bounds)),
    onSnapshot: (read) => void readers.push(read),
    snapshot() {
      for (const read of readers) read();
      return [...families.values()].map((read) => read());
    },
  };
}

const snapshotOf = (series: Series): SeriesSnapshot => ({
  values: series.values,
  value: series.value,
  ...(series instanceof HistogramSeries && { buckets: [...series.buckets] }),
});

/** Adds up the snapshots of several processes. */
export function mergeSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const merged = new Map<string, { family: FamilySnapshot; series: Map<string, SeriesSnapshot> }>();
  for (const family of snapshots.flat()) {
    const known = merged.get(family.name) ?? { family, series: new Map() };
    merged.set(family.name, known);
    for (const one of family.series) {
      const key = one.values.join("\u0000");
      const before = known.series.get(key);
      known.series.set(key, before ? sumOf(before, one) : one);
    }
  }
  return [...merged.values()].map(({ family, series }) => ({
    ...family,
    series: [...series.values()],
  }));
}

/** What is kept of a process that has ended: counters and histograms, but no gauges. */
export const countedOnly = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ type }) => type !== "gauge");

function sumOf(a: SeriesSnapshot, b: SeriesSnapshot): SeriesSnapshot {
  const buckets = a.buckets?.map((count, at) => count + (b.buckets?.[at] ?? 0));
  return { values: a.values, value: a.value + b.value, ...(buckets && { buckets }) };
}

/** The value below which `share` of the observations lie, read from the buckets by interpolation. */
export function quantileOf(
  { bounds = [] }: Pick<FamilySnapshot, "bounds">,
  { buckets = [] }: Pick<SeriesSnapshot, "buckets">,
  share: number,
): number {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (const [at, count] of buckets.entries()) {
    if (count > 0 && below + count >= share * total) {
      const from = at === 0 ? 0 : bounds[at - 1]!;
      const to = bounds[at] ?? from;
      return from + (to - from) * ((share * total - below) / count);
    }
    below += count;
  }
  return 0;
}
