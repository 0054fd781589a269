import { burstLimit, isOpen, isOwned } from "../../gate.ts";
import { isClaimable, slotsLeft } from "../../job.ts";
import type { Claim } from "../../operation.ts";
import type { JobRow, LaneRow } from "./rows.ts";
import { statement } from "./statement.ts";
import type { ReadyRow, Unit } from "./unit.ts";

export interface Pick {
  readonly lane: LaneRow;
  readonly tasks: readonly ReadyRow[];
  /** Of the worker and of the job's cap. */
  readonly slots: number;
}

/**
 * Hands out the best open lane's tasks, pick by pick: highest priority first, equal ones to the
 * job that waited longest, then the oldest. It reads, for each job that has open lanes, only as
 * many of them as the claim could use; what a pick changes is followed in the cached rows.
 */
export function createLaneWalk(
  unit: Unit,
  request: Claim,
  servedBefore: number,
): { next(left: number): Pick | undefined } {
  const { rows } = unit;
  const cursors: Cursor[] = [];
  for (const name of openJobs(unit)) {
    const job = rows.job(name);
    if (!job || !isClaimable(job)) continue;
    for (const kind of request.kinds) {
      // Each pick uses a slot, and closes at most one lane of another cursor.
      const lanes = readLanes(unit, name, kind, 2 * request.limit + 2);
      if (lanes.length > 0) cursors.push({ job, lanes });
    }
  }

  return {
    next(left) {
      const open = cursors.filter((cursor) => dropClosed(unit, cursor));
      const best = open.reduce<Cursor | undefined>(
        (found, cursor) => (found && byCursor(found, cursor) <= 0 ? found : cursor),
        undefined,
      );
      return best && pickFrom(unit, request, best, open, { left, servedBefore });
    },
  };
}

/** The open lanes of one job and kind, best first. */
interface Cursor {
  readonly job: JobRow;
  readonly lanes: LaneRow[];
}

/** False when nothing of the cursor can be picked. What closes in a claim stays closed in it. */
function dropClosed(unit: Unit, { job, lanes }: Cursor): boolean {
  if (!isClaimable(job)) return false;
  while (lanes[0] && (lanes[0].ready === 0 || !isOpenNow(unit, lanes[0]))) lanes.shift();
  return lanes.length > 0;
}

function pickFrom(
  unit: Unit,
  request: Claim,
  cursor: Cursor,
  open: readonly Cursor[],
  { left, servedBefore }: { readonly left: number; readonly servedBefore: number },
): Pick {
  const lane = cursor.lanes.shift()!;
  const room = Math.min(left, slotsLeft(cursor.job));
  const gate = unit.rows.gate(lane.gate);
  if (gate && isOwned(gate)) {
    const tasks = readTasks(unit, lane, burstLimit(gate, request.leaseMs, request.burst), 0);
    return { lane, tasks, slots: Math.min(gate.limit, tasks.length, room) };
  }
  const rivals = open.filter((other) => other.lanes[0]?.top === lane.top || other === cursor);
  const jobs = new Set(rivals.map(({ job }) => job));
  const unserved = [...jobs].filter((job) => job.served <= servedBefore).length;
  // What is left goes in equal parts to the jobs that had no turn in this claim yet.
  const share = Math.max(1, Math.floor(left / (unserved || jobs.size)));
  const size = Math.min(room, share, gate ? gate.limit - gate.running : Infinity);
  // Beyond its head a lane is not served before a better task of another lane.
  const next = cursor.lanes.find((other) => other.ready > 0 && isOpenNow(unit, other));
  const floor = Math.max(
    next?.top ?? 0,
    ...open.map((other) => (other === cursor ? 0 : other.lanes[0]!.top)),
  );
  const tasks = readTasks(unit, lane, size, floor);
  if (tasks.length < lane.ready) putBack(cursor, lane);
  return { lane, tasks, slots: tasks.length };
}

function putBack({ lanes }: Cursor, lane: LaneRow): void {
  const index = lanes.findIndex((other) => byHead(lane, other) < 0);
  lanes.splice(index < 0 ? lanes.length : index, 0, lane);
}

/** The lane's best tasks, and with one row more what will be its head when they are gone. */
function readTasks({ sql }: Unit, lane: LaneRow, size: number, floor: number): readonly ReadyRow[] {
  const found = sql.readReady.all(lane.id, size + 1) as ReadyRow[];
  const isServed = ([, , , priority]: ReadyRow, index: number) => index === 0 || priority >= floor;
  const tasks = found.slice(0, size).filter(isServed);
  const [head = 0, , , top = 0] = found[tasks.length] ?? [];
  lane.top = top;
  lane.head = head;
  return tasks;
}

/** Loose index scan: one step for each job that has an open lane, however many lanes it has. */
function openJobs({ db }: Unit): readonly string[] {
  return statement(
    db,
    `with recursive open_job (job) as (
       select min(job) from lane where is_open = 1 and ready > 0
       union all
       select (select min(job) from lane where is_open = 1 and ready > 0 and job > open_job.job)
       from open_job where open_job.job is not null)
     select job from open_job where job is not null`,
  )
    .pluck()
    .all() as string[];
}

function readLanes({ db, rows }: Unit, job: string, kind: string, limit: number): LaneRow[] {
  const found = statement(
    db,
    `select id from lane where job = ? and kind = ? and is_open = 1 and ready > 0
     order by top desc, head limit ?`,
  )
    .pluck()
    .all(job, kind, limit) as number[];
  return found.map((id) => rows.lane(id));
}

const isOpenNow = ({ rows, now }: Unit, lane: LaneRow): boolean => {
  const gate = rows.gate(lane.gate);
  return !gate || isOpen(gate, now.ms);
};

const byHead = (a: LaneRow, b: LaneRow) => b.top - a.top || a.head - b.head;

const byCursor = (a: Cursor, b: Cursor) =>
  b.lanes[0]!.top - a.lanes[0]!.top ||
  a.job.served - b.job.served ||
  a.lanes[0]!.head - b.lanes[0]!.head;
