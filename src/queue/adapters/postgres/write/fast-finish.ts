import { taskStates } from "../../../row-state.ts";
import { viewGate } from "../../../gate.ts";
import { leave } from "../../../model/leases.ts";
import type { Finish, FinishAll, Finished } from "../../../operation.ts";
import type { Task } from "../../../task.ts";
import { numberArray, textArray } from "../rows/array-text.ts";
import type { ClaimLane } from "../claim/claim-rows.ts";
import type { Counts } from "../read/counts.ts";
import { queryOne, type PostgresSession } from "../connection/database.ts";
import type { Grouped } from "../../../slice/named-tasks.ts";
import type { AppliedGroup } from "./group.ts";
import type { KnownLeases } from "../claim/known-leases.ts";
import {
  momentColumns,
  momentValues,
  toNow,
  withMoment,
  type Moment,
  type MomentRow,
} from "../connection/moment.ts";
import { lockGates, lockLanes, writeGates } from "../rows/rows.ts";
import { createSlice, type Slice } from "../../../slice/slice.ts";

/**
 * Fast path for tasks that this process claimed and that are done without any additions, which are
 * nearly all of a busy queue: one statement ends them, and nothing is read first. If a lease is not
 * held any more, or a cancelled job has running tasks, the answer is undefined and the transaction
 * must be rolled back.
 */
export async function finishFast(
  session: PostgresSession,
  operations: readonly FinishAll[],
  context: { readonly moment: Moment; readonly counts: Counts; readonly known: KnownLeases },
): Promise<AppliedGroup | undefined> {
  const { moment, counts, known } = context;
  const finishes = operations.flatMap((operation) => operation.finishes);
  const lanes = finishes.map((one) => known.laneOf(one)!);
  const gateNames = [...new Set(lanes.map(({ gate }) => gate))].filter((gate) => gate !== "");
  const [gates, , ended] = await Promise.all([
    lockGates(session, gateNames),
    lockLanes(session, { gates: gateNames, ids: [] }),
    end(session, finishes, moment),
  ]);
  if (ended.count < finishes.length || gates.length < gateNames.length) return undefined;

  const jobs = [...new Set(lanes.map(({ job }) => job))];
  const slice = createSlice({ now: toNow(ended), gates });
  finishes.forEach((one, index) =>
    leave(slice.draft, taskOf(one, lanes[index]!), one.sinceStartMs ?? 0),
  );
  writeGates(session, [...slice.draft.gates.values()], ended.ms);
  leaveClaims(session, finishes);
  for (const [lane, count] of counted(lanes)) counts.move(lane, "running", "done", count);
  for (const { name, slots } of slice.draft.jobs.values()) counts.job(name, "slots", slots);
  finishes.forEach(({ requests }, at) => {
    if (requests) counts.job(lanes[at]!.job, "requests", requests);
  });
  let index = 0;
  return {
    answers: () =>
      operations.map((operation) => operation.finishes.map(() => done(slice, lanes[index++]!))),
    jobs,
    mayWake: gates.length > 0,
  };
}

/** The fields of a task that `leave` reads. */
const taskOf = ({ token }: Finish, { job, gate }: ClaimLane) => ({ token, job, gate }) as Task;

const doneUngated: Finished = { status: "done" };
const done = ({ draft }: Slice, { gate }: ClaimLane): Finished =>
  gate === ""
    ? doneUngated
    : { status: "done", gate: viewGate(draft.gates.get(gate)!, draft.now.ms) };

function counted(lanes: readonly ClaimLane[]): ReadonlyMap<ClaimLane, number> {
  const counts = new Map<ClaimLane, number>();
  for (const lane of lanes) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return counts;
}

/**
 * True if this process claimed all tasks, all are done and add nothing, and no task occurs twice.
 */
export function isFastFinish(
  group: readonly Grouped[],
  known: KnownLeases,
): group is readonly FinishAll[] {
  const seen = new Set<number>();
  const isFastOne = (one: Finish) =>
    one.outcome.kind === "done" &&
    !one.add?.length &&
    !one.raise?.length &&
    !seen.has(one.id) &&
    seen.add(one.id) &&
    known.laneOf(one) !== undefined;
  return group.every(
    (operation) => operation.op === "finish" && operation.finishes.every(isFastOne),
  );
}

interface Ended extends MomentRow {
  readonly count: number;
}

function end(
  session: PostgresSession,
  finishes: readonly Finish[],
  moment: Moment,
): Promise<Ended> {
  const results = finishes.map(({ outcome }) => (outcome.kind === "done" ? outcome.result : null));
  const [first] = finishes;
  const ids = numberArray(finishes.map(({ id }) => id));
  const isOneClaim = finishes.every(({ token }) => token === first?.token);
  if (isOneClaim && results.every((result) => result === null)) {
    return queryOne(session, endClaimSql, [...momentValues(moment), first?.token ?? 0, ids]);
  }
  const tokens = numberArray(finishes.map(({ token }) => token));
  return queryOne(session, endSql, [...momentValues(moment), ids, tokens, textArray(results)]);
}

/** If a job was cancelled while its tasks run, their finishes are lost. */
const noRest = "not exists (select 1 from @job where has_rest)";
const counting = `select ${momentColumns}, (select count(*)::int from ended) as count from moment`;
const doneSql = `state = ${taskStates.done}, finished_at = (select ms from moment), expires_at = 0`;

/** By id only and in order of id, so that no statistics can make a planner read other tasks. */
export const endClaimSql = `${withMoment}, ended as (
    update @task t set ${doneSql}, result = null
    where t.id = any($4::bigint[]) and t.token = $3 and t.state = ${taskStates.running} and ${noRest} returning 1)
  ${counting}`;
export const endSql = `${withMoment}, ended as (
    update @task t set ${doneSql}, result = u.result
    from unnest($3::bigint[], $4::bigint[], $5::text[]) as u (id, token, result)
    where t.id = u.id and t.token = u.token and t.state = ${taskStates.running} and ${noRest} returning 1)
  ${counting}`;

function leaveClaims(session: PostgresSession, finishes: readonly Finish[]): void {
  const left = new Map<number, number>();
  for (const { token } of finishes) left.set(token, (left.get(token) ?? 0) + 1);
  const tokens = [...left.keys()].sort((a, b) => a - b);
  if (tokens.length > 1) {
    session.send("select 1 from @claim where token = any($1) order by token for update", [tokens]);
  }
  session.send(
    `update @claim c set open = c.open - u.count, is_open = c.open - u.count > 0
     from unnest($1::bigint[], $2::int[]) as u (token, count) where c.token = u.token`,
    [tokens, tokens.map((token) => left.get(token))],
  );
}

export interface JobAfter {
  readonly name: string;
  readonly mayEnd: boolean;
  readonly isCapped: boolean;
}

/**
 * Runs after the finish is committed: whether the job may be complete, or has free slots for
 * others.
 */
export const readJobsAfter = (
  session: Pick<PostgresSession, "query">,
  jobs: readonly string[],
): Promise<readonly JobAfter[]> =>
  session.query(
    `select name, is_sealed and ended is null as "mayEnd", concurrency is not null as "isCapped"
     from @job where name = any($1::text[])`,
    [jobs],
  );
