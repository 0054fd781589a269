import { describe, expect, test } from "vitest";
import { createMetrics } from "../../base/metrics.ts";
import type { VisitEvent } from "./visit-log.ts";
import { taskName } from "./load-jobs.ts";
import { judgeLoad, slowCalls, type LoadEvidence } from "./judge.ts";

/** Task, host, start, length, worker. */
type Line = readonly [id: number, host: string, startMs: number, lengthMs: number, worker: string];

const good: readonly Line[] = [
  [1, "a", 0, 150, "w1"],
  [2, "a", 100, 150, "w1"],
  [3, "b", 0, 50, "w2"],
];

const taskOf = (id: number, job: string, more: Partial<LoadEvidence["tasks"][number]> = {}) => ({
  id,
  job,
  key: `k${id}`,
  state: "done" as const,
  token: 1,
  result: '{"bytes":9,"token":1}',
  ...more,
});

/** A worker was stopped with task 1, another did it under a newer lease; then the first went on. */
function lateEvidence(answers: { late: "done" | "lost"; newest: "done" | "lost" }, kept: number) {
  const at = { id: 1, key: "k1", gate: "", job: "a", outcome: "done" as const };
  const events: VisitEvent[] = [
    { ...at, event: "start", token: 1, worker: "w1", atMs: 0 },
    { ...at, event: "start", token: 2, worker: "w2", atMs: 3_000 },
    { ...at, event: "finished", token: 1, worker: "w1", status: answers.late, atMs: 3_500 },
    { ...at, event: "finished", token: 2, worker: "w2", status: answers.newest, atMs: 4_000 },
  ];
  const stop = { worker: "w1", fromMs: 100, untilMs: 3_400, wasLate: true };
  return evidenceOf([], {
    events,
    acknowledged: new Set([taskName({ job: "a", key: "k1" })]),
    tasks: [taskOf(1, "a", { token: 2, result: `{"bytes":9,"token":${kept}}` })],
    stops: [stop],
    stopsPlanned: 1,
  });
}

function evidenceOf(lines: readonly Line[], more: Partial<LoadEvidence> = {}): LoadEvidence {
  const events = lines.flatMap(([id, host, startMs, lengthMs, worker]): VisitEvent[] => {
    const at = { id, token: 1, key: `k${id}`, gate: host, job: host, worker };
    const endMs = startMs + lengthMs;
    return [
      { ...at, event: "start", atMs: startMs },
      { ...at, event: "end", atMs: endMs },
      { ...at, event: "finished", outcome: "done", status: "done", atMs: endMs },
    ];
  });
  const tasks = [...new Map(lines.map(([id, host]) => [id, host]))].map(([id, host]) =>
    taskOf(id, host),
  );
  return {
    acknowledged: new Set(tasks.map(taskName)),
    tasks,
    jobs: [{ name: "a", ended: "completed", completions: 1 }],
    events: events.sort((a, b) => a.atMs - b.atMs),
    kills: new Map(),
    stops: [],
    stopsPlanned: 0,
    reconciled: { drift: [], orphans: 0, repaired: false },
    metrics: calls(1_000, 0),
    steadyMetrics: calls(1_000, 0),
    gate: { delayMs: 100, limit: 2 },
    jobCaps: new Map([
      ["a", 2],
      ["b", 2],
    ]),
    recoveryMs: 0,
    recoveryMsMax: 1_000,
    cpuFree: 0.9,
    memoryFree: 0.9,
    memoryAfterTimes: 1.1,
    ...more,
  };
}

function calls(count: number, failed: number) {
  const metrics = createMetrics();
  const labels = ["operation"];
  const durations = metrics.histogram({
    name: "forager_queue_call_duration_seconds",
    help: "Calls.",
    labels,
    bounds: [0.001, 0.01],
  });
  durations.of("claim").observe(0.0005, count);
  const failures = metrics.counter({
    name: "forager_queue_calls_failed_total",
    help: "Failed.",
    labels,
  });
  failures.of("claim").add(failed);
  return metrics.snapshot();
}

const failedChecks = (evidence: LoadEvidence) =>
  judgeLoad(evidence)
    .filter(({ isGood }) => !isGood)
    .map(({ name }) => name);

test("a run that kept everything is good, and shows its percentiles", () => {
  expect(failedChecks(evidenceOf(good))).toEqual([]);
  const claim = judgeLoad(evidenceOf(good)).find(({ name }) => name === "claim p50");
  expect(claim).toMatchObject({ value: 0.5, unit: "ms" });
});

test("slow calls are those above a bound of the histogram", () => {
  const metrics = createMetrics();
  const durations = metrics.histogram({
    name: "forager_queue_call_duration_seconds",
    help: "Calls.",
    labels: ["operation"],
    bounds: [0.5, 1, 5],
  });
  for (const seconds of [0.4, 0.9, 1.2, 4, 7]) durations.of("claim").observe(seconds);
  durations.of("finish").observe(2);
  expect(slowCalls(metrics.snapshot(), 1)).toBe(4);
  expect(slowCalls(metrics.snapshot(), 5)).toBe(1);
  expect(slowCalls([], 1)).toBe(0);
});

describe("lesson 56: a load test has a verdict, and each mark can fail", () => {
  const cases: readonly [string, LoadEvidence][] = [
    ["adds lost", evidenceOf(good, { acknowledged: new Set([taskName({ job: "a", key: "k9" })]) })],
    ["tasks lost", evidenceOf([], { tasks: [taskOf(1, "a", { state: "failed" })] })],
    ["workers that came late", evidenceOf(good, { stopsPlanned: 1 })],
    ["results of another", evidenceOf([], { tasks: [taskOf(1, "a", { token: 2 })] })],
    ["completions refused", lateEvidence({ late: "lost", newest: "lost" }, 2)],
    ["completed twice", evidenceOf([...good, [3, "b", 500, 10, "w1"]])],
    [
      "jobs not completed once",
      evidenceOf(good, { jobs: [{ name: "a", ended: null, completions: 0 }] }),
    ],
    ["gate violations", evidenceOf([...good, [4, "b", 99.9, 10, "w1"]])],
    [
      "gate violations",
      evidenceOf(
        [
          [1, "a", 0, 500, "w"],
          [2, "a", 100, 500, "w"],
          [3, "a", 200, 9, "w"],
        ],
        { jobCaps: new Map() },
      ),
    ],
    ["job caps exceeded", evidenceOf(good, { jobCaps: new Map([["a", 1]]) })],
    ["transaction errors", evidenceOf(good, { metrics: calls(1_000, 10) })],
    [
      "counter drift",
      evidenceOf(good, {
        reconciled: {
          drift: [{ counter: "done", counted: 1, actual: 2 }],
          orphans: 0,
          repaired: false,
        },
      }),
    ],
    ["recovery after arrivals", evidenceOf(good, { recoveryMs: 1_001 })],
    ["processor free", evidenceOf(good, { cpuFree: 0.5 })],
    ["memory free", evidenceOf(good, { memoryFree: 0.4 })],
    ["memory afterwards", evidenceOf(good, { memoryAfterTimes: 1.5 })],
  ];
  test.each(cases)("%s", (name, evidence) => {
    expect(failedChecks(evidence)).toEqual([name]);
  });

  test("lesson 64: a queue without fencing fails, whichever of the two it believed", () => {
    expect(failedChecks(lateEvidence({ late: "lost", newest: "done" }, 2))).toEqual([]);
    const fooled = ["late finishes accepted", "completions refused", "results of another"];
    expect(failedChecks(lateEvidence({ late: "done", newest: "lost" }, 1))).toEqual(fooled);
    expect(failedChecks(lateEvidence({ late: "done", newest: "done" }, 2))).toEqual([
      "completed twice",
      "late finishes accepted",
    ]);
  });

  test("a visit of a worker that was stopped ends there: what is left of it nobody can hold back", () => {
    const evidence = evidenceOf(
      [
        [1, "a", 0, 5_000, "stopped"],
        [2, "a", 3_000, 50, "w2"],
        [3, "a", 3_100, 50, "w2"],
      ],
      { gate: { delayMs: 100, limit: 1 }, jobCaps: new Map([["a", 1]]) },
    );
    expect(failedChecks(evidence)).toEqual(["gate violations", "job caps exceeded"]);
    const stops = [{ worker: "stopped", fromMs: 40, untilMs: 4_900, wasLate: true }];
    expect(failedChecks({ ...evidence, stops, stopsPlanned: 1 })).toEqual([]);
  });

  test("a visit of a killed worker ends with it, not before and not never", () => {
    const lines: readonly Line[] = [...good, [4, "b", 300, 10, "dead"], [5, "b", 400, 10, "w1"]];
    const cut = (evidence: LoadEvidence) => ({
      ...evidence,
      events: evidence.events.filter(({ worker, event }) => worker !== "dead" || event === "start"),
    });
    const limitOne = { gate: { delayMs: 10, limit: 1 }, jobCaps: new Map() };
    const onlyB = lines.filter(([, host]) => host === "b");
    expect(
      failedChecks(cut(evidenceOf(onlyB, { ...limitOne, kills: new Map([["dead", 350]]) }))),
    ).toEqual([]);
    expect(
      failedChecks(cut(evidenceOf(onlyB, { ...limitOne, kills: new Map([["dead", 450]]) }))),
    ).toEqual(["gate violations"]);
  });
});
