import { describe, expect, test } from "vitest";
import type { QueueStats } from "../../../queue/index.ts";
import { formatTable } from "../../terminal/table.ts";
import { sparkline } from "./sparkline.ts";
import { describeTop, describeTopInLine, type TopView } from "./top-view.ts";

const stats = {
  states: { pending: 7, running: 2, done: 90, skipped: 1, failed: 3 },
  reasons: [
    { reason: "domain_delay", count: 6, share: 6 / 7, oldestAgeMs: 65_000 },
    { reason: "worker_capacity", count: 1, share: 1 / 7, oldestAgeMs: 900 },
    { reason: "paused", count: 0, share: 0, oldestAgeMs: 0 },
  ],
  jobs: { open: 2, paused: 1, ended: 4 },
} as unknown as QueueStats;
const gate = {
  name: "a.example",
  delayMs: 500,
  limit: 1,
  blockedUntilMs: 0,
  opensAtMs: 0,
  running: 0,
  runSlots: 0,
};
const view: TopView = {
  atMs: Date.UTC(2026, 6, 1, 12),
  queue: "sqlite:queue.db",
  stats,
  gates: [
    { ...gate, running: 2 },
    { ...gate, name: "b.example", blockedUntilMs: 31_000 },
    { ...gate, name: "open.example" },
  ],
  storeNowMs: 1_000,
  heartbeats: [
    {
      format: 1,
      pid: 41,
      config: "c",
      node: "pi-3",
      atMs: 0,
      version: "1",
      queue: "",
      machine: {
        load1: 0,
        memoryBytes: { total: 1, free: 1 },
        diskBytes: undefined,
        networkBytes: undefined,
      },
      workers: [
        {
          name: "all-1",
          pid: 42,
          state: "running",
          restarts: 1,
          kinds: ["page"],
          concurrency: 10,
          atWork: 2,
          inFlight: 5,
          completed: 94,
          decision: "no_change (gates)",
        },
      ],
      alerts: [
        { event: "stall_began", of: "kind", part: "page", forMs: 900_000, claimable: 1 },
        {
          event: "differs_began",
          of: "node",
          part: "pi-2",
          forMs: 0,
          what: "runs another version",
        },
      ],
    },
  ],
  rates: [0, 2, 4, 8],
};
const layout = {
  table: <Row>(rows: readonly Row[], columns: Parameters<typeof formatTable<Row>>[1]) =>
    formatTable(rows, columns, { hasColor: false }),
};

test("a screen shows queue, reasons, throughput, workers, gates and alerts", () => {
  const text = describeTop(view, layout);
  expect(text).toContain("pending 7  running 2  done 90  skipped 1  failed 3");
  expect(text).toContain("▁▂▄█  8.0 tasks/s");
  expect(text).toMatch(/domain_delay +6 +86% +1m05s/);
  expect(text).not.toContain("paused  0");
  expect(text).toMatch(/pi-3 +all-1 +running +2 +10 +5 +94 +1 +no_change \(gates\)/);
  expect(text).toMatch(/b\.example .*blocked for 30s/);
  expect(text.indexOf("b.example")).toBeLessThan(text.indexOf("a.example"));
  expect(text).not.toContain("open.example");
  expect(text).toContain("stall: kind page for 15m00s\n");
  expect(text).toContain("differs: node pi-2, runs another version");
});

test("without a terminal it is one line", () => {
  expect(describeTopInLine(view)).toBe(
    "2026-07-01T12:00:00Z 8.0 tasks/s, pending 7 (domain_delay 6, worker_capacity 1), running 2, " +
      "done 90, failed 3, at work here 2",
  );
});

test("no workers: it says how to start some", () => {
  expect(describeTop({ ...view, heartbeats: [] }, layout)).toContain("forager work starts some");
});

describe("a sparkline", () => {
  test.each([
    [[], ""],
    [[0, 0], "▁▁"],
    [[1, 8], "▁█"],
    [[5], "█"],
  ])("%j", (values, text) => {
    expect(sparkline(values)).toBe(text);
  });
});
