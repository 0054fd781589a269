import type { Sabotage } from "./sabotage.ts";

const marks = "test/e2e/loadtest-marks.test.ts";

/**
 * Known-wrong queues that a load test has to find by itself: it judges by the logs of its workers,
 * which are written outside of the queue. All are of the SQLite store, which it uses by default.
 */
export const loadtestSabotages: readonly Sabotage[] = [
  {
    name: "fencing is removed: no token is compared",
    file: "src/queue/adapters/sqlite/write/unit.ts",
    find: "select lane from task where id = ? and token = ?",
    replace: "select lane from task where id = ? and (token = ? or 1)",
    caughtBy: `${marks} > no finish is accepted under an old lease`,
  },
  {
    name: "double completion: a late finish of a task that is done is told that it counts",
    file: "src/queue/model/leases.ts",
    find: `if (task.token !== token || task.state === "running") return false;`,
    replace: `if (String(task.state) === "done") return true;
  if (task.token !== token || task.state === "running") return false;`,
    caughtBy: `${marks} > no task is completed twice`,
  },
  {
    name: "gates are ignored: a gate opens as soon as it is free",
    file: "src/queue/gate.ts",
    find: "Math.max(gate.opensAtMs, startedMs + gate.delayMs);",
    replace: "Math.max(gate.opensAtMs, startedMs);",
    caughtBy: `${marks} > no gate is hurried`,
  },
  {
    name: "caps are ignored: a job always has slots left",
    file: "src/queue/job.ts",
    find: "job.concurrency === null ? Infinity : Math.max(0, job.concurrency - job.slots);",
    replace: "job.concurrency === null ? Infinity : Math.max(25, job.concurrency - job.slots);",
    caughtBy: `${marks} > no job has more at work than its cap`,
  },
  {
    name: "adds are lost: the last of each batch is acknowledged and not stored",
    file: "src/queue/adapters/sqlite/write/add.ts",
    find: "inserted += sql.insert.run(values.splice(0)).changes;",
    replace:
      "inserted += index > 0 && index === tasks.length - 1 ? values.splice(0).length / 10 : sql.insert.run(values.splice(0)).changes;",
    caughtBy: `${marks} > no add that was acknowledged is lost`,
  },
];
