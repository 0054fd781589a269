import { expect, test } from "vitest";
import { countedOnly, createMetrics, mergeSnapshots, quantileOf, seriesMax } from "./metrics.ts";

test("the same label values are the same series", () => {
  const metrics = createMetrics();
  const tasks = metrics.counter({ name: "tasks_total", help: "Tasks.", labels: ["kind"] });
  tasks.of("a").add(2);
  tasks.of("a").add(3);
  tasks.of("b").add(1);
  expect(metrics.snapshot()).toEqual([
    {
      name: "tasks_total",
      help: "Tasks.",
      type: "counter",
      labels: ["kind"],
      series: [
        { values: ["a"], value: 5 },
        { values: ["b"], value: 1 },
      ],
    },
  ]);
});

test("lesson 27: labels cannot grow without bound: what is too much is counted together", () => {
  const metrics = createMetrics();
  const tasks = metrics.counter({ name: "tasks_total", help: "Tasks.", labels: ["kind"] });
  for (let at = 0; at < seriesMax + 50; at++) tasks.of(`kind-${at}`).add(1);
  const [family] = metrics.snapshot();
  expect(family?.series).toHaveLength(seriesMax + 1);
  expect(family?.series.at(-1)).toEqual({ values: ["other"], value: 50 });
});

test("a histogram counts by bucket, and quantiles are read from it", () => {
  const metrics = createMetrics();
  const waits = metrics.histogram({ name: "wait_seconds", help: "Waits.", bounds: [1, 2, 4] });
  waits.of().observe(0.5, 50);
  waits.of().observe(1.5, 45);
  waits.of().observe(3, 5);
  const [family] = metrics.snapshot();
  expect(family?.series[0]).toEqual({ values: [], value: 107.5, buckets: [50, 45, 5, 0] });
  expect(quantileOf(family!, family!.series[0]!, 0.5)).toBe(1);
  expect(quantileOf(family!, family!.series[0]!, 0.95)).toBe(2);
  expect(quantileOf(family!, family!.series[0]!, 0.99)).toBeCloseTo(3.6);
  expect(quantileOf(family!, { buckets: [0, 0, 0, 0] }, 0.5)).toBe(0);
});

test("processes are added up, and of one that ended what it counted stays", () => {
  const make = (count: number) => {
    const metrics = createMetrics();
    metrics.counter({ name: "tasks_total", help: "Tasks." }).of().add(count);
    metrics.gauge({ name: "slots", help: "Slots." }).of().set(10);
    metrics
      .histogram({ name: "wait", help: "Waits.", bounds: [1] })
      .of()
      .observe(count);
    return metrics.snapshot();
  };
  const merged = mergeSnapshots([make(1), countedOnly(make(2))]);
  expect(merged.map(({ name, series }) => [name, series[0]])).toEqual([
    ["tasks_total", { values: [], value: 3 }],
    ["slots", { values: [], value: 10 }],
    ["wait", { values: [], value: 3, buckets: [1, 1] }],
  ]);
});

test("gauges that are read are read before each snapshot", () => {
  const metrics = createMetrics();
  const gauge = metrics.gauge({ name: "now", help: "Now." });
  let now = 1;
  metrics.onSnapshot(() => gauge.of().set(now));
  metrics.snapshot();
  now = 2;
  expect(metrics.snapshot()[0]?.series[0]?.value).toBe(2);
});
