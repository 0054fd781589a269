import type { Database } from "better-sqlite3";
import type { Clock } from "../../../../base/clock.ts";
import { bootId, machineMonotonicMs, machineMsSince } from "../../../../base/machine-clock.ts";
import { truncatedNow, type ModelNow } from "../../../model/now.ts";
import { rebuildTurns } from "../claim/turns.ts";
import { finishedFrom, taskStates } from "../../../row-state.ts";

/**
 * One clock for all processes that share the file: the first process after a boot notes the wall
 * clock, and the machine's monotonic clock advances it. So a step of the wall clock moves no lease
 * and no gate. After a reboot the old monotonic clock is gone: then the wall clock is noted again,
 * but never a time before anything in the file.
 *
 * Call it inside a write transaction.
 */
export function createStoreClock(db: Database, clock: Clock): () => ModelNow {
  const boot = bootId();
  const get = db.prepare("select value from meta where name = ?").pluck();
  const set = db.prepare("insert or replace into meta (name, value) values (?, ?)");

  if (get.get("boot") !== boot) {
    const anchorMs = Math.max(clock.nowMs(), latestMs(db));
    set.run("boot", boot);
    set.run("anchor_ms", anchorMs);
    set.run("anchor_monotonic_ms", machineMonotonicMs());
    restartClock(db, anchorMs);
  }
  const anchorMs = Number(get.get("anchor_ms"));
  const anchorMonotonicMs = Number(get.get("anchor_monotonic_ms"));
  return () =>
    truncatedNow({ ms: anchorMs + machineMsSince(anchorMonotonicMs), wallMs: clock.nowMs() });
}

/**
 * All leases end, because no process works on them any more. It is unknown how long the machine was
 * down, so the delay of each gate after its last start begins again.
 */
function restartClock(db: Database, anchorMs: number): void {
  db.prepare(`update task set expires_at = ? where state = ${taskStates.running}`).run(anchorMs);
  db.prepare("update claim set expires_at = ? where open > 0").run(anchorMs);
  db.prepare(
    `update gate set opens_at = @anchorMs + delay_ms, is_open = 0,
       open_from = max(blocked_until, @anchorMs + delay_ms)
     where delay_ms > 0 and opens_at > 0`,
  ).run({ anchorMs });
  db.prepare(
    `update lane set is_open = 0
     where is_open = 1 and gate in (select name from gate where is_open = 0)`,
  ).run();
  rebuildTurns(db);
}

/** The latest time in the file: a Pi without a clock battery boots with a time in the past. */
function latestMs(db: Database): number {
  const row = db
    .prepare(
      `select
        coalesce((select max(token) / 1024 from claim), 0) as claimed,
        coalesce((select max(made_at) from claim), 0) as made,
        coalesce((select created_at from task where id = (select max(id) from task)), 0) as created,
        coalesce((select max(finished_at) from task where state = ${taskStates.done} and state >= ${finishedFrom}), 0) as done,
        coalesce((select max(finished_at) from task where state = ${taskStates.skipped} and state >= ${finishedFrom}), 0) as skipped,
        coalesce((select max(finished_at) from task where state = ${taskStates.failed} and state >= ${finishedFrom}), 0) as failed,
        coalesce((select max(finished_at) from log), 0) as logged,
        coalesce((select max(max(opened_at, ended_at)) from job), 0) as changed,
        coalesce((select max(opens_at - delay_ms) from gate), 0) as started`,
    )
    .get() as Record<string, number>;
  return Math.floor(Math.max(...Object.values(row))) + 1;
}
