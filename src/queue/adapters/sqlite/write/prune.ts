import type { Changed, ForgetKeys, PruneLog } from "../../../operation.ts";
import { taskStates } from "../../../row-state.ts";
import { filterSql } from "./load-slice.ts";
import { countKept } from "./save-slice.ts";
import { statement } from "../connection/statement.ts";
import type { Unit } from "./unit.ts";

export function forgetKeys(unit: Unit, { filter, rowsMax }: ForgetKeys): Changed {
  const { db } = unit;
  const { where, values } = filterSql(filter, { task: "kept_key", lane: "kept_key" });
  const states = filter.states.map((state) => taskStates[state]).join(", ");
  const keys = statement(
    db,
    `select job, gate, key from kept_key where state in (${states}) ${where}
     order by finished_at, id limit @limit`,
  )
    .raw()
    .all({ ...values, limit: rowsMax + 1 }) as [job: string, gate: string, key: string][];
  const forget = statement(db, "delete from kept_key where job = ? and gate = ? and key = ?");
  for (const key of keys.slice(0, rowsMax)) forget.run(key);
  countKept(unit, "kept_keys", -Math.min(keys.length, rowsMax));
  return { changed: Math.min(keys.length, rowsMax), hasMore: keys.length > rowsMax };
}

export function pruneLog(unit: Unit, { finishedBeforeMs, rowsMax }: PruneLog): Changed {
  const { db } = unit;
  const { changes } = statement(
    db,
    `delete from log where id in (
       select id from log where finished_at < ? order by finished_at, id limit ?)`,
  ).run(finishedBeforeMs, rowsMax);
  countKept(unit, "log_entries", -changes);
  const more = statement(db, "select 1 from log where finished_at < ? limit 1");
  return { changed: changes, hasMore: more.get(finishedBeforeMs) !== undefined };
}
