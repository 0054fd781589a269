import type { Database } from "better-sqlite3";
import { taskStates } from "../../row-state.ts";
import { statement } from "./statement.ts";

/**
 * Orphans cannot come to be, since a task and what it belongs to are written together; they are
 * looked for because a disk can lie, and people edit files. Each is put where it can be seen, and
 * none is thrown away.
 */
const orphans = {
  /** Tasks whose lane is missing: nothing tells any more what they were. */
  ofNoLane: "select id from task where lane not in (select id from lane)",
  ofNoJob: `select id from task where lane in
    (select id from lane where job not in (select name from job))`,
  ofNoGate: `select id from task where lane in
    (select id from lane where gate <> '' and gate not in (select name from gate))`,
  /** Waiting in a job that has completed, so that nobody ever gets them. */
  ofCompletedJob: `select id from task where state < ${taskStates.running} and lane in
    (select id from lane where job in (select name from job where ended = 'completed'))`,
  /** Running without a claim, so that no sweep ever finds them. */
  ofNoClaim: `select id from task where state = ${taskStates.running} and token not in (select token from claim)`,
};

export const countOrphans = (db: Database): number =>
  Number(
    statement(db, `select count(*) from (${Object.values(orphans).join(" union ")})`)
      .pluck()
      .get(),
  );

/** Leaves the counters of lanes, gates, jobs and claims to a recount. */
export function repairOrphans(db: Database, nowMs: number): void {
  const run = (sql: string, values: Readonly<Record<string, unknown>> = {}) =>
    statement(db, sql).run(values);
  const note = (reason: string) => ({
    nowMs,
    attempt: JSON.stringify({ token: 0, atMs: nowMs, outcome: "cancelled", reason }),
  });
  const noted = "json_insert(coalesce(attempts, '[]'), '$[#]', json(@attempt))";

  const { count } = statement(db, `select count(*) as count from (${orphans.ofNoLane})`).get() as {
    count: number;
  };
  if (count > 0) {
    // They are counted here from now on, and no longer in the jobs they were of.
    run("update job set added = pending + running + done + skipped + failed");
    run(`insert or ignore into lane (scope, kind, job, gate, ready, suspects, scheduled, backoff,
        running, done, skipped, failed, is_open, top, head)
      values (0, 'orphan', 'orphans', '', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0)`);
    run(
      `insert or ignore into job
       values ('orphans', 0, 0, null, null, null, '', 0, 0, 0, 0, 0, 0, 0, 0, 0, @nowMs, 0, 0, 0)`,
      { nowMs },
    );
    run("update job set added = added + @count, failed = failed + @count where name = 'orphans'", {
      count,
    });
    run(
      `update task set state = ${taskStates.failed}, finished_at = @nowMs, expires_at = 0, attempts = ${noted},
         lane = (select id from lane where kind = 'orphan' and job = 'orphans' and gate = '')
       where id in (${orphans.ofNoLane})`,
      note("an orphan: its lane was missing from the file"),
    );
  }
  // Its settings are lost, what it has done is not.
  run(
    `insert into job
       select job, 0, 0, null, null, null, '', 0, sum(ready + suspects + scheduled + backoff
         + running + done + skipped + failed), 0, 0, 0, sum(done), sum(skipped), sum(failed), 0,
         @nowMs, 0, 0, 0
       from lane where job not in (select name from job) group by job`,
    { nowMs },
  );
  run(`insert into gate select distinct gate, 0, 1, 0, 0, 0, 0, 0, 1, 0
    from lane where gate <> '' and gate not in (select name from gate)`);
  run(
    `update task set state = ${taskStates.skipped}, finished_at = @nowMs, attempts = ${noted}
     where id in (${orphans.ofCompletedJob})`,
    note("an orphan: its job had completed"),
  );
  run("update job set skipped = skipped + pending where ended = 'completed'");
  // With a claim again they are kept until their lease ends, and then swept like any other.
  run(
    `insert into claim
       select token, 'orphan-' || token, 'unknown', count(*), 0, 0, @nowMs, min(expires_at)
       from task where id in (${orphans.ofNoClaim}) group by token`,
    { nowMs },
  );
}
