import { opensAfterStart } from "../../gate.ts";
import { bulkRowsMax, sweepRowsMax, type Swept } from "../../operation.ts";
import { statement } from "./statement.ts";
import { leave, noted, requeueSuspect, type HeldRow } from "./leases.ts";
import { taskStates, type TaskRow } from "./task-row.ts";
import { move, stateName, type Unit } from "./unit.ts";

type ExpiredRow = HeldRow & Pick<TaskRow, "expires_at" | "due_at">;

/** The only place where an expired lease has an effect. Bounded, so it can start every claim. */
export function sweep(unit: Unit): Swept {
  unit.flush();
  const counts = { requeued: 0, failed: 0, cancelled: 0 };
  const { rows, hasMore } = expired(unit);
  for (const task of rows) counts[takeBack(unit, task)] += 1;
  const skipped = skipCancelled(unit);
  forgetClaims(unit);
  touchComplete(unit);
  return {
    ...counts,
    cancelled: counts.cancelled + skipped.count,
    hasMore: hasMore || skipped.hasMore,
  };
}

/** Claims whose earliest lease may have expired; those extended since are looked at again later. */
function expired({ db, now }: Unit): { rows: ExpiredRow[]; hasMore: boolean } {
  const claims = statement(db, "select token from claim where open > 0 and expires_at <= ?")
    .pluck()
    .all(now.ms) as number[];
  const rows: ExpiredRow[] = [];
  const readOf = statement(
    db,
    `select id, lane, token, used, attempts_max, is_suspect, attempts, due_at, expires_at
     from task where token = ? and state = 4 order by expires_at, id`,
  );
  const setExpiry = statement(db, "update claim set expires_at = ? where token = ?");
  for (const token of claims) {
    const running = readOf.all(token) as ExpiredRow[];
    const due = running.filter((task) => task.expires_at <= now.ms);
    const next = running.find((task) => task.expires_at > now.ms);
    if (rows.length + due.length > sweepRowsMax) {
      rows.push(...due.slice(0, sweepRowsMax - rows.length));
      return { rows, hasMore: true };
    }
    rows.push(...due);
    if (next) setExpiry.run(next.expires_at, token);
  }
  return { rows, hasMore: false };
}

function takeBack(unit: Unit, task: ExpiredRow): "requeued" | "failed" | "cancelled" {
  const { rows, sql, now } = unit;
  const lane = rows.laneForWrite(task.lane);
  leave(unit, task, lane, undefined);
  if (lane.gate !== "") {
    // Whether a request went out in the lease's last moment is unknown: count the delay from there.
    const gate = rows.gateForWrite(lane.gate);
    gate.opensAtMs = opensAfterStart(gate, task.expires_at);
  }
  if (rows.job(lane.job)?.ended === "cancelled") {
    sql.end.run(taskStates.skipped, cancelled(task, now.ms), now.ms, task.is_suspect, task.id);
    move(unit, lane, "running", "skipped");
    return "cancelled";
  }
  const reason = "the lease expired: the worker died, hung or lost the queue";
  const attempts = noted(task, { outcome: "expired", reason, atMs: now.ms });
  if (task.used >= task.attempts_max) {
    sql.end.run(taskStates.failed, attempts, now.ms, 1, task.id);
    move(unit, lane, "running", "failed");
    return "failed";
  }
  requeueSuspect(unit, task, lane, attempts);
  return "requeued";
}

/** Pending tasks of cancelled jobs, a chunk at a time. */
export function skipCancelled(unit: Unit): { readonly count: number; readonly hasMore: boolean } {
  const { db, rows, sql, now } = unit;
  unit.flush();
  const jobs = statement(db, "select name from job where ended = 'cancelled' and pending > 0")
    .pluck()
    .all() as string[];
  const columns =
    "select id, lane, token, attempts, is_suspect, state from task where lane = @lane";
  const pendingOf = statement(
    db,
    `${columns} and state = 0 union all ${columns} and state = 3
     union all ${columns} and state in (1, 2) limit @left`,
  );
  let left = bulkRowsMax;
  for (const name of jobs) {
    const lanes = statement(db, "select id from lane where job = ?").pluck().all(name) as number[];
    for (const id of lanes) {
      const lane = rows.lane(id);
      if (lane.ready + lane.suspect + lane.scheduled + lane.backoff === 0) continue;
      const chunk = pendingOf.all({ lane: id, left }) as TaskRow[];
      for (const task of chunk) {
        sql.end.run(taskStates.skipped, cancelled(task, now.ms), now.ms, task.is_suspect, task.id);
        move(unit, lane, stateName(task.state), "skipped");
      }
      left -= chunk.length;
      if (left === 0) return { count: bulkRowsMax, hasMore: true };
    }
  }
  return { count: bulkRowsMax - left, hasMore: false };
}

const cancelled = (task: Pick<HeldRow, "token" | "attempts">, atMs: number) =>
  noted(task, { outcome: "cancelled", reason: "its job was cancelled", atMs });

/** Jobs that are complete and not said to be, should there be any: then their commit says so. */
export function touchComplete({ db, rows }: Unit): void {
  const complete = statement(
    db,
    `select name from job indexed by job_complete
     where is_sealed = 1 and ended is null and pending = 0 and running = 0`,
  );
  for (const name of complete.pluck().all() as string[]) rows.jobForWrite(name);
}

/** The newest stays: its token is where the next one starts. */
function forgetClaims({ db, now, meta }: Unit): void {
  statement(
    db,
    `delete from claim
     where open = 0 and made_at + lease_ms <= @nowMs and token < @last`,
  ).run({ nowMs: now.ms, last: meta.lastToken });
}
