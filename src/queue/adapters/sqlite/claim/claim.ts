import { isOwned } from "../../../gate.ts";
import { isClaimable } from "../../../job.ts";
import { nextToken, repeatedClaim } from "../../../model/claim.ts";
import { expiryMs } from "../../../model/now.ts";
import type { ClaimRecord } from "../../../model/shard.ts";
import type { Claim, Claimed } from "../../../operation.ts";
import { taskStates } from "../../../row-state.ts";
import { taskColumns, type TaskRow } from "../../../slice/task-row.ts";
import type { Lease, Pace } from "../../../task.ts";
import { bucketOf } from "../../../read/wait-histogram.ts";
import { sliceOf } from "../write/load-slice.ts";
import { createLaneWalk, type SqliteLanePick } from "./lane-walk.ts";
import { promote } from "./promote.ts";
import type { SqliteLaneRow } from "../write/rows.ts";
import { statement } from "../connection/statement.ts";
import { sweep } from "../write/sweep.ts";
import { move, type SqliteReadyRow, type Unit } from "../write/unit.ts";

/** Like the model's `claim`, but finds lanes through their index instead of reading all tasks. */
export function claim(unit: Unit, request: Claim): Claimed {
  unit.flush();
  const before = repeated(unit, request);
  if (before) return before;
  sweep(unit);
  unit.flush();

  const { holdsAny, holdsSuspect } = heldBy(unit, request.worker);
  if (holdsSuspect) return { leases: [], hasSuspect: false };
  promote(unit);
  const token = nextToken(unit.meta.lastToken, unit.now.ms);
  const suspect = bestSuspect(unit, request.kinds);
  const taken: Taken = { leases: [], lanes: new Set() };
  if (suspect && !holdsAny) {
    take(unit, request, token, { ...suspect, slots: 1 }, taken, "suspect");
  } else {
    let left = request.limit;
    const walk = createLaneWalk(unit, request, unit.meta.served);
    for (let pick = walk.next(left); pick; pick = left > 0 ? walk.next(left) : undefined) {
      take(unit, request, token, pick, taken, "ready");
      left -= pick.slots;
    }
  }
  if (taken.leases.length > 0) record(unit, request, token, taken);
  return { leases: taken.leases, hasSuspect: suspect !== undefined && holdsAny };
}

/** What a claim has leased so far, and from which lanes. */
interface Taken {
  readonly leases: Lease[];
  readonly lanes: Set<SqliteLaneRow>;
}

/** Leases tasks of one lane. All tasks of an owned gate are one run. */
function take(
  unit: Unit,
  { leaseMs }: Claim,
  token: number,
  { lane, tasks, slots }: SqliteLanePick,
  { leases, lanes }: Taken,
  from: "ready" | "suspect",
): void {
  const { rows, sql, now } = unit;
  const job = rows.jobForWrite(lane.job);
  job.slots += slots;
  job.served = unit.meta.served += 1;
  const pace = enterGate(unit, lane, tasks.length, slots);
  const expiresAtMs = expiryMs(now, leaseMs);
  sql.leaseAll.run(token, expiresAtMs, JSON.stringify(tasks.map(([id]) => id)));
  for (const task of tasks) {
    noteWait(unit, lane.kind, task);
    leases.push(toLease(lane, task, { token, isSuspect: from === "suspect", leaseMs, pace }));
  }
  lanes.add(lane);
  const { isHeadStale } = lane;
  move(unit, lane, from, "running", tasks.length);
  // The walk has already read the lane's next best task.
  lane.isHeadStale = isHeadStale;
}

function enterGate(
  { rows }: Unit,
  lane: SqliteLaneRow,
  size: number,
  slots: number,
): Pace | undefined {
  if (lane.gate === "") return undefined;
  const gate = rows.gateForWrite(lane.gate);
  const isRun = isOwned(gate);
  gate.running += size;
  gate.runSlots = isRun ? slots : 0;
  return { delayMs: gate.delayMs, limit: isRun ? slots : gate.limit, isRun };
}

/** The fields of a lease that do not come from its task. */
interface LeaseTerms {
  readonly token: number;
  readonly isSuspect: boolean;
  readonly leaseMs: number;
  readonly pace: Pace | undefined;
}

function toLease(
  lane: SqliteLaneRow,
  task: SqliteReadyRow,
  { token, isSuspect, leaseMs, pace }: LeaseTerms,
): Lease {
  const [id, key, payload, priority, , createdAtMs, used, attemptsMax] = task;
  const lease: Lease = {
    id,
    token,
    kind: lane.kind,
    job: lane.job,
    gate: lane.gate,
    key,
    payload,
    priority,
    createdAtMs,
    used: used + 1,
    attemptsMax,
    isSuspect,
    leaseMs,
  };
  return pace ? Object.assign(lease, { pace }) : lease;
}

function noteWait({ waits, now }: Unit, kind: string, task: SqliteReadyRow): void {
  const [, , , , dueAtMs, createdAtMs] = task;
  const bucket = bucketOf(Math.min(now.ms - createdAtMs, now.wallMs - dueAtMs));
  let buckets = waits.get(kind);
  if (!buckets) waits.set(kind, (buckets = new Map()));
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
}

function bestSuspect(
  unit: Unit,
  kinds: readonly string[],
): Omit<SqliteLanePick, "slots"> | undefined {
  const { db, rows, sql } = unit;
  const lanes = statement(
    db,
    "select id, kind from lane where is_open = 1 and suspects > 0",
  ).all() as { id: number; kind: string }[];
  let best: { readonly lane: SqliteLaneRow; readonly tasks: readonly [SqliteReadyRow] } | undefined;
  for (const { id, kind } of lanes) {
    const lane = rows.lane(id);
    const job = rows.job(lane.job);
    if (!kinds.includes(kind) || !job || !isClaimable(job)) continue;
    const task = sql.readSuspect.get(id) as SqliteReadyRow;
    const [rivalId = 0, , , rivalPriority = -1] = best?.tasks[0] ?? [];
    const [taskId, , , priority] = task;
    const isBetter = priority > rivalPriority || (priority === rivalPriority && taskId < rivalId);
    if (isBetter) best = { lane, tasks: [task] };
  }
  return best;
}

function record(
  { db, now, meta, laneOfClaim }: Unit,
  { requestId, worker, leaseMs }: Claim,
  token: number,
  { leases, lanes }: Taken,
): void {
  meta.lastToken = token;
  const [only] = lanes;
  if (only && lanes.size === 1) laneOfClaim.set(token, only.id);
  statement(db, "insert into claim values (?, ?, ?, ?, ?, ?, ?, ?)").run(
    token,
    requestId,
    worker,
    leases.length,
    leases.some((lease) => lease.isSuspect) ? 1 : 0,
    leaseMs,
    now.lateMs,
    expiryMs(now, leaseMs),
  );
}

/** Repeats the claims of this request that are still in the file, by the rules of the model. */
function repeated(unit: Unit, request: Claim): Claimed | undefined {
  const { db } = unit;
  const known = statement(
    db,
    `select token, open, lease_ms as leaseMs, made_at + lease_ms as expiresAtMs from claim
     where request_id = ? and worker = ?`,
  ).all(request.requestId, request.worker) as KnownClaim[];
  if (known.length === 0) return undefined;
  const leased = statement(
    db,
    `select ${taskColumns} from task t join lane l on l.id = t.lane
     where t.token = ? and t.state = ${taskStates.running}`,
  );
  const tasks = known.flatMap(({ token }) => leased.all(token) as TaskRow[]);
  const { draft } = sliceOf(unit, tasks);
  for (const { token, ...rest } of known) {
    const ids = tasks.filter((task) => task.token === token).map(({ id }) => id);
    const { requestId, worker } = request;
    draft.claims.set(token, { requestId, worker, ids, hasSuspect: false, ...rest });
  }
  return repeatedClaim(draft, request);
}

type KnownClaim = Pick<ClaimRecord, "open" | "leaseMs" | "expiresAtMs"> & {
  readonly token: number;
};

function heldBy({ db }: Unit, worker: string) {
  const held = statement(
    db,
    "select count(*) as claims, max(has_suspect) as suspect from claim where worker = ? and open > 0",
  ).get(worker) as { claims: number; suspect: number | null };
  return { holdsAny: held.claims > 0, holdsSuspect: held.suspect === 1 };
}
