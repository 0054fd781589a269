import { taskStates } from "../../../row-state.ts";
import { hasRoom, isOpen, openFromMs, type Gate } from "../../../gate.ts";
import type { Job } from "../../../job.ts";
import type { PostgresSession } from "../connection/database.ts";

/** A gate's row; `wasOpen` is the state that its lanes have in `is_open`. */
export interface PostgresGateRow extends Gate {
  readonly wasOpen: boolean;
}

export interface PostgresLaneRow {
  readonly id: number;
  readonly kind: string;
  readonly job: string;
  readonly gate: string;
  readonly scope: number;
}

export const gateColumns = `name, delay_ms as "delayMs", capacity as "limit",
  blocked_until as "blockedUntilMs", opens_at as "opensAtMs", running, run_slots as "runSlots"`;

export const selectGates = `select ${gateColumns}, is_open as "wasOpen" from @gate`;

export const toGate = ({ wasOpen: _wasOpen, ...gate }: PostgresGateRow): Gate => gate;

export const jobColumns = `j.name, j.is_paused as "isPaused", j.is_sealed as "isSealed", j.ended,
  j.concurrency, j.budget, j.gate, j.completions, j.opened_at as "openedAtMs",
  j.ended_at as "endedAtMs"`;

const counters = (column: string) => `coalesce(sum(c.${column}), 0)::bigint`;

/** With all counters, summed over the stripes. */
export const selectJobs = `select ${jobColumns}, ${counters("slots")} as slots,
    ${counters("added")} as added, ${counters("over_budget")} as "overBudget",
    ${counters("pending")} as pending, ${counters("running")} as running,
    ${counters("done")} as done, ${counters("skipped")} as skipped,
    ${counters("failed")} as failed, ${counters("requests")} as requests, coalesce(max(c.served), 0)::bigint as served
  from @job j left join @job_counter c on c.job = j.name`;

export type JobSettingsRow = Omit<
  Job,
  | "slots"
  | "added"
  | "overBudget"
  | "pending"
  | "running"
  | "done"
  | "skipped"
  | "failed"
  | "served"
  | "requests"
>;

/** Without counters: a transaction counts only its own changes of a job. */
export const uncounted = (row: JobSettingsRow): Job => ({
  ...row,
  slots: 0,
  added: 0,
  overBudget: 0,
  pending: 0,
  running: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  served: 0,
  requests: 0,
});

/** Writes locked gates, and `is_open` of their lanes. */
export function writeGates(
  session: PostgresSession,
  gates: readonly Gate[],
  nowMs: number,
  laneIds?: readonly number[],
): void {
  if (gates.length === 0) return;
  const column = <T>(of: (gate: Gate) => T) => gates.map(of);
  const opens = column((gate) => isOpen(gate, nowMs));
  const names = column((gate) => gate.name);
  session.send(
    `update @gate g set delay_ms = u.delay_ms, capacity = u.capacity,
       blocked_until = u.blocked_until, opens_at = u.opens_at, running = u.running,
       run_slots = u.run_slots, open_from = u.open_from, has_room = u.has_room, is_open = u.is_open
     from unnest($1::text[], $2::bigint[], $3::int[], $4::bigint[], $5::bigint[], $6::int[],
       $7::int[], $8::bigint[], $9::bool[], $10::bool[])
       as u (name, delay_ms, capacity, blocked_until, opens_at, running, run_slots, open_from,
         has_room, is_open)
     where g.name = u.name`,
    [
      names,
      column((gate) => gate.delayMs),
      column((gate) => gate.limit),
      column((gate) => gate.blockedUntilMs),
      column((gate) => gate.opensAtMs),
      column((gate) => gate.running),
      column((gate) => gate.runSlots),
      column(openFromMs),
      column(hasRoom),
      opens,
    ],
  );
  session.send(
    `update @lane l set is_open = u.is_open
     from unnest($1::text[], $2::bool[]) as u (gate, is_open)
     where l.gate = u.gate and l.is_open <> u.is_open and l.gate <> ''
       and ($3::bigint[] is null or l.id = any($3))`,
    [names, opens, laneIds ?? null],
  );
}

/**
 * Updates `is_ready`, `top` and `head` of these lanes from their tasks. The lanes must have gates
 * and be locked.
 */
export function writeHeads(session: PostgresSession, laneIds: readonly number[]): void {
  if (laneIds.length === 0) return;
  session.send(
    `update @lane l set is_ready = best.id is not null, top = coalesce(best.priority, 0),
       head = coalesce(best.id, 0)
     from unnest($1::bigint[]) as u (id) left join lateral (
       select t.priority, t.id from @task t where t.lane = u.id and t.state = ${taskStates.ready}
       order by t.priority desc, t.id limit 1) best on true
     where l.id = u.id and (l.is_ready, l.top, l.head) is distinct from
       (best.id is not null, coalesce(best.priority, 0), coalesce(best.id, 0))`,
    [laneIds],
  );
}

/** Locks the lanes of these gates, and these lanes, in the order that all transactions use. */
export const lockLanes = (
  session: PostgresSession,
  { gates, ids }: { readonly gates: readonly string[]; readonly ids: readonly number[] },
): Promise<readonly PostgresLaneRow[]> =>
  gates.length === 0 && ids.length === 0
    ? Promise.resolve([])
    : session.query(
        `select id, kind, job, gate, scope from @lane
         where gate <> '' and (gate = any($1::text[]) or id = any($2::bigint[]))
         order by id for no key update`,
        [gates, ids],
      );

export const lockGates = (
  session: PostgresSession,
  names: readonly string[],
): Promise<readonly PostgresGateRow[]> =>
  names.length === 0
    ? Promise.resolve([])
    : session.query(`${selectGates} where name = any($1::text[]) order by name for no key update`, [
        names,
      ]);
