import { laneKey } from "../../../lane.ts";
import type { Add } from "../../../operation.ts";
import type { NewTask } from "../../../task.ts";
import type { Counts } from "../read/counts.ts";
import type { PostgresSession } from "../connection/database.ts";
import type { Grouped } from "../../../slice/named-tasks.ts";
import type { AppliedGroup } from "./group.ts";
import { isAnyKept } from "../read/log.ts";
import { readMoment, type Moment } from "../connection/moment.ts";
import { lockLanes, writeHeads, type PostgresLaneRow } from "../rows/rows.ts";
import { allAdded, insertRows } from "./task-writes.ts";

/**
 * Fast path for 64 or more new tasks of open jobs without a budget, in existing lanes: inserts them
 * without checking their keys first. If a key exists, the transaction fails. In all other cases
 * that need more, the answer is undefined. Then the slow path applies the whole group.
 */
export async function addBatch(
  session: PostgresSession,
  operations: readonly Add[],
  { moment, counts }: { readonly moment: Moment; readonly counts: Counts },
): Promise<AppliedGroup | undefined> {
  const tasks = operations.flatMap((operation) => operation.tasks);
  const names = new Map<string, NewTask>();
  for (const task of tasks) names.set(laneKey(task), task);
  const wanted = [...names.values()];
  const jobs = session.query<{ name: string; isSimple: boolean }>(
    `select name, ended is null and not is_sealed and budget is null and gate = '' as "isSimple"
     from @job where name = any($1::text[]) order by name for key share`,
    [[...new Set(wanted.map(({ job }) => job))]],
  );
  const lanesFound = session.query<PostgresLaneRow>(
    `select l.id, l.kind, l.job, l.gate, l.scope
     from unnest($1::text[], $2::text[], $3::text[]) as u (kind, job, gate)
     join @lane l on l.job = u.job and l.gate = u.gate and l.kind = u.kind`,
    [wanted.map(({ kind }) => kind), wanted.map(({ job }) => job), wanted.map(({ gate }) => gate)],
  );
  // Tasks without a gate need no locks, so all queries are sent in one round trip.
  const [found, checked, isKept, seen] = await Promise.all([
    lanesFound,
    jobs,
    isAnyKept(session, tasks),
    readMoment(session, moment),
  ]);
  const isSimple = !isKept && checked.every((job) => job.isSimple);
  if (found.length < wanted.length || !isSimple) return undefined;
  const gated = found.filter(({ gate }) => gate !== "").map(({ id }) => id);
  const [locked, now] =
    gated.length === 0
      ? [[], seen]
      : await Promise.all([
          lockLanes(session, { gates: [], ids: gated }),
          readMoment(session, moment),
        ]);
  if (locked.length < gated.length) return undefined;
  const lanes = new Map(found.map((lane) => [laneKey(lane), lane]));
  const isDue = (task: NewTask) => task.dueAtMs <= now.wallMs;
  const ids = insertRows(
    session,
    tasks.map((task) => ({ task, lane: lanes.get(laneKey(task))!, isDue: isDue(task) })),
    now.ms,
  );
  writeHeads(session, gated);
  for (const task of tasks) {
    const lane = lanes.get(laneKey(task))!;
    counts.move(lane, undefined, isDue(task) ? "ready" : "scheduled");
    counts.job(lane.job, "added", 1);
    if (isDue(task)) counts.readyDue(task.dueAtMs);
  }
  return {
    answers: () => allAdded(operations, ids()),
    jobs: [],
    mayWake: true,
  };
}

/** For fewer tasks the slow path is as fast. */
const batchMin = 64;

/** If a key is repeated, the second task is a duplicate. */
export function isBatchAdd(group: readonly Grouped[]): group is readonly Add[] {
  const count = group.reduce((sum, one) => sum + (one.op === "add" ? one.tasks.length : 0), 0);
  if (count < batchMin) return false;
  const seen = new Set<string>();
  const isNew = ({ job, gate, key }: NewTask) => {
    const size = seen.size;
    return seen.add(`${key}\0${job}\0${gate}`).size > size;
  };
  return group.every(
    (operation) => operation.op === "add" && !operation.by && operation.tasks.every(isNew),
  );
}
