export interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** How many of the passed were not run again, because nothing has changed. */
  readonly cached: number;
  readonly seconds: number;
  /** The test file it is of, where it is of one. */
  readonly path?: string;
}

const columns = ["passed", "failed", "skipped", "cached"] as const;

/** Outcomes of the same name as one. */
export function mergeOutcomes(outcomes: readonly Outcome[]): readonly Outcome[] {
  const byName = new Map<string, Outcome>();
  for (const outcome of outcomes) {
    const sum = byName.get(outcome.name);
    byName.set(outcome.name, sum ? add(sum, outcome) : outcome);
  }
  return [...byName.values()];
}

/** A table with a row for each step. */
export function formatTable(outcomes: readonly Outcome[]): string {
  const width = Math.max(4, ...outcomes.map(({ name }) => name.length));
  const header = ["step".padEnd(width), ...columns.map((name) => name.padStart(7)), "seconds"];
  const rows = outcomes.map((outcome) => [
    outcome.name.padEnd(width),
    ...columns.map((name) => String(outcome[name]).padStart(7)),
    outcome.seconds.toFixed(1).padStart(7),
  ]);
  return [header, ...rows].map((cells) => cells.join("  ")).join("\n");
}

const slowestMax = 8;
const slowSeconds = 5;

/** The files that took longest, one a line, so that a slow one is seen when it comes in. */
export function formatSlowest(outcomes: readonly Outcome[]): string {
  return outcomes
    .filter(({ path, seconds }) => path !== undefined && seconds >= slowSeconds)
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, slowestMax)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`)
    .join("\n");
}

/** The last line of a run: `3 passed, 0 failed`, with `, 1 skipped` only if there is one. */
export function formatTotal(outcomes: readonly Outcome[]): string {
  const { passed, failed, skipped } = total(outcomes);
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

export function total(outcomes: readonly Outcome[]): Outcome {
  const nothing = { name: "total", passed: 0, failed: 0, skipped: 0, cached: 0, seconds: 0 };
  return outcomes.reduce(add, nothing);
}

function add(a: Outcome, b: Outcome): Outcome {
  return {
    name: a.name,
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    cached: a.cached + b.cached,
    seconds: a.seconds + b.seconds,
  };
}
