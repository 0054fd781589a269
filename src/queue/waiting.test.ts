import { describe, expect, test } from "vitest";
import { newGate, type Gate } from "./gate.ts";
import { newJob, type Job } from "./job.ts";
import type { Task } from "./task.ts";
import { dueReason, waitingReason, waitingReasons } from "./waiting.ts";

const now = { ms: 10_000, wallMs: 50_000 };
const attempt = { token: 1, atMs: 1, outcome: "retry", reason: "r" } as const;

/** Everything that can hold a task back, all at once. */
const everything = {
  job: { isPaused: true, concurrency: 1, slots: 1 } satisfies Partial<Job>,
  task: { dueAtMs: 60_000, attempts: [attempt] } satisfies Partial<Task>,
  gate: { blockedUntilMs: 12_000 } satisfies Partial<Gate>,
};

function reasonWith(parts: { job?: Partial<Job>; task?: Partial<Task>; gate?: Partial<Gate> }) {
  const task = { dueAtMs: 0, attempts: [], ...parts.task };
  const job = { ...newJob("j", 0), ...parts.job };
  return waitingReason(task, parts.gate && { ...newGate("g"), ...parts.gate }, job, now);
}

describe("the reason why a task waits", () => {
  test("is the first that matches, in the order of the list", () => {
    const { job, task, gate } = everything;
    const running = { ...job, isPaused: false };
    const seen = [
      reasonWith(everything),
      reasonWith({ job: running, task: { ...task, attempts: [] }, gate }),
      reasonWith({ job: running, task, gate }),
      reasonWith({ job: running, gate }),
      reasonWith({ job: running }),
      reasonWith({}),
    ];
    expect(seen.map(({ reason }) => reason)).toEqual(waitingReasons);
  });

  test("says for how long when that is known", () => {
    expect(reasonWith({ task: { dueAtMs: 50_001 } })).toEqual({ reason: "scheduled", forMs: 1 });
    expect(reasonWith({ task: everything.task })).toEqual({
      reason: "retry_backoff",
      forMs: 10_000,
    });
    expect(reasonWith({ gate: { opensAtMs: 10_007 } })).toEqual({
      reason: "domain_delay",
      forMs: 7,
    });
    expect(reasonWith({ gate: { running: 1 } })).toEqual({ reason: "domain_delay" });
    expect(reasonWith({ job: { isPaused: true } })).toEqual({ reason: "paused" });
  });

  test("due times are on the wall clock, gates on the store's", () => {
    expect(reasonWith({ task: { dueAtMs: 50_000 } }).reason).toBe("worker_capacity");
    expect(reasonWith({ gate: { opensAtMs: 10_000 } }).reason).toBe("worker_capacity");
    expect(reasonWith({ gate: { opensAtMs: 10_001 } }).reason).toBe("domain_delay");
  });

  test("a job that has ended holds its tasks like a paused one", () => {
    for (const ended of ["completed", "cancelled"] as const) {
      expect(reasonWith({ job: { ended } })).toEqual({ reason: "paused" });
      expect(dueReason(undefined, { ...newJob("j", 0), ended }, now)).toEqual({ reason: "paused" });
    }
  });

  test("a job with room left does not limit", () => {
    expect(reasonWith({ job: { concurrency: 2, slots: 1 } }).reason).toBe("worker_capacity");
    expect(reasonWith({ job: { concurrency: 2, slots: 3 } }).reason).toBe("concurrency_limit");
  });
});
