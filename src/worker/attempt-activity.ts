import { bucketOf, percentiles, type WaitPercentiles } from "../queue/index.ts";
import type { SeenAttempt } from "./attempt-record.ts";

/** What workers did lately for one kind of task, or for one host. */
export interface Activity {
  readonly name: string;
  /** Attempts that started in each step, oldest step first. */
  readonly starts: readonly number[];
  /** How many attempts ran at once, on average. */
  readonly busy: number;
  /** How long the attempts ran. */
  readonly runs: WaitPercentiles;
}

export interface ActivityOptions {
  readonly by: "kind" | "gate";
  readonly fromMs: number;
  readonly untilMs: number;
  readonly steps: number;
  /** Only these kinds or gates. */
  readonly names?: readonly string[] | undefined;
}

/** Sorted by name. */
export function activityOf(
  attempts: readonly SeenAttempt[],
  { by, fromMs, untilMs, steps, names }: ActivityOptions,
): readonly Activity[] {
  const wanted = names && new Set(names);
  const stepMs = (untilMs - fromMs) / steps;
  const found = new Map<string, { starts: number[]; busyMs: number; runs: Map<number, number> }>();
  for (const attempt of attempts) {
    const name = attempt[by];
    const { startedAtMs, ranMs } = attempt;
    const endedAtMs = startedAtMs + ranMs;
    if (name === "" || wanted?.has(name) === false || endedAtMs < fromMs) continue;
    const one = found.get(name) ?? { starts: Array.from({ length: steps }, () => 0), busyMs: 0, runs: new Map<number, number>() }; // prettier-ignore
    found.set(name, one);
    const step = Math.floor((startedAtMs - fromMs) / stepMs);
    if (step >= 0 && step < steps) one.starts[step]! += 1;
    one.busyMs += Math.max(0, Math.min(endedAtMs, untilMs) - Math.max(startedAtMs, fromMs));
    const bucket = bucketOf(ranMs);
    one.runs.set(bucket, (one.runs.get(bucket) ?? 0) + 1);
  }
  return [...found]
    .map(([name, { starts, busyMs, runs }]) => ({
      name,
      starts,
      busy: busyMs / (untilMs - fromMs),
      runs: percentiles(runs),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
