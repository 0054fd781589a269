import { sweep as sweepModel } from "../../../model/sweep.ts";
import { sweepRowsMax, type Swept } from "../../../operation.ts";
import { taskStates } from "../../../row-state.ts";
import type { TaskRow } from "../../../slice/task-row.ts";
import { cancelledJobs, pendingTasks, selectTasks, sliceOf } from "./load-slice.ts";
import { saveSlice } from "./save-slice.ts";
import { statement } from "../connection/statement.ts";
import type { Unit } from "./unit.ts";

/** Every claim starts with it, so a sweep that finds nothing must cost only a few look-ups. */
export function sweep(unit: Unit): Swept {
  unit.flush();
  const tokens = expiredClaims(unit);
  const found = [...expiredTasks(unit, tokens), ...pendingTasks(unit, cancelledJobs(unit))];
  const swept = found.length > 0 ? sweepTasks(unit, found) : nothingSwept;
  for (const token of tokens) unit.sql.setNextExpiry.run({ token });
  forgetClaims(unit);
  markCompleteJobs(unit);
  return swept;
}

const nothingSwept: Swept = { requeued: 0, failed: 0, cancelled: 0, hasMore: false };

function sweepTasks(unit: Unit, found: readonly TaskRow[]): Swept {
  const slice = sliceOf(unit, found);
  const swept = sweepModel(slice.draft);
  saveSlice(unit, slice);
  return swept;
}

/** Claims whose earliest lease may have expired. */
const expiredClaims = ({ db, now }: Unit): readonly number[] =>
  statement(db, "select token from claim where open > 0 and expires_at <= ? order by expires_at")
    .pluck()
    .all(now.ms) as number[];

/** One more than may be swept at once, to know whether there are more. */
function expiredTasks({ db, now }: Unit, tokens: readonly number[]): readonly TaskRow[] {
  const found: TaskRow[] = [];
  const expiredOf = statement(
    db,
    `${selectTasks}
     where t.token = ? and t.state = ${taskStates.running} and t.expires_at <= ? limit ?`,
  );
  for (const token of tokens) {
    found.push(...(expiredOf.all(token, now.ms, sweepRowsMax + 1 - found.length) as TaskRow[]));
    if (found.length > sweepRowsMax) break;
  }
  return found;
}

/** Marks jobs that are complete but not ended as changed, so that the commit ends them. */
export function markCompleteJobs({ db, rows }: Unit): void {
  const complete = statement(
    db,
    `select name from job indexed by job_complete
     where is_sealed = 1 and ended is null and pending = 0 and running = 0`,
  );
  for (const name of complete.pluck().all() as string[]) rows.jobForWrite(name);
}

/**
 * Deletes claims that can no longer be repeated. The newest one stays, because the next token
 * follows from it.
 */
function forgetClaims({ db, now, meta }: Unit): void {
  statement(
    db,
    `delete from claim
     where open = 0 and made_at + lease_ms <= @nowMs and token < @last`,
  ).run({ nowMs: now.ms, last: meta.lastToken });
}
