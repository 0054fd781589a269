import { taskStates } from "../../../row-state.ts";
import { isOpen, isOwned } from "../../../gate.ts";
import { slotsLeft } from "../../../job.ts";
import type { Claim } from "../../../operation.ts";
import type {
  ClaimJob,
  ClaimLane,
  ClaimState,
  PostgresLanePick,
  PostgresReadyRow,
} from "./claim-rows.ts";
import type { PostgresSession } from "../connection/database.ts";

/**
 * A lane that is still to be visited: `top` and `head` are the priority and id of its best
 * remaining task.
 */
interface Stop extends ClaimLane {
  top: number;
  head: number;
  /** Locked for this claim, best first; undefined if only the head is known. */
  tasks?: readonly PostgresReadyRow[];
}

/** The open lanes of one job, best first. */
interface Cursor {
  readonly job: string;
  readonly stops: Stop[];
}

/**
 * Picks tasks from the best open lanes like the model: highest priority first, then the job that
 * has waited longest, then the oldest task. For each job with open lanes, it reads only as many
 * lanes as the claim could use, and locks only lanes from which it is about to take.
 */
export function createLaneWalk(
  claimState: ClaimState,
  found: readonly StopRow[],
): { next(left: number): Promise<PostgresLanePick | undefined> } {
  const cursors = cursorsOf(found);
  const served = ({ job }: Cursor) => claimState.job(job)?.served ?? 0;
  const servedBefore = Math.max(0, ...cursors.map(served));

  const isOpenStop = ({ gate: name }: Stop) => {
    const gate = claimState.gate(name);
    return !gate || isOpen(gate, claimState.now.ms);
  };
  /**
   * False if the job has nothing to pick. Once closed, a job or lane stays closed for this claim.
   */
  function dropClosed({ job: name, stops }: Cursor): boolean {
    const job = claimState.job(name);
    if (!job || slotsLeft(job) === 0) return false;
    while (stops[0] && !isOpenStop(stops[0])) stops.shift();
    return stops.length > 0;
  }

  /** Locks and reads the tasks of these lanes; drops lanes without a task that we can lock. */
  async function load(wanted: readonly Stop[], left: number): Promise<void> {
    const moving = new Set(wanted);
    for (const { stops } of cursors) {
      const kept = stops.filter((stop) => !moving.has(stop));
      stops.splice(0, stops.length, ...kept);
    }
    // If there are several lanes, read one more task to know the next priority in each lane. With a
    // single lane that is not needed, and another worker may take the task.
    const size = found.length > 1 ? left + 1 : left;
    const rows = await claimState.load({ lanes: wanted, size });
    for (const stop of wanted) {
      const cursor = cursors.find(({ job }) => job === stop.job)!;
      putBack(cursor, { ...stop, tasks: rows.get(stop.id) ?? [] });
    }
  }

  function pickFrom(cursor: Cursor, others: readonly Cursor[], left: number): PostgresLanePick {
    const stop = cursor.stops.shift()!;
    const tasks = stop.tasks!;
    const gate = claimState.gate(stop.gate);
    const room = Math.min(left, slotsLeft(claimState.job(stop.job)!));
    if (gate && isOwned(gate)) {
      const slots = Math.min(gate.limit, tasks.length, room);
      return { lane: stop, tasks, slots, pace: claimState.enter(stop, tasks.length, slots) };
    }
    const rivals = [cursor, ...others.filter(({ stops }) => stops[0]!.top === stop.top)];
    const unserved = rivals.filter((rival) => served(rival) <= servedBefore).length;
    // The rest is shared equally by the jobs that have not been served in this claim.
    const share = Math.max(1, Math.floor(left / (unserved || rivals.length)));
    const size = Math.min(room, share, gate ? gate.limit - gate.running : Infinity);
    // Do not take tasks with a lower priority than the best task of another lane.
    const next = cursor.stops.find(isOpenStop);
    const floor = Math.max(next?.top ?? 0, ...others.map(({ stops }) => stops[0]!.top));
    const taken = tasks.slice(0, size).filter(({ priority }) => priority >= floor);
    putBack(cursor, { ...stop, tasks: tasks.slice(taken.length) });
    return {
      lane: stop,
      tasks: taken,
      slots: taken.length,
      pace: claimState.enter(stop, taken.length, taken.length),
    };
  }

  return {
    async next(left) {
      for (;;) {
        const open = cursors.filter(dropClosed);
        const best = bestOf(open, served);
        if (!best) return undefined;
        if (best.stops[0]!.tasks) {
          return pickFrom(
            best,
            open.filter((cursor) => cursor !== best),
            left,
          );
        }
        await load(ahead(open, served, left), left);
      }
    },
  };
}

function bestOf(open: readonly Cursor[], served: (cursor: Cursor) => number): Cursor | undefined {
  let best: Cursor | undefined;
  for (const cursor of open) if (!best || byTurn(cursor, best) < 0) best = cursor;
  return best;

  function byTurn(a: Cursor, b: Cursor): number {
    const [x, y] = [a.stops[0]!, b.stops[0]!];
    return y.top - x.top || served(a) - served(b) || x.head - y.head;
  }
}

/** The lanes from which the claim will take next, if every pick uses one slot. */
function ahead(
  open: readonly Cursor[],
  served: (cursor: Cursor) => number,
  left: number,
): readonly Stop[] {
  const chosen: Stop[] = [];
  const turns = new Map<string, number>();
  const copies = open.map(({ job, stops }) => ({ job, stops: [...stops] }));
  for (let turn = Number.MAX_SAFE_INTEGER - 1e6; chosen.length < left; turn++) {
    const best = bestOf(
      copies.filter(({ stops }) => stops.length > 0),
      (cursor) => turns.get(cursor.job) ?? served(cursor),
    );
    if (!best) break;
    const stop = best.stops.shift()!;
    turns.set(best.job, turn);
    if (!stop.tasks) chosen.push(stop);
  }
  return chosen;
}

function cursorsOf(stops: readonly Stop[]): readonly Cursor[] {
  const byJob = new Map<string, Stop[]>();
  for (const stop of stops) {
    const known = byJob.get(stop.job);
    if (known) known.push(stop);
    else byJob.set(stop.job, [stop]);
  }
  return [...byJob].map(([job, own]) => ({ job, stops: own.sort(byHead) }));
}

/** Inserts the lane by its current head. A lane without tasks is not inserted. */
function putBack({ stops }: Cursor, stop: Stop): void {
  const head = stop.tasks?.[0];
  if (!head) return;
  const now = { ...stop, top: head.priority, head: head.id };
  const index = stops.findIndex((other) => byHead(now, other) < 0);
  stops.splice(index < 0 ? stops.length : index, 0, now);
}

const byHead = (a: Stop, b: Stop) => b.top - a.top || a.head - b.head;

export type StopRow = ClaimLane &
  Pick<Stop, "top" | "head"> &
  Pick<ClaimJob, "concurrency" | "slots" | "served">;

export const stopJobs = (stops: readonly StopRow[]): readonly ClaimJob[] =>
  stops.map(({ job, concurrency, slots, served }) => ({ name: job, concurrency, slots, served }));

/**
 * Lanes without a gate are few, so their tasks are checked. Lanes with a gate come from an index of
 * open lanes in claim order, one step per job, so closed lanes cost nothing.
 */
export const readStops = (
  session: PostgresSession,
  { kinds, limit }: Claim,
): Promise<readonly StopRow[]> =>
  session.query(
    `with recursive open_job (job) as (
       (select l.job from @lane l where l.is_open and l.is_ready order by l.job limit 1)
       union all
       select (select l.job from @lane l where l.is_open and l.is_ready and l.job > o.job
         order by l.job limit 1)
       from open_job o where o.job is not null),
     counted as materialized (
       select j.name, j.concurrency, c.slots, c.served
       from @job j cross join lateral (select coalesce(sum(k.slots), 0)::bigint as slots,
         coalesce(max(k.served), 0)::bigint as served from @job_counter k where k.job = j.name) c
       where j.ended is null and not j.is_paused
         and (j.concurrency is null or j.concurrency > c.slots)
         and (j.name in (select job from open_job) or exists (
           select 1 from @lane l where l.job = j.name and l.gate = '')))
     select l.id, l.kind, l.job, l.gate, l.top, l.head, j.concurrency, j.slots, j.served
     from open_job o join counted j on j.name = o.job
     cross join unnest($1::text[]) as k (kind)
     cross join lateral (
       select m.id, m.kind, m.job, m.gate, m.top, m.head from @lane m
       where m.job = o.job and m.kind = k.kind and m.is_open and m.is_ready
       order by m.top desc, m.head limit $2) l
     union all
     select l.id, l.kind, l.job, l.gate, h.priority, h.id, j.concurrency, j.slots, j.served
     from @lane l join counted j on j.name = l.job
     cross join lateral (
       select t.priority, t.id from @task t where t.lane = l.id and t.state = ${taskStates.ready}
       order by t.priority desc, t.id limit 1) h
     where l.gate = '' and l.kind = any($1::text[])`,
    // Each pick uses a slot, and closes at most one lane of another kind.
    [[...new Set(kinds)], 2 * limit + 2],
  );
