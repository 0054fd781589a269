import { AppError } from "../../src/base/app-error.ts";
import { formatTable } from "../../src/cli/terminal/table.ts";
import type { TableColumn } from "../../src/cli/terminal/table.ts";
import { isMet } from "./bench.ts";
import type { Bar, Bench, BenchResult } from "./bench.ts";
import type { Machine } from "./machine.ts";
import type { Spread } from "./statistics.ts";

/** What `--json` prints as its last line. */
export interface BenchReport {
  readonly bench: string;
  readonly values: Readonly<Record<string, number>>;
  readonly machine: Machine;
}

/** A value that is no number, or a bar without a value, is a bench that did not do its work. */
export function reportOf(bench: Bench, result: BenchResult, machine: Machine): BenchReport {
  const values = Object.fromEntries(
    Object.entries(result.values).map(([name, value]) => [name, medianOf(value)]),
  );
  for (const [name, value] of Object.entries(values)) {
    if (!Number.isFinite(value)) throw unusable(bench, `measured ${name} as ${value}`);
  }
  for (const name of Object.keys(bench.bars)) {
    if (!(name in values)) throw unusable(bench, `has a bar for ${name} but did not measure it`);
  }
  return { bench: bench.name, values, machine };
}

/** The table for people: each value beside its bar. */
export function renderTable({ bench, result, machine, hasColor }: RenderOptions): string {
  const table = formatTable(Object.entries(result.values), columnsOf(bench), { hasColor });
  const { cpus, model, memoryGiB, node, platform } = machine;
  return [
    `${bench.name}: ${bench.summary}`,
    "",
    table,
    "",
    ...(result.notes ?? []).map((note) => `- ${note}`),
    `measured on ${cpus} × ${model}, ${memoryGiB} GiB, Node ${node}, ${platform}`,
  ].join("\n");
}

export interface RenderOptions {
  readonly bench: Bench;
  readonly result: BenchResult;
  readonly machine: Machine;
  readonly hasColor: boolean;
}

type Row = readonly [name: string, value: number | Spread];

function columnsOf({ bars }: Bench): readonly TableColumn<Row>[] {
  const verdict = ([name, value]: Row) => {
    const bar = bars[name];
    return bar && (isMet(bar, medianOf(value)) ? "met" : "missed");
  };
  return [
    { title: "value", value: ([name]) => name },
    { title: "median", value: ([, value]) => round(medianOf(value)) },
    { title: "range", value: ([, value]) => rangeOf(value) },
    { title: "bar", value: ([name]) => describeBar(bars[name]) },
    {
      title: "",
      value: (row) => verdict(row) ?? "",
      tint: (row) => (verdict(row) === "missed" ? "bad" : "good"),
    },
  ];
}

const medianOf = (value: number | Spread): number =>
  typeof value === "number" ? value : value.median;

const rangeOf = (value: number | Spread): string =>
  typeof value === "number" ? "" : `${round(value.min)}–${round(value.max)}`;

function describeBar(bar: Bar | undefined): string {
  if (!bar) return "";
  const limit = "min" in bar ? `≥ ${bar.min}` : `≤ ${bar.max}`;
  return bar.aim === undefined ? limit : `${limit} (aim ${bar.aim})`;
}

/** Three significant digits below 1000, whole numbers above: no bench is more precise. */
function round(value: number): number {
  return Math.abs(value) < 1000 ? Number(value.toPrecision(3)) : Math.round(value);
}

const unusable = (bench: Bench, what: string): AppError =>
  new AppError("invalid", "bench_result_unusable", `bench "${bench.name}" ${what}`);
