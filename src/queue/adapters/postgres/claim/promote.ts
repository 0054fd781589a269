import type { StoreNow } from "../../../queue-store.ts";
import type { Counts } from "../read/counts.ts";
import type { PostgresSession } from "../connection/database.ts";
import { lockGates, lockLanes, toGate, writeGates, writeHeads } from "../rows/rows.ts";
import { stateLists, stateName, taskStates } from "../../../row-state.ts";
import type { TaskRow } from "../../../slice/task-row.ts";

/** The most rows of one promotion, so that a claim stays short. */
const promoteRowsMax = 1_000;

type Found = Pick<
  TaskRow,
  "id" | "lane" | "kind" | "job" | "gate" | "state" | "due_at" | "is_suspect" | "attempts"
>;
const columns = "t.id, t.lane, l.kind, l.job, l.gate, t.state, t.due_at, t.is_suspect, t.attempts";

/**
 * Makes due tasks ready and opens the gates whose time has come, up to a limit. The rest is left to
 * the next claim, which `wakeInMs` announces. All of this is derived data, so it may be repeated.
 */
export async function promote(
  session: PostgresSession,
  now: StoreNow,
  counts: Counts,
): Promise<void> {
  const opening = session.query<{ name: string }>(
    "select name from @gate where not is_open and has_room and open_from <= $1 limit $2",
    [now.ms, promoteRowsMax],
  );
  const due = await session.query<Found>(
    `select ${columns} from @task t join @lane l on l.id = t.lane
     where t.state in ${stateLists.dueLater} and t.due_at <= $1 order by t.due_at, t.id limit $2`,
    [now.wallMs, promoteRowsMax],
  );
  const names = (await opening).map(({ name }) => name);
  const gates = await lockGates(session, names);
  await moveTasks(session, { due, gates: names, counts }, (task) =>
    task.due_at > now.wallMs ? undefined : task.is_suspect ? "suspect" : "ready",
  );
  writeGates(session, gates.map(toGate), now.ms);
}

/** Reverts promotions if the wall clock went back behind a due time. */
export async function demote(
  session: PostgresSession,
  now: StoreNow,
  counts: Counts,
): Promise<void> {
  const due = await session.query<Found>(
    `select ${columns} from @task t join @lane l on l.id = t.lane
     where t.state in ${stateLists.dueNow} and t.due_at > $1`,
    [now.wallMs],
  );
  await moveTasks(session, { due, gates: [], counts }, (task) =>
    task.due_at <= now.wallMs ? undefined : task.attempts === null ? "scheduled" : "backoff",
  );
  session.send(
    `update @tally set ready_due = least(ready_due, $1) where stripe = any(array(
       select stripe from @tally order by stripe for update))`,
    [now.wallMs],
  );
}

async function moveTasks(
  session: PostgresSession,
  { due, gates, counts }: { due: readonly Found[]; gates: readonly string[]; counts: Counts },
  target: (task: Found) => "ready" | "suspect" | "scheduled" | "backoff" | undefined,
): Promise<void> {
  const gated = due.filter(({ gate }) => gate !== "").map(({ lane }) => lane);
  await lockLanes(session, { gates, ids: gated });
  if (due.length === 0) return;
  const locked = await session.query<Found>(
    `select ${columns} from @task t join @lane l on l.id = t.lane
     where t.id = any($1::bigint[]) and t.state < ${taskStates.running} order by t.id
     for no key update of t skip locked`,
    [due.map(({ id }) => id)],
  );
  const lanes = new Set<number>();
  const moved: { id: number; state: number }[] = [];
  for (const task of locked) {
    const from = stateName(task.state);
    const to = target(task);
    if (to === undefined || to === from) continue;
    const isReady = to === "ready" || to === "suspect";
    if (isReady === (from === "ready" || from === "suspect")) continue;
    moved.push({ id: task.id, state: taskStates[to] });
    counts.move({ id: task.lane, job: task.job, gate: task.gate }, from, to);
    if (isReady) counts.readyDue(task.due_at);
    if (task.gate !== "") lanes.add(task.lane);
  }
  session.send(
    `update @task t set state = u.state from unnest($1::bigint[], $2::smallint[]) as u (id, state)
     where t.id = u.id`,
    [moved.map(({ id }) => id), moved.map(({ state }) => state)],
  );
  writeHeads(session, [...lanes]);
}
