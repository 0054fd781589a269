import { expiryMs, type ModelNow } from "../../../model/now.ts";
import type { Claim, Claimed } from "../../../operation.ts";
import type { Lease, Pace } from "../../../task.ts";
import { bucketOf } from "../../../read/wait-histogram.ts";
import { numberArray } from "../rows/array-text.ts";
import {
  createClaimState,
  type ClaimLane,
  type ClaimState,
  type PostgresLanePick,
  type PostgresReadyRow,
} from "./claim-rows.ts";
import { readNeeds, type Needs } from "./claim-needs.ts";
import type { Counts } from "../read/counts.ts";
import { queryOne, type PostgresSession } from "../connection/database.ts";
import type { KnownClaim } from "./known-leases.ts";
import { createLaneWalk, readStops, stopJobs, type StopRow } from "./lane-walk.ts";
import { toNow, type Moment } from "../connection/moment.ts";
import { selectGates, writeGates, writeHeads, type PostgresGateRow } from "../rows/rows.ts";
import { readSuspects, suspectJobs, takeSuspect } from "./suspect.ts";
import { taskStates } from "../../../row-state.ts";
import { taskColumns, type TaskRow } from "../../../slice/task-row.ts";
import type { Tokens } from "./tokens.ts";

export interface ClaimContext {
  readonly session: PostgresSession;
  readonly moment: Moment;
  readonly counts: Counts;
  readonly tokens: Tokens;
  /** Maintenance was done before this claim: do not ask for more, even if more has become due. */
  readonly isPrepared: boolean;
  /** Unthrottled finishes that were started before this claim are still running. */
  readonly isConcurrent: boolean;
  /** Look for jobs that are complete but not marked as completed. */
  readonly looksForComplete: boolean;
}

export type ClaimAnswer =
  | {
      readonly claimed: Claimed;
      readonly taken?: KnownClaim;
      /** Whether ./fast-claim.ts could have served it. Absent: nothing could be claimed. */
      readonly fitsFastPath?: boolean;
    }
  | { readonly needs: Needs }
  /** The result depends on a finish that is still running. */
  | { readonly waits: true };

/**
 * Like the model's `claim`, in its own transaction. It waits only for capped jobs, which it locks
 * first; it skips gates, lanes and tasks that others have locked. If maintenance must be done
 * first, it returns what to do and has written nothing.
 */
export async function claim(context: ClaimContext, request: Claim): Promise<ClaimAnswer> {
  const { session, moment, isPrepared, isConcurrent, looksForComplete } = context;
  lockWorker(session, request);
  const [needs, suspects, stops] = await Promise.all([
    readNeeds(session, request, { moment, looksForComplete }),
    readSuspects(session, request, moment),
    readStops(session, request),
  ]);
  if (needs.repeats !== null) {
    return { claimed: await repeated(session, needs.repeats) };
  }
  if (needs.isAny && !isPrepared) return { needs };
  if (isConcurrent && (needs.holdsSuspect || suspects.length > 0)) return { waits: true };
  if (needs.holdsSuspect)
    return { claimed: { leases: [], hasSuspect: false }, fitsFastPath: false };

  const now = toNow(needs);
  const jobs = [...stopJobs(stops), ...suspectJobs(suspects)];
  const claimState = createClaimState(session, now, request, jobs);
  const suspect = needs.holdsAny ? undefined : await takeSuspect(claimState, suspects);
  const picks: PostgresLanePick[] = suspect ? [suspect] : [];
  if (!suspect) {
    const walk = createLaneWalk(claimState, stops);
    for (let left = request.limit; left > 0;) {
      const pick = await walk.next(left);
      if (!pick) break;
      picks.push(pick);
      left -= pick.slots;
    }
  }
  const leases = picks.length === 0 ? [] : await write(context, request, claimState, picks);
  const isUnthrottled = picks.every(
    ({ lane }) => lane.gate === "" && claimState.job(lane.job)?.concurrency === null,
  );
  const lanesById = new Map(
    picks.flatMap(({ lane, tasks }) => tasks.map(({ id }) => [id, lane] as const)),
  );
  return {
    claimed: { leases, hasSuspect: needs.holdsAny && suspects.length > 0 },
    taken: { isUnthrottled, lanesById },
    ...(stops.length > 0 || suspects.length > 0
      ? {
          fitsFastPath: suspects.length === 0 && stops.length === 1 && isUnthrottledStop(stops[0]!),
        }
      : {}),
  };
}

/**
 * Serializes the claims of one worker: a repeated request must see the leases of the first one,
 * even if that is still running.
 */
export function lockWorker(session: PostgresSession, { worker }: Claim): void {
  session.send("select pg_advisory_xact_lock(hashtextextended('@claim' || $1, 2))", [worker]);
}

const isUnthrottledStop = ({ gate, concurrency }: StopRow) => gate === "" && concurrency === null;

async function repeated(session: PostgresSession, token: number): Promise<Claimed> {
  const rows = await session.query<TaskRow & { readonly lease_ms: number }>(
    `select ${taskColumns}, c.lease_ms from @claim c cross join lateral unnest(c.ids) as u (id)
     join @task t on t.id = u.id join @lane l on l.id = t.lane
     where c.token = $1 and t.token = $1 and t.state = ${taskStates.running} order by t.priority desc, t.id`,
    [token],
  );
  const gates = await session.query<PostgresGateRow>(
    `${selectGates} where name = any($1::text[])`,
    [rows.map(({ gate }) => gate)],
  );
  const gatesByName = new Map(gates.map((gate) => [gate.name, gate]));
  const leases = rows.map((row) => {
    const gate = gatesByName.get(row.gate);
    const isRun = gate !== undefined && gate.runSlots > 0;
    const pace = gate && {
      delayMs: gate.delayMs,
      limit: isRun ? gate.runSlots : gate.limit,
      isRun,
    };
    return toLease(row, row, { token, used: row.used, leaseMs: row.lease_ms, pace });
  });
  return { leases, hasSuspect: false };
}

/** More than the number of picks of any claim. */
export const picksMax = 100_000;

const drawTurn = async (session: PostgresSession): Promise<number> =>
  (await queryOne<{ turn: number }>(session, "select nextval('@served') as turn")).turn;

/** Leases the picked tasks, which are locked, and updates gates, lanes, jobs and the claim. */
async function write(
  { session, counts, tokens }: ClaimContext,
  request: Claim,
  claimState: ClaimState,
  picks: readonly PostgresLanePick[],
): Promise<readonly Lease[]> {
  const { now } = claimState;
  const [turn, token] = await Promise.all([drawTurn(session), tokens.next(session, now.ms)]);
  const leases = lease(picks, request, { token, now, turn, counts });
  session.send(
    `update @task set state = ${taskStates.running}, token = $2, used = used + 1, expires_at = $3
     where id = any($1::bigint[])`,
    [numberArray(leases.map(({ id }) => id)), token, expiryMs(now, request.leaseMs)],
  );
  writeGates(session, claimState.changedGates(), now.ms, claimState.lockedLanes());
  const gated = picks.filter(({ lane }) => lane.gate !== "").map(({ lane }) => lane.id);
  writeHeads(session, [...new Set(gated)]);
  record(session, request, { token, now, leases });
  return leases;
}

interface Drawn {
  readonly token: number;
  readonly turn: number;
  readonly now: ModelNow;
  readonly counts: Counts;
}

/** Counts the picked tasks and makes leases of them. */
function lease(
  picks: readonly PostgresLanePick[],
  { leaseMs }: Claim,
  { token, turn, now, counts }: Drawn,
): readonly Lease[] {
  const leases: Lease[] = [];
  picks.forEach(({ lane, tasks, slots, pace }, index) => {
    const from = tasks[0]!.state === taskStates.suspect ? "suspect" : "ready";
    counts.move(lane, from, "running", tasks.length);
    counts.job(lane.job, "slots", slots);
    counts.served(lane.job, turn * picksMax + index);
    for (const task of tasks) {
      const waitMs = Math.min(now.ms - task.created_at, now.wallMs - task.due_at);
      counts.wait(lane.kind, bucketOf(waitMs));
      leases.push(toLease(task, lane, { token, used: task.used + 1, leaseMs, pace }));
    }
  });
  return leases;
}

function record(
  session: PostgresSession,
  { requestId, worker, leaseMs }: Claim,
  { token, now, leases }: { token: number; now: ModelNow; leases: readonly Lease[] },
): void {
  const ids = leases.map(({ id }) => id);
  session.send(
    `insert into @claim (token, request_id, worker, ids, open, is_open, has_suspect, lease_ms,
       made_at, expires_at)
     values ($1, $2, $3, $4, $5, true, $6, $7, $8, $9)`,
    [
      token,
      requestId,
      worker,
      numberArray(ids),
      ids.length,
      leases.some(({ isSuspect }) => isSuspect),
      leaseMs,
      now.lateMs,
      expiryMs(now, leaseMs),
    ],
  );
}

interface Terms {
  readonly token: number;
  readonly used: number;
  readonly leaseMs: number;
  readonly pace: Pace | undefined;
}

export const toLease = (
  row: Omit<PostgresReadyRow, "lane" | "due_at" | "state">,
  { kind, job, gate }: Pick<ClaimLane, "kind" | "job" | "gate">,
  { token, used, leaseMs, pace }: Terms,
): Lease => ({
  id: row.id,
  token,
  kind,
  job,
  gate,
  key: row.key,
  payload: row.payload,
  priority: row.priority,
  createdAtMs: row.created_at,
  used,
  attemptsMax: row.attempts_max,
  isSuspect: Boolean(row.is_suspect),
  leaseMs,
  ...(pace ? { pace } : {}),
});
