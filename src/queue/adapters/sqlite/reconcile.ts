import type { Database } from "better-sqlite3";
import type { Drift, Reconciled } from "../../queue-store.ts";
import { statement } from "./statement.ts";

/**
 * Recounts lanes, gates, jobs and claims from the tasks alone and, when asked, puts right what
 * differs. Orphans cannot come to be, since a task and what it belongs to are written together;
 * they are looked for because a disk can lie: tasks without a lane, unfinished tasks of a job that
 * has ended, running ones without a claim. Call inside a write transaction.
 */
export function reconcile(db: Database, repair: boolean, nowMs: number): Reconciled {
  const orphans = countOrphans(db);
  if (repair && orphans > 0) repairOrphans(db, nowMs);
  const drift = counters.flatMap((counter) => compare(db, counter));
  if (repair && drift.length > 0) for (const { fix } of counters) statement(db, fix).run();
  return { drift, orphans, repaired: repair && (orphans > 0 || drift.length > 0) };
}

interface Counter {
  /** Rows of (counter, counted, actual) that differ. */
  readonly find: string;
  readonly fix: string;
}

const laneCounts: readonly (readonly [column: string, state: number])[] = [
  ["ready", 0],
  ["scheduled", 1],
  ["backoff", 2],
  ["suspects", 3],
  ["running", 4],
  ["done", 5],
  ["skipped", 6],
  ["failed", 7],
];

const perLane = "(select lane, state, count(*) as n from task group by lane, state)";

const counters: readonly Counter[] = [
  ...laneCounts.map(([column, state]) => ({
    find: `select 'lane ' || kind || '/' || job || '/' || gate || ' ${column}' as counter,
        ${column} as counted, coalesce(n, 0) as actual
      from lane left join ${perLane} as c on c.lane = lane.id and c.state = ${state}
      where ${column} <> coalesce(n, 0)`,
    fix: `update lane set ${column} = coalesce(
        (select n from ${perLane} as c where c.lane = lane.id and c.state = ${state}), 0)`,
  })),
  {
    find: `select 'lane ' || kind || '/' || job || '/' || gate || ' head' as counter, head as counted,
        coalesce((select id from task where lane = lane.id and state = 0
          order by priority desc, id limit 1), 0) as actual
      from lane where ready > 0 and counted <> actual`,
    fix: `update lane set (top, head) = (select priority, id from task
        where task.lane = lane.id and state = 0 order by priority desc, id limit 1)
      where ready > 0`,
  },
  {
    find: `select 'gate ' || name || ' running' as counter, gate.running as counted,
        coalesce((select sum(running) from lane where lane.gate = gate.name), 0) as actual
      from gate where counted <> actual`,
    fix: `update gate set running =
        coalesce((select sum(running) from lane where lane.gate = gate.name), 0)`,
  },
  ...["pending", "running"].map((column) => {
    const actual = `coalesce((select sum(${
      column === "pending" ? "ready + suspects + scheduled + backoff" : "running"
    }) from lane where lane.job = job.name), 0)`;
    return {
      find: `select 'job ' || name || ' ${column}' as counter, ${column} as counted,
          ${actual} as actual from job where counted <> actual`,
      fix: `update job set ${column} = ${actual}`,
    };
  }),
  {
    find: `select 'claim ' || token || ' open' as counter, open as counted,
        (select count(*) from task where task.token = claim.token and state = 4) as actual
      from claim where counted <> actual`,
    fix: `update claim set open =
        (select count(*) from task where task.token = claim.token and state = 4)`,
  },
];

const compare = (db: Database, { find }: Counter): readonly Drift[] =>
  statement(db, find).all() as Drift[];

const orphanQueries = {
  laneless: "select id from task where lane not in (select id from lane)",
  jobless: "select id from lane where job not in (select name from job)",
  ofEndedJob: `select task.id from task join lane on lane.id = task.lane
    join job on job.name = lane.job where state < 4 and job.ended = 'completed'`,
  unclaimed: `select id from task where state = 4 and token not in (select token from claim)`,
};

const countOrphans = (db: Database): number =>
  Number(
    statement(
      db,
      `select (select count(*) from (${orphanQueries.laneless}))
        + (select count(*) from task where lane in (${orphanQueries.jobless}))
        + (select count(*) from (${orphanQueries.ofEndedJob}))
        + (select count(*) from (${orphanQueries.unclaimed}))`,
    )
      .pluck()
      .get(),
  );

function repairOrphans(db: Database, nowMs: number): void {
  const note = (reason: string) =>
    JSON.stringify([{ token: 0, atMs: nowMs, outcome: "cancelled", reason }]);
  const run = (sql: string, ...values: readonly unknown[]) => statement(db, sql).run(...values);
  run(
    `insert into job select distinct job, 0, 0, null, null, null, '', 0, 0, 0, 0, 0, 0, 0, 0, 0, ?, 0, 0
     from lane where job not in (select name from job)`,
    nowMs,
  );
  // Nothing tells any more what they were: they are kept, as failed, where people look.
  run(
    `insert or ignore into lane (scope, kind, job, gate, ready, suspects, scheduled, backoff, running,
       done, skipped, failed, is_open, top, head)
     select 0, 'orphan', 'orphans', '', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0
     where exists (${orphanQueries.laneless})`,
  );
  run(
    `insert or ignore into job select 'orphans', 0, 0, null, null, null, '', 0, 0, 0, 0, 0, 0, 0, 0, 0, ?, 0, 0
     where exists (${orphanQueries.laneless})`,
    nowMs,
  );
  run(
    `update task set state = 7, finished_at = ?, attempts = ?,
       lane = (select id from lane where kind = 'orphan' and job = 'orphans')
     where id in (${orphanQueries.laneless})`,
    nowMs,
    note("orphan: its lane was missing from the file"),
  );
  run(
    `update task set state = 6, finished_at = ?, attempts = ? where id in (${orphanQueries.ofEndedJob})`,
    nowMs,
    note("orphan: its job had ended"),
  );
  run(`update task set state = 0, expires_at = 0 where id in (${orphanQueries.unclaimed})`);
}
