import type { CounterDrift, Reconciled } from "../../../queue-store.ts";
import type { PostgresSession } from "../connection/database.ts";
import { countOrphans, repairOrphans } from "./orphans.ts";
import { stateNames, taskStates } from "../../../row-state.ts";

/**
 * Recounts lanes, gates, jobs and claims from the tasks alone. Call it in a snapshot, so that
 * counters and tasks are from the same moment.
 */
export async function recount(
  session: PostgresSession,
  nowMs: number,
): Promise<Pick<Reconciled, "drift" | "orphans">> {
  const drift: CounterDrift[] = [];
  for (const sql of comparisons) {
    drift.push(...(await session.query<CounterDrift>(sql, sql.includes("$1") ? [nowMs] : [])));
  }
  return { drift, orphans: await countOrphans(session) };
}

/** Corrects what differs. Call it in a transaction that prevents all other writes. */
export async function repair(session: PostgresSession, nowMs: number): Promise<void> {
  await repairOrphans(session, nowMs);
  await session.query("delete from @lane_counter");
  await session.query(
    `insert into @lane_counter (lane, stripe, ${stateNames.join(", ")})
     select l.id, 0, ${stateNames
       .map((state) => `count(*) filter (where t.state = ${taskStates[state]})`)
       .join(", ")}
     from @lane l join @task t on t.lane = l.id group by l.id`,
  );
  await session.query(
    `update @lane l set is_ready = l.gate <> '' and ${best("id")} is not null,
       top = case when l.gate = '' then 0 else coalesce(${best("priority")}, 0) end,
       head = case when l.gate = '' then 0 else coalesce(${best("id")}, 0) end`,
  );
  await session.query(
    `update @gate g set running = ${runningOfGate},
       run_slots = case when ${runningOfGate} = 0 then 0 else g.run_slots end`,
  );
  await session.query(`update @gate g set has_room = ${hasRoom}, open_from = ${openFrom}`);
  await session.query("update @gate g set is_open = g.has_room and g.open_from <= $1", [nowMs]);
  await session.query(
    `update @lane l set is_open = l.gate = ''
       or coalesce((select g.is_open from @gate g where g.name = l.gate), false)`,
  );
  await session.query(
    `insert into @job_counter as c (job, stripe, slots, added, over_budget, pending, running,
       done, skipped, failed, served)
     select j.name, 0, ${slotsOfJob} - ${counted("slots")}, 0, 0,
       ${ofJob("ready + scheduled + backoff + suspect")} - ${counted("pending")},
       ${ofJob("running")} - ${counted("running")}, 0, 0, 0, 0
     from @job j
     on conflict (job, stripe) do update set slots = c.slots + excluded.slots,
       pending = c.pending + excluded.pending, running = c.running + excluded.running`,
  );
  await session.query(
    `update @claim c set open = ${openOfClaim}, is_open = ${openOfClaim} > 0
     where c.open <> ${openOfClaim}`,
  );
}

const best = (column: string) => `(select t.${column} from @task t
  where t.lane = l.id and t.state = ${taskStates.ready} order by t.priority desc, t.id limit 1)`;

const runningOfGate = `(select count(*)::int from @task t join @lane l on l.id = t.lane
  where l.gate = g.name and l.gate <> '' and t.state = ${taskStates.running})`;
const hasRoom = `(case when g.run_slots > 0 or g.delay_ms > 0 or g.capacity = 1
  then g.running = 0 else g.running < g.capacity end)`;
const openFrom = "greatest(g.blocked_until, g.opens_at)";

const counted = (column: string) => `(select coalesce(sum(c.${column}), 0)::bigint
  from @job_counter c where c.job = j.name)`;
const ofJob = (sum: string) => `(select coalesce(sum(${sum}), 0)::bigint
  from @lane_counter k join @lane l on l.id = k.lane where l.job = j.name)`;
/** A run counts as many slots as it may run tasks at once. */
const slotsOfJob = `(select coalesce(sum(case when coalesce(g.run_slots, 0) > 0
    then least(g.run_slots, s.running) else s.running end), 0)::bigint
  from (select l.gate, sum(k.running) as running from @lane_counter k
    join @lane l on l.id = k.lane where l.job = j.name group by l.id) s
  left join @gate g on g.name = s.gate)`;
const openOfClaim = `(select count(*)::int from unnest(c.ids) as u (id)
  join @task t on t.id = u.id where t.token = c.token and t.state = ${taskStates.running})`;

const laneLabel = "l.kind || '/' || l.job || '/' || l.gate";
const compare = (label: string, counter: string, actual: string, from: string) =>
  `select * from (select ${label} as counter, (${counter})::bigint as counted,
     (${actual})::bigint as actual from ${from}) x where counted is distinct from actual`;

/** Each one returns rows (counter, counted, actual) that differ. */
const comparisons: readonly string[] = [
  ...stateNames.map(
    (state) =>
      `select 'lane ' || ${laneLabel} || ' ${state}' as counter, coalesce(c.n, 0)::bigint as counted,
         coalesce(a.n, 0)::bigint as actual
       from @lane l
       left join (select lane, sum(${state}) as n from @lane_counter group by lane) c
         on c.lane = l.id
       left join (select lane, count(*) as n from @task where state = ${taskStates[state]}
         group by lane) a on a.lane = l.id
       where coalesce(c.n, 0) <> coalesce(a.n, 0)`,
  ),
  compare(
    `'lane ' || ${laneLabel} || ' head'`,
    "case when l.is_ready then l.head else 0 end",
    `coalesce(${best("id")}, 0)`,
    "@lane l where l.gate <> ''",
  ),
  compare(
    `'lane ' || ${laneLabel} || ' top'`,
    "l.top",
    `coalesce(${best("priority")}, 0)`,
    "@lane l where l.gate <> '' and l.is_ready",
  ),
  compare("'gate ' || g.name || ' running'", "g.running", runningOfGate, "@gate g"),
  compare("'gate ' || g.name || ' runSlots'", "g.run_slots", "0", "@gate g where g.running = 0"),
  compare("'gate ' || g.name || ' hasRoom'", "g.has_room::int", `${hasRoom}::int`, "@gate g"),
  compare("'gate ' || g.name || ' openFrom'", "g.open_from", openFrom, "@gate g"),
  // A lane that could be open but is not marked open is not an error: the next claim opens it.
  compare(
    "'gate ' || g.name || ' isOpen'",
    "g.is_open::int",
    "(g.has_room and g.open_from <= $1::bigint)::int",
    "@gate g where g.is_open",
  ),
  // A lane that is marked open although its gate is closed is not an error either: a claim corrects
  // it.
  compare(
    `'lane ' || ${laneLabel} || ' isOpen'`,
    "l.is_open::int",
    "1",
    "@lane l left join @gate g on g.name = l.gate where l.gate = '' or g.is_open",
  ),
  compare(
    "'job ' || j.name || ' pending'",
    counted("pending"),
    ofJob("ready + scheduled + backoff + suspect"),
    "@job j",
  ),
  compare("'job ' || j.name || ' running'", counted("running"), ofJob("running"), "@job j"),
  compare("'job ' || j.name || ' slots'", counted("slots"), slotsOfJob, "@job j"),
  compare("'claim ' || c.token || ' open'", "c.open", openOfClaim, "@claim c"),
];
