import type { Database } from "better-sqlite3";
import { taskStates } from "../../../row-state.ts";
import { statement } from "../connection/statement.ts";

/**
 * Orphans cannot arise from the program, because a task and its lane, job and gate are written
 * together. They are searched for because disks fail and people edit files. Each orphan is moved to
 * where people can see it; none is deleted.
 */
const orphans = {
  /** Tasks whose lane is missing, so that their kind, job and gate are unknown. */
  ofNoLane: "select id from task where lane not in (select id from lane)",
  ofNoJob: `select id from task where lane in
    (select id from lane where job not in (select name from job))`,
  ofNoGate: `select id from task where lane in
    (select id from lane where gate <> '' and gate not in (select name from gate))`,
  /** Tasks that wait in a completed job, so that no worker ever gets them. */
  ofCompletedJob: `select id from task where state < ${taskStates.running} and lane in
    (select id from lane where job in (select name from job where ended = 'completed'))`,
  /** Tasks that run without a claim, so that no sweep ever finds them. */
  ofNoClaim: `select id from task where state = ${taskStates.running} and token not in (select token from claim)`,
};

export const countOrphans = (db: Database): number =>
  Number(
    statement(db, `select count(*) from (${Object.values(orphans).join(" union ")})`)
      .pluck()
      .get(),
  );

/** Does not correct the counters of lanes, gates, jobs and claims: a recount must follow. */
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
    // They are counted in this job from now on, and no longer in their former jobs.
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
  // The settings of the job are lost; what it has done is kept.
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
  // With a claim, they stay leased until their lease ends, and are then swept like others.
  run(
    `insert into claim
       select token, 'orphan-' || token, 'unknown', count(*), 0, 0, @nowMs, min(expires_at)
       from task where id in (${orphans.ofNoClaim}) group by token`,
    { nowMs },
  );
}
