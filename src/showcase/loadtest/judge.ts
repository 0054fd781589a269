import { quantileOf, type MetricsSnapshot } from "../../base/metrics.ts";
import type { Job, Reconciled, Task } from "../../queue/index.ts";
import { taskName } from "./load-jobs.ts";
import type { LoadResult } from "./load-worker.ts";
import type { Stop } from "./stop-worker.ts";
import type { VisitEvent } from "./visit-log.ts";

/** What a load test leaves behind: the workers' own logs and metrics, and the queue. */
export interface LoadEvidence {
  /** What the queue said it took, by `taskName`. */
  readonly acknowledged: ReadonlySet<string>;
  readonly tasks: readonly Pick<Task, "id" | "job" | "key" | "state" | "token" | "result">[];
  readonly jobs: readonly Pick<Job, "name" | "ended" | "completions">[];
  readonly events: readonly VisitEvent[];
  /** Workers that were killed, and when. */
  readonly kills: ReadonlyMap<string, number>;
  /** Workers that were stopped and continued. */
  readonly stops: readonly Stop[];
  readonly stopsWanted: number;
  readonly reconciled: Reconciled;
  readonly metrics: MetricsSnapshot;
  /** Without workers that were stopped. */
  readonly steadyMetrics: MetricsSnapshot;
  readonly gate: { readonly delayMs: number; readonly limit: number };
  /** A job that is not here has no cap. */
  readonly jobCaps: ReadonlyMap<string, number>;
  /** From the end of the arrivals until the last slow call to the queue; 0 when there was none. */
  readonly recoveryMs: number;
  readonly recoveryMsMax: number;
  /** Of the machine, without what the workers used; 0–1. Sites would be elsewhere. */
  readonly cpuFree: number;
  readonly memoryFree: number;
  /** Of a worker after the load, in times of one that has not worked yet. */
  readonly memoryAfterTimes: number;
}

export interface LoadCheck {
  readonly name: string;
  readonly value: number;
  /** What is good, for people: "0", "< 1 %". Absent: only shown. */
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
    must("workers that came late", late, `${evidence.stopsWanted}`, late === evidence.stopsWanted),
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

/** Acknowledged, and not there. */
function addsLost({ acknowledged, tasks }: LoadEvidence): number {
  const there = new Set(tasks.map(taskName));
  return [...acknowledged].filter((name) => !there.has(name)).length;
}

/** Stops in which others had the worker's tasks before it went on. */
const lateStops = ({ stops }: LoadEvidence) => stops.filter(({ wasLate }) => wasLate).length;

const isDone = (one: VisitEvent): one is VisitEvent & { event: "finished" } =>
  one.event === "finished" && one.outcome === "done";

/** Tasks that were completed under a lease although a newer one existed: nobody was fenced off. */
function lateAccepted({ events }: LoadEvidence): number {
  const newest = new Map<number, number>();
  for (const { id, token } of events) newest.set(id, Math.max(token, newest.get(id) ?? 0));
  const late = events.filter(
    (one) => isDone(one) && one.status === "done" && one.token < newest.get(one.id)!,
  );
  return new Set(late.map(({ id }) => id)).size;
}

/** Tasks that are done, though the one that held the newest lease was told that it had lost it. */
function refused({ events, tasks }: LoadEvidence): number {
  const tokens = new Map(tasks.map(({ id, token }) => [id, token]));
  const own = events.filter((one) => isDone(one) && one.token === tokens.get(one.id));
  const held = new Set(own.filter((one) => isDone(one) && one.status === "done").map(idOf));
  return new Set(own.map(idOf).filter((id) => !held.has(id))).size;
}

const idOf = ({ id }: VisitEvent) => id;

/** Tasks whose result was found under another lease than their last. */
const resultsOfAnother = ({ tasks }: LoadEvidence) =>
  tasks.filter(
    ({ state, result, token }) =>
      state === "done" && (JSON.parse(result ?? "{}") as Partial<LoadResult>).token !== token,
  ).length;

/** Each (task) whose end the queue acknowledged more than once as done. */
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
 * A visit of a worker that was killed ended with it. One of a worker that was stopped ended there:
 * what is left of it once it is continued, no queue can hold back.
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
