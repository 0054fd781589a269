import { quantileOf, type MetricsSnapshot } from "../../base/metrics.ts";
import type { Job, Reconciled, Task } from "../../queue/index.ts";
import type { VisitEvent } from "./visit-log.ts";

/** What a load test leaves behind: the workers' own logs and metrics, and the queue. */
export interface LoadEvidence {
  readonly added: number;
  readonly tasks: readonly Pick<Task, "id" | "state" | "token">[];
  readonly jobs: readonly Pick<Job, "name" | "ended" | "completions">[];
  readonly events: readonly VisitEvent[];
  /** Workers that were killed, and when. */
  readonly kills: ReadonlyMap<string, number>;
  readonly reconciled: Reconciled;
  readonly metrics: MetricsSnapshot;
  readonly gate: { readonly delayMs: number; readonly limit: number };
  readonly jobCap: number;
  /** From the end of the arrivals until the last slow call to the queue; 0 when there was none. */
  readonly recoveryMs: number;
  readonly recoveryMsMax: number;
  /** Of the machine, without what the workers used; 0–1. Sites would be elsewhere. */
  readonly cpuFree: number;
  readonly memoryFree: number;
  /** Of a worker after the load, in times of one that has not worked yet. */
  readonly memoryAfterTimes: number;
}

export interface Check {
  readonly name: string;
  readonly value: number;
  /** What is good, for people: "0", "< 1 %". Absent: only shown. */
  readonly bar?: string;
  readonly unit?: "ms" | "%" | "x";
  readonly isGood: boolean;
}

export const memoryAfterTimesMax = 1.5;

export function judgeLoad(evidence: LoadEvidence): readonly Check[] {
  const { tasks, jobs, metrics, reconciled } = evidence;
  const unfinished = tasks.filter(({ state }) => state !== "done").length;
  const lost = Math.max(0, evidence.added - tasks.length) + unfinished;
  const openJobs = jobs.filter(({ ended, completions }) => ended === null || completions !== 1);
  const failedShare = callFailures(metrics);
  const must = (
    name: string,
    value: number,
    bar: string,
    isGood: boolean,
    unit?: Check["unit"],
  ) => ({
    name,
    value,
    bar,
    isGood,
    ...(unit && { unit }),
  });
  return [
    must("tasks lost", lost, "0", lost === 0),
    must("completed twice", twice(evidence), "0", twice(evidence) === 0),
    must("jobs not completed once", openJobs.length, "0", openJobs.length === 0),
    must("gate violations", gateViolations(evidence), "0", gateViolations(evidence) === 0),
    must("job caps exceeded", capViolations(evidence), "0", capViolations(evidence) === 0),
    must("transaction errors", failedShare * 100, "< 1 %", failedShare < 0.01, "%"),
    must("counter drift", reconciled.drift.length, "0", reconciled.drift.length === 0),
    must("orphans", reconciled.orphans, "0", reconciled.orphans === 0),
    must(
      "recovery after arrivals",
      evidence.recoveryMs,
      `<= ${evidence.recoveryMsMax} ms`,
      evidence.recoveryMs <= evidence.recoveryMsMax,
      "ms",
    ),
    must("processor free", evidence.cpuFree * 100, "> 50 %", evidence.cpuFree > 0.5, "%"),
    must("memory free", evidence.memoryFree * 100, "> 40 %", evidence.memoryFree > 0.4, "%"),
    must(
      "memory afterwards",
      evidence.memoryAfterTimes,
      `< ${memoryAfterTimesMax} x idle`,
      evidence.memoryAfterTimes < memoryAfterTimesMax,
      "x",
    ),
    ...["claim", "finish"].flatMap((operation) =>
      [0.5, 0.95, 0.99].map((share) => ({
        name: `${operation} p${share * 100}`,
        value: callMs(metrics, operation, share),
        unit: "ms" as const,
        isGood: true,
      })),
    ),
  ];
}

/** Each (task) whose end the queue acknowledged more than once as done. */
function twice({ events }: LoadEvidence): number {
  const counts = new Map<number, number>();
  for (const one of events) {
    if (one.event !== "finished" || one.status !== "held" || one.outcome !== "done") continue;
    counts.set(one.id, (counts.get(one.id) ?? 0) + 1);
  }
  return [...counts.values()].filter((count) => count > 1).length;
}

interface Visit {
  readonly startMs: number;
  readonly endMs: number;
}

/** A visit of a worker that was killed ended with it. */
function visitsBy(evidence: LoadEvidence, keyOf: (event: VisitEvent) => string) {
  const open = new Map<string, VisitEvent>();
  const visits = new Map<string, Visit[]>();
  const close = (start: VisitEvent, endMs: number) => {
    const list = visits.get(keyOf(start)) ?? [];
    list.push({ startMs: start.atMs, endMs });
    visits.set(keyOf(start), list);
  };
  for (const event of evidence.events) {
    const name = `${event.worker} ${event.id} ${event.token}`;
    if (event.event === "start") open.set(name, event);
    if (event.event !== "end") continue;
    const start = open.get(name);
    if (start) close(start, event.atMs);
    open.delete(name);
  }
  for (const start of open.values()) close(start, evidence.kills.get(start.worker) ?? Infinity);
  return visits;
}

export function gateViolations(evidence: LoadEvidence): number {
  const { delayMs, limit } = evidence.gate;
  let count = 0;
  for (const visits of visitsBy(evidence, ({ gate }) => gate).values()) {
    visits.sort((a, b) => a.startMs - b.startMs);
    for (const [at, { startMs }] of visits.entries()) {
      const before = visits[at - 1];
      if (before && startMs - before.startMs < delayMs) count += 1;
    }
    if (mostAtOnce(visits) > limit) count += 1;
  }
  return count;
}

const capViolations = (evidence: LoadEvidence) =>
  [...visitsBy(evidence, ({ job }) => job).values()].filter(
    (visits) => mostAtOnce(visits) > evidence.jobCap,
  ).length;

function mostAtOnce(visits: readonly Visit[]): number {
  const steps = visits.flatMap(({ startMs, endMs }) => [
    { atMs: startMs, step: 1 },
    { atMs: endMs, step: -1 },
  ]);
  // One that ends in the moment another begins is not beside it.
  steps.sort((a, b) => a.atMs - b.atMs || a.step - b.step);
  let now = 0;
  let most = 0;
  for (const { step } of steps) most = Math.max(most, (now += step));
  return most;
}

const familyOf = (metrics: MetricsSnapshot, name: string) =>
  metrics.find((family) => family.name === name);

export function callMs(metrics: MetricsSnapshot, operation: string, share: number): number {
  const family = familyOf(metrics, "forager_queue_call_duration_seconds");
  const series = family?.series.find(({ values }) => values[0] === operation);
  return family && series ? quantileOf(family, series, share) * 1_000 : 0;
}

function callFailures(metrics: MetricsSnapshot): number {
  const calls = familyOf(metrics, "forager_queue_call_duration_seconds")?.series ?? [];
  const all = calls.reduce((sum, { buckets = [] }) => sum + buckets.reduce((a, b) => a + b, 0), 0);
  const failed = familyOf(metrics, "forager_queue_calls_failed_total")?.series ?? [];
  return all === 0 ? 0 : failed.reduce((sum, { value }) => sum + value, 0) / all;
}

/** Calls that took longer than this, which is one of the histogram's bounds. */
export function slowCalls(metrics: MetricsSnapshot, overSeconds: number): number {
  const family = familyOf(metrics, "forager_queue_call_duration_seconds");
  const from = (family?.bounds ?? []).filter((bound) => bound <= overSeconds).length;
  return (family?.series ?? [])
    .flatMap(({ buckets = [] }) => buckets.slice(from))
    .reduce((sum, count) => sum + count, 0);
}
