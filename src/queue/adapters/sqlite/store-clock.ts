import type { Database } from "better-sqlite3";
import type { Clock } from "../../../base/clock.ts";
import { bootId, machineMonotonicMs } from "../../../base/machine-clock.ts";
import type { StoreNow } from "../../queue-store.ts";

/**
 * One clock for all processes that share the file: a wall clock moment that the first of them
 * noted, carried forward by the machine's monotonic clock. So a step of the wall clock moves no
 * lease and no gate. After a boot the old monotonic clock is gone: the anchor is set anew, never
 * before anything the file already holds, and what was leased is void, since nobody runs it.
 *
 * Call inside a write transaction.
 */
export function createStoreClock(db: Database, clock: Clock): () => StoreNow {
  const boot = bootId();
  const get = db.prepare("select value from meta where name = ?").pluck();
  const set = db.prepare("insert or replace into meta (name, value) values (?, ?)");

  if (get.get("boot") !== boot) {
    const anchorMs = Math.max(clock.nowMs(), latestMs(db));
    set.run("boot", boot);
    set.run("anchor_ms", anchorMs);
    set.run("anchor_monotonic_ms", machineMonotonicMs());
    db.prepare("update task set expires_at = ? where state = 4").run(anchorMs);
    db.prepare("update claim set expires_at = ? where open > 0").run(anchorMs);
  }
  const offsetMs = Number(get.get("anchor_ms")) - Number(get.get("anchor_monotonic_ms"));
  return () => ({ ms: Math.floor(machineMonotonicMs() + offsetMs), wallMs: clock.nowMs() });
}

/** The latest moment the file remembers: a Pi without a clock battery boots into the past. */
function latestMs(db: Database): number {
  const row = db
    .prepare(
      `select
        coalesce((select max(token) / 1024 from claim), 0) as claimed,
        coalesce((select created_at from task order by id desc limit 1), 0) as created,
        coalesce((select max(opens_at - delay_ms) from gate), 0) as started`,
    )
    .get() as { claimed: number; created: number; started: number };
  return Math.floor(Math.max(row.claimed, row.created, row.started)) + 1;
}
