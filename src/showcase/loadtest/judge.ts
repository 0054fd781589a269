import { quantileOf, type MetricsSnapshot } from "../../base/metrics.ts";
import type { Job, Reconciled, Task } from "../../queue/index.ts";
import { taskName } from "./load-jobs.ts";
import type { LoadResult } from "./load-worker.ts";
import type { Stop } from "./stop-worker.ts";
import type { VisitEvent } from "./visit-log.ts";

/** The data that a load test is checked by: the workers' own logs and metrics, and the queue. */
export interface LoadEvidence {
  /** Tasks that the queue acknowledged, by `taskName`. */
  readonly acknowledged: ReadonlySet<string>;
  readonly tasks: readonly Pick<Task, "id" | "job" | "key" | "state" | "token" | "result">[];
  readonly jobs: readonly Pick<Job, "name" | "ended" | "completions">[];
  readonly events: readonly VisitEvent[];
  /** Killed workers, with the time. */
  readonly kills: ReadonlyMap<string, number>;
  /** Workers that were stopped and continued. */
  readonly stops: readonly Stop[];
  readonly stopsPlanned: number;
  readonly reconciled: Reconciled;
  readonly metrics: MetricsSnapshot;
  /** Metrics of workers that were never stopped. */
  readonly steadyMetrics: MetricsSnapshot;
  readonly gate: { readonly delayMs: number; readonly limit: number };
  /** By job; an absent job has no cap. */
  readonly jobCaps: ReadonlyMap<string, number>;
  /**
   * The time from the end of the arrivals to the last slow call to the queue; 0 if there was none.
   */
  readonly recoveryMs: number;
  readonly recoveryMsMax: number;
  /**
   * The share of the machine's CPU that was free, without the workers' use; 0–1. Real sites would
   * be on other machines.
   */
  readonly cpuFree: number;
  readonly memoryFree: number;
  /** Memory of a worker after the load, relative to one that has not worked yet. */
  readonly memoryAfterTimes: number;
}

export interface LoadCheck {
  readonly name: string;
  readonly value: number;
  /** The limit for people: "0", "< 1 %". Absent: only shown. */
  readonly bar?: string;
  readonly unit?: "ms" | "%" | "x";
  readonly isGood: boolean;
}

export const memoryAfterTimesMax = 1.5;

export function judgeLoad(evidence: LoadEvidence): readonly LoadCheck[] {
  const { tasks, jobs, metrics, reconciled, steadyMetrics } = evidence;
  const unfinished = tasks.filter(({ state }) => state !== "done").length;
  const late = lateStops(evidence);
  const openJobs = jobs.filter(({ ended, completions }) => ended === null || completions !== 1);
  const failedShare = callFailures(metrics);
  const must = (
    name: string,
    value: number,
    bar: string,
    isGood: boolean,
    unit?: LoadCheck["unit"],
  ) => ({
    name,
    value,
    bar,
    isGood,
    ...(unit && { unit }),
  });
  const none = (name: string, value: number) => must(name, value, "0", value === 0);
  return [
    none("adds lost", addsLost(evidence)),
    none("tasks lost", unfinished),
    must(
      "workers that came late",
      late,
      `${evidence.stopsPlanned}`,
      late === evidence.stopsPlanned,
    ),
    none("completed twice", twice(evidence)),
    none("late finishes accepted", lateAccepted(evidence)),
    none("completions refused", refused(evidence)),
    none("results of another", resultsOfAnother(evidence)),
    none("jobs not completed once", openJobs.length),
    none("gate violations", gateViolations(evidence)),
    none("job caps exceeded", capViolations(evidence)),
    must("transaction errors", failedShare * 100, "< 1 %", failedShare < 0.01, "%"),
    none("counter drift", reconciled.drift.length),
    none("orphans", reconciled.orphans),
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
        value: callMs(steadyMetrics, operation, share),
        unit: "ms" as const,
        isGood: true,
      })),
    ),
  ];
}

/** Tasks that were acknowledged and are missing. */
function addsLost({ acknowledged, tasks }: LoadEvidence): number {
  const there = new Set(tasks.map(taskName));
  return [...acknowledged].filter((name) => !there.has(name)).length;
}

/** Stops in which other workers had the worker's tasks before it continued. */
const lateStops = ({ stops }: LoadEvidence) => stops.filter(({ wasLate }) => wasLate).length;

const isDone = (one: VisitEvent): one is VisitEvent & { event: "finished" } =>
  one.event === "finished" && one.outcome === "done";

/** Tasks that were completed under an old lease although a newer one existed: fencing failed. */
function lateAccepted({ events }: LoadEvidence): number {
  const newest = new Map<number, number>();
  for (const { id, token } of events) newest.set(id, Math.max(token, newest.get(id) ?? 0));
  const late = events.filter(
    (one) => isDone(one) && one.status === "done" && one.token < newest.get(one.id)!,
  );
  return new Set(late.map(({ id }) => id)).size;
}

/** Tasks that are done, although the holder of the newest lease got the answer `lost`. */
function refused({ events, tasks }: LoadEvidence): number {
  const tokens = new Map(tasks.map(({ id, token }) => [id, token]));
  const own = events.filter((one) => isDone(one) && one.token === tokens.get(one.id));
  const held = new Set(own.filter((one) => isDone(one) && one.status === "done").map(idOf));
  return new Set(own.map(idOf).filter((id) => !held.has(id))).size;
}

const idOf = ({ id }: VisitEvent) => id;

/** Tasks whose result was written under another lease than their last. */
const resultsOfAnother = ({ tasks }: LoadEvidence) =>
  tasks.filter(
    ({ state, result, token }) =>
      state === "done" && (JSON.parse(result ?? "{}") as Partial<LoadResult>).token !== token,
  ).length;

/** Tasks whose end the queue acknowledged more than once as done. */
function twice({ events }: LoadEvidence): number {
  const counts = new Map<number, number>();
  for (const one of events) {
    if (!isDone(one) || one.status !== "done") continue;
    counts.set(one.id, (counts.get(one.id) ?? 0) + 1);
  }
  return [...counts.values()].filter((count) => count > 1).length;
}

interface Visit {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The visits by key. A visit of a killed worker ended with the worker. A visit of a stopped worker
 * ended at the stop: the queue cannot hold back what the worker does after it is continued.
 */
function visitsBy(evidence: LoadEvidence, keyOf: (event: VisitEvent) => string) {
  const open = new Map<string, VisitEvent>();
  const visits = new Map<string, Visit[]>();
  const close = (start: VisitEvent, endMs: number) => {
    const stop = evidence.stops.find(
      ({ worker, fromMs }) => worker === start.worker && start.atMs <= fromMs && fromMs < endMs,
    );
    const list = visits.get(keyOf(start)) ?? [];
    list.push({ startMs: start.atMs, endMs: stop?.fromMs ?? endMs });
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
  for (const [gate, visits] of visitsBy(evidence, ({ gate: name }) => name)) {
    if (gate === "") continue;
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
  [...visitsBy(evidence, ({ job }) => job)].filter(
    ([job, visits]) => mostAtOnce(visits) > (evidence.jobCaps.get(job) ?? Infinity),
  ).length;

function mostAtOnce(visits: readonly Visit[]): number {
  const steps = visits.flatMap(({ startMs, endMs }) => [
    { atMs: startMs, step: 1 },
    { atMs: endMs, step: -1 },
  ]);
  // A visit that ends at the moment when another begins does not overlap it.
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

/** The number of calls that took longer than this, which must be a bound of the histogram. */
export function slowCalls(metrics: MetricsSnapshot, overSeconds: number): number {
  const family = familyOf(metrics, "forager_queue_call_duration_seconds");
  const from = (family?.bounds ?? []).filter((bound) => bound <= overSeconds).length;
  return (family?.series ?? [])
    .flatMap(({ buckets = [] }) => buckets.slice(from))
    .reduce((sum, count) => sum + count, 0);
}
