import { describe, expect, test } from "vitest";
import { countJobs, createKindCounter, type QueueCounts } from "./counts.ts";
import { newGate, type Gate } from "../gate.ts";
import { newJob, type Job } from "../job.ts";
import { emptyLane, type Lane } from "../lane.ts";
import { summarise } from "./stats.ts";

const lane = (more: Partial<Lane>): Lane => ({
  ...emptyLane({ kind: "work", job: "j", gate: "" }),
  ...more,
});

interface Given {
  readonly lanes?: readonly Lane[];
  /** The lanes of each shard, if there are several. */
  readonly shards?: readonly (readonly Lane[])[];
  readonly gates?: readonly Gate[];
  readonly jobs?: readonly Job[];
  readonly waits?: QueueCounts["waits"];
}

function countsOf({ lanes = [], shards = [lanes], gates = [], ...given }: Given): QueueCounts {
  const now = { ms: 1_000, wallMs: 9_000_000 };
  const { jobs = [newJob("j", 0)], waits = new Map() } = given;
  const counter = createKindCounter(now);
  for (const [index, own] of shards.entries()) {
    for (const one of own) {
      const gate = gates.find(({ name }) => name === one.gate);
      const job = jobs.find(({ name }) => name === one.job);
      counter.add(one, gate, job, index);
    }
  }
  return {
    now,
    kinds: counter.kinds(),
    shards: shards.length,
    lanes: shards.flat().length,
    gates: gates.length,
    jobs: countJobs(jobs),
    waits,
    raises: { raised: 0, unchanged: 0 },
  };
}
const reasonsOf = (given: Given) =>
  summarise(countsOf(given)).reasons.filter(({ count }) => count > 0);

describe("the statistics", () => {
  test("add up the lanes by state and by kind", () => {
    const stats = summarise(
      countsOf({
        lanes: [
          lane({ ready: 1, scheduled: 2, backoff: 3, running: 4, done: 5, skipped: 6, failed: 7 }),
          lane({ kind: "other", job: "k", ready: 10, done: 10 }),
          lane({ job: "k", running: 1 }),
        ],
        jobs: [newJob("j", 0), newJob("k", 0)],
      }),
    );
    expect(stats.states).toEqual({ pending: 16, running: 5, done: 15, skipped: 6, failed: 7 });
    expect(stats.kinds).toMatchObject([
      { kind: "other", pending: 10, running: 0, done: 10, skipped: 0, failed: 0 },
      { kind: "work", pending: 6, running: 5, done: 5, skipped: 6, failed: 7 },
    ]);
    expect(stats.lanes).toBe(3);
  });

  test("share out what waits in one lane by why it waits", () => {
    const waiting = lane({
      ready: 2,
      scheduled: 1,
      backoff: 1,
      oldestReadyAtMs: 400,
      oldestScheduledAtMs: 500,
      oldestBackoffAtMs: 600,
    });
    expect(reasonsOf({ lanes: [waiting] })).toEqual([
      { reason: "scheduled", count: 1, share: 0.25, oldestAgeMs: 500 },
      { reason: "retry_backoff", count: 1, share: 0.25, oldestAgeMs: 400 },
      { reason: "worker_capacity", count: 2, share: 0.5, oldestAgeMs: 600 },
    ]);
    const jobs = [{ ...newJob("j", 0), isPaused: true }];
    expect(reasonsOf({ lanes: [waiting], jobs })).toEqual([
      { reason: "paused", count: 4, share: 1, oldestAgeMs: 600 },
    ]);
  });

  test("judge the due tasks of a lane by its gate and its job", () => {
    const lanes = [
      lane({ ready: 1, gate: "closed", oldestReadyAtMs: 1 }),
      lane({ ready: 2, gate: "open", oldestReadyAtMs: 1 }),
      lane({ ready: 3, job: "full", gate: "open", oldestReadyAtMs: 1 }),
    ];
    const gates = [{ ...newGate("closed"), blockedUntilMs: 1_001 }, newGate("open")];
    const jobs = [newJob("j", 0), { ...newJob("full", 0), concurrency: 1, slots: 1 }];
    expect(reasonsOf({ lanes, gates, jobs })).toMatchObject([
      { reason: "domain_delay", count: 1 },
      { reason: "concurrency_limit", count: 3 },
      { reason: "worker_capacity", count: 2 },
    ]);
  });

  test("take the oldest of all lanes that wait for the same reason", () => {
    const lanes = [
      lane({ ready: 1, oldestReadyAtMs: 900 }),
      lane({ kind: "other", ready: 1, oldestReadyAtMs: 300 }),
      lane({ kind: "third", ready: 1, oldestReadyAtMs: 600 }),
    ];
    expect(reasonsOf({ lanes })).toMatchObject([{ count: 3, oldestAgeMs: 700 }]);
  });

  test("what waited for its gate has waited for a worker since the gate is open", () => {
    const lanes = [lane({ ready: 2, gate: "late", oldestReadyAtMs: 100 })];
    const gates = [{ ...newGate("late"), opensAtMs: 700 }];
    const [kind] = summarise(countsOf({ lanes, gates })).kinds;
    expect(kind).toMatchObject({ claimable: 2, claimableAgeMs: 300 });
  });

  test("count each shard by itself; a queue of one shard has one", () => {
    const first = [lane({ ready: 2, done: 3, oldestReadyAtMs: 400 })];
    const second = [lane({ kind: "other", gate: "shut", ready: 5, failed: 1, skipped: 1 })];
    const gates = [{ ...newGate("shut"), blockedUntilMs: 2_000 }];
    const shard = { shard: 0, pending: 2, completed: 3, claimable: 2, claimableAgeMs: 600 };
    expect(summarise(countsOf({ lanes: first })).shards).toEqual([shard]);
    expect(summarise(countsOf({ gates, shards: [first, second] })).shards).toEqual([
      shard,
      { shard: 1, pending: 5, completed: 2, claimable: 0, claimableAgeMs: 0 },
    ]);
  });

  test("join the waits of all kinds", () => {
    const waits = new Map([
      ["work", new Map([[1, 98]])],
      [
        "other",
        new Map([
          [1, 1],
          [5, 1],
        ]),
      ],
    ]);
    const stats = summarise(countsOf({ lanes: [lane({ done: 1 })], waits }));
    expect(stats.waits).toEqual({ count: 100, p50Ms: 1, p95Ms: 1, p99Ms: 1 });
    expect(stats.kinds[0]!.waits.count).toBe(98);
  });

  test("count jobs as open, paused or ended", () => {
    const jobs = [
      newJob("a", 0),
      { ...newJob("b", 0), isPaused: true },
      { ...newJob("c", 0), isPaused: true, ended: "cancelled" as const },
    ];
    expect(summarise(countsOf({ jobs })).jobs).toEqual({ open: 1, paused: 1, ended: 1 });
  });

  test("of an empty queue are all zero", () => {
    const stats = summarise(countsOf({ jobs: [] }));
    expect(stats.states).toEqual({ pending: 0, running: 0, done: 0, skipped: 0, failed: 0 });
    expect(stats.reasons.map(({ count, share }) => count + share)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
