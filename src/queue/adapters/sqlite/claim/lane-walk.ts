import { burstLimit, isOpen, isOwned } from "../../../gate.ts";
import { isClaimable, slotsLeft } from "../../../job.ts";
import type { Claim } from "../../../operation.ts";
import { createSortedMerge, type SourcePage, type RankedItem } from "./sorted-merge.ts";
import type { JobRow, SqliteLaneRow } from "../write/rows.ts";
import { statement } from "../connection/statement.ts";
import { readTurns } from "./turns.ts";
import type { SqliteReadyRow, Unit } from "../write/unit.ts";

export interface SqliteLanePick {
  readonly lane: SqliteLaneRow;
  readonly tasks: readonly SqliteReadyRow[];
  /** The slots that it uses of the worker and of the job's cap. */
  readonly slots: number;
}

/**
 * Picks tasks from the best open lanes: highest priority first, then the job that has waited
 * longest, then the oldest task. It reads only the turns and lanes that it considers, and applies
 * each pick to the cached rows. Everything must have been flushed before.
 */
export function createLaneWalk(
  unit: Unit,
  request: Claim,
  servedBefore: number,
): { next(left: number): SqliteLanePick | undefined } {
  const cursors = createSortedMerge<Cursor>({
    sources: request.kinds.map(
      (kind) => (page) =>
        readTurns(unit.db, kind, page).map(({ item: job, rank }) => ({
          item: { job: unit.rows.job(job), lanes: createLanes(unit, job, kind) },
          rank,
        })),
    ),
    rankOf({ job, lanes }) {
      if (!job || !isClaimable(job)) return undefined;
      for (const lane of lanes) return [-lane.top, job.served, lane.head];
      return undefined;
    },
  });
  return { next: (left) => pickBest(unit, request, cursors, { left, servedBefore }) };
}

/** The open lanes of one job and kind, best first. */
interface Cursor {
  readonly job: JobRow | undefined;
  readonly lanes: Iterable<SqliteLaneRow>;
}

const createLanes = (unit: Unit, job: string, kind: string): Iterable<SqliteLaneRow> =>
  createSortedMerge({
    sources: [(page) => readLanes(unit, job, kind, page)],
    rankOf: (lane) =>
      lane.ready > 0 && isOpenNow(unit, lane) ? [-lane.top, lane.head] : undefined,
  });

interface Left {
  readonly left: number;
  readonly servedBefore: number;
}

function pickBest(
  unit: Unit,
  request: Claim,
  cursors: Iterable<Cursor>,
  { left, servedBefore }: Left,
): SqliteLanePick | undefined {
  const [best] = cursors;
  const [lane, next] = best?.lanes ?? [];
  if (!best?.job || !lane) return undefined;
  const room = Math.min(left, slotsLeft(best.job));
  const gate = unit.rows.gate(lane.gate);
  if (gate && isOwned(gate)) {
    const tasks = readTasks(unit, lane, burstLimit(gate, request.leaseMs, request.burst), 0);
    return { lane, tasks, slots: Math.min(gate.limit, tasks.length, room) };
  }
  const most = Math.min(room, lane.ready, gate ? gate.limit - gate.running : Infinity);
  const size = most > 1 ? Math.min(most, shareOf(cursors, lane.top, { left, servedBefore })) : 1;
  // Do not take tasks with a lower priority than the best task of another lane.
  const [, second] = size > 1 ? cursors : [];
  const [rival] = second?.lanes ?? [];
  const tasks = readTasks(unit, lane, size, Math.max(next?.top ?? 0, rival?.top ?? 0));
  return { lane, tasks, slots: tasks.length };
}

/** The rest is shared equally by the jobs that have not been served in this claim. */
function shareOf(cursors: Iterable<Cursor>, top: number, { left, servedBefore }: Left): number {
  const jobs = new Set<JobRow>();
  let isUnserved = false;
  for (const { job, lanes } of cursors) {
    const [lane] = lanes;
    if (!job || lane?.top !== top) break;
    // At equal priority, these come before all jobs that were served.
    if (job.served <= servedBefore) isUnserved = true;
    else if (isUnserved) break;
    jobs.add(job);
    // Each job gets one task; more jobs would make no difference.
    if (2 * jobs.size > left) return 1;
  }
  return Math.floor(left / jobs.size);
}

/** The lane's best tasks, and one more row, which becomes its head when they are taken. */
function readTasks(
  { sql }: Unit,
  lane: SqliteLaneRow,
  size: number,
  floor: number,
): readonly SqliteReadyRow[] {
  const found = sql.readReady.all(lane.id, size + 1) as SqliteReadyRow[];
  const isServed = ([, , , priority]: SqliteReadyRow, index: number) =>
    index === 0 || priority >= floor;
  const tasks = found.slice(0, size).filter(isServed);
  const [head = 0, , , top = 0] = found[tasks.length] ?? [];
  lane.top = top;
  lane.head = head;
  return tasks;
}

function readLanes(
  { db, rows }: Unit,
  job: string,
  kind: string,
  { limit, offset }: SourcePage,
): readonly RankedItem<SqliteLaneRow>[] {
  const found = statement(
    db,
    `select id, top, head from lane where job = ? and kind = ? and is_open = 1 and ready > 0
     order by top desc, head limit ? offset ?`,
  )
    .raw()
    .all(job, kind, limit, offset) as [id: number, top: number, head: number][];
  return found.map(([id, top, head]) => ({ item: rows.lane(id), rank: [-top, head] }));
}

const isOpenNow = ({ rows, now }: Unit, lane: SqliteLaneRow): boolean => {
  const gate = rows.gate(lane.gate);
  return !gate || isOpen(gate, now.ms);
};
