import { opensSinceStart, viewGate } from "../../../gate.ts";
import { checkBound } from "../../../model/add.ts";
import type { Finish, FinishAll, Finished } from "../../../operation.ts";
import type { SqliteLaneRow } from "./rows.ts";
import { applyToSlice } from "./save-slice.ts";
import { statement } from "../connection/statement.ts";
import { move, type Unit } from "./unit.ts";

const doneUngated: Finished = { status: "done" };

/**
 * SQL ends tasks that are done without additions, which are nearly all of a busy queue; the model
 * ends the others.
 */
export function finish(unit: Unit, { finishes }: FinishAll): readonly Finished[] {
  for (const { add } of finishes) if (add) checkBound((job) => unit.rows.job(job), add);
  const answers = finishDone(unit, finishes);
  const others = finishes.filter((_, index) => !answers[index]);
  if (others.length === 0) return answers as readonly Finished[];
  const rest = [...applyToSlice(unit, { op: "finish", finishes: others })];
  return finishes.map((_, index) => answers[index] ?? rest.shift()!);
}

/** Fewer finishes of one claim are as fast one by one. */
const batchMin = 4;

/** The answers for the tasks that it ended. A task without an answer was not changed. */
function finishDone(unit: Unit, finishes: readonly Finish[]): readonly (Finished | undefined)[] {
  const answers: (Finished | undefined)[] = [];
  // Two finishes of one task must be judged in their order.
  if (new Set(finishes.map(({ id }) => id)).size < finishes.length) return answers;
  const byToken = new Map<number, number[]>();
  for (const [index, one] of finishes.entries()) {
    if (one.outcome.kind !== "done" || one.add || one.raise) continue;
    if (one.outcome.result !== null || finishes.length < batchMin) {
      answers[index] = finishOne(unit, one, one.outcome.result);
      continue;
    }
    const ofClaim = byToken.get(one.token);
    if (ofClaim) ofClaim.push(index);
    else byToken.set(one.token, [index]);
  }
  if (byToken.size === 0 || hasCancelledTasks(unit)) return answers;
  for (const [token, indexes] of byToken) {
    const laneOf = endAll(
      unit,
      token,
      indexes.map((index) => finishes[index]!.id),
    );
    for (const index of indexes) {
      const lane = laneOf(finishes[index]!.id);
      if (lane) answers[index] = leave(unit, lane, finishes[index]!);
    }
  }
  return answers;
}

function finishOne(unit: Unit, one: Finish, result: string | null): Finished | undefined {
  const laneId = unit.sql.laneOfLease.get(one.id, one.token) as number | undefined;
  const lane = laneId === undefined ? undefined : unit.rows.lane(laneId);
  // A finish of a cancelled job is lost.
  if (!lane || unit.rows.job(lane.job)?.ended === "cancelled") return undefined;
  unit.sql.done.run(result, unit.now.ms, one.id);
  return leave(unit, lane, one);
}

/**
 * Ends tasks of one claim. Returns the lane of each ended task by id; undefined: its lease is lost.
 */
function endAll(
  unit: Unit,
  token: number,
  ids: readonly number[],
): (id: number) => SqliteLaneRow | undefined {
  const { sql, rows, now } = unit;
  const list = JSON.stringify(ids);
  const only = unit.laneOfClaim.get(token);
  const count = ids.length;
  if (only !== undefined && endAllOf(unit, { lane: only, token, list, count })) {
    const lane = rows.lane(only);
    return () => lane;
  }
  const ended = new Map(sql.doneAll.all(now.ms, list, token) as [id: number, lane: number][]);
  return (id) => {
    const lane = ended.get(id);
    return lane === undefined ? undefined : rows.lane(lane);
  };
}

/**
 * Faster than asking which tasks ended, but correct only if all of them did; otherwise it is rolled
 * back.
 */
function endAllOf(
  { db, sql, now }: Unit,
  { lane, token, list, count }: { lane: number; token: number; list: string; count: number },
): boolean {
  statement(db, "savepoint ending").run();
  const isWhole = sql.doneOfLane.run(now.ms, list, token, lane).changes === count;
  if (!isWhole) statement(db, "rollback to ending").run();
  statement(db, "release ending").run();
  return isWhole;
}

/** Finishes of cancelled jobs are lost, so each lease must be checked. */
function hasCancelledTasks(unit: Unit): boolean {
  unit.flush();
  const found = "select 1 from job where ended = 'cancelled' and running > 0 limit 1";
  return statement(unit.db, found).get() !== undefined;
}

/**
 * Like the model's `leave`, on cached rows: frees the slot, the gate and the count in the claim.
 */
function leave(
  unit: Unit,
  lane: SqliteLaneRow,
  { token, sinceStartMs = 0, requests = 0 }: Pick<Finish, "token" | "sinceStartMs" | "requests">,
): Finished {
  const { rows, now, left } = unit;
  left.set(token, (left.get(token) ?? 0) + 1);
  move(unit, lane, "running", "done");
  const job = rows.jobForWrite(lane.job);
  job.requests += requests;
  if (lane.gate === "") {
    job.slots -= 1;
    return doneUngated;
  }
  const gate = rows.gateForWrite(lane.gate);
  gate.running -= 1;
  if (gate.runSlots === 0 || gate.running < gate.runSlots) job.slots -= 1;
  if (gate.running === 0) gate.runSlots = 0;
  gate.opensAtMs = opensSinceStart(gate, now, sinceStartMs);
  return { status: "done", gate: viewGate(gate, now.ms) };
}
