import { opensSinceStart, viewGate } from "../../gate.ts";
import { attemptOf, attemptsOf, decisionOn, isRepeat } from "../../model/leases.ts";
import { dueAfterMs, expiryMs } from "../../model/now.ts";
import type {
  Extend,
  Finish,
  FinishAll,
  Finished,
  Held,
  Outcome,
  ReleaseAll,
} from "../../operation.ts";
import { withAttempt, type Attempt, type LeaseRef, type TaskState } from "../../task.ts";
import { add, checkBound, raise } from "./add.ts";
import type { LaneRow } from "./rows.ts";
import { statement } from "./statement.ts";
import { pendingState, readAttempts, taskStates, toTask, type TaskRow } from "./task-row.ts";
import { move, noteDue, type Unit } from "./unit.ts";

const lost = { status: "lost" } as const;
const heldUngated: Held = { status: "held" };
const doneUngated: Finished = { status: "done" };

/** What is read of a task in a worker's hands. */
export type HeldRow = Pick<
  TaskRow,
  "id" | "lane" | "token" | "used" | "attempts_max" | "is_suspect" | "attempts" | "due_at"
>;

export function extend(unit: Unit, { leases, leaseMs }: Extend): readonly Held[] {
  const expiresAtMs = expiryMs(unit.now, leaseMs);
  const tokens = new Set<number>();
  const answers = leases.map((lease) => {
    const held = heldTask(unit, lease);
    if (!held) return lost;
    unit.sql.setExpiry.run(expiresAtMs, lease.id);
    tokens.add(lease.token);
    return answer(unit, held.lane);
  });
  // A lease may also be made shorter, and the sweep looks at the claim's earliest one.
  for (const token of tokens) unit.sql.setEarliest.run(expiresAtMs, token);
  return answers;
}

export const release = (unit: Unit, { releases }: ReleaseAll): readonly Held[] =>
  releases.map(({ sinceStartMs, ...lease }) => {
    const held = heldTask(unit, lease);
    if (!held) return lost;
    const { task, lane } = held;
    leave(unit, task, lane, sinceStartMs);
    const state = pendingState(
      {
        dueAtMs: task.due_at,
        hasRun: task.attempts !== null,
        isSuspect: task.is_suspect === 1,
      },
      unit.now.wallMs,
    );
    noteDue(unit, task.due_at);
    unit.sql.release.run(taskStates[state], lease.id);
    move(unit, lane, "running", state);
    return answer(unit, lane);
  });

export function finish(unit: Unit, { finishes }: FinishAll): readonly Finished[] {
  for (const one of finishes) if (one.add) checkBound(unit, one.add);
  const answers = finishPlain(unit, finishes);
  return finishes.map((one, index) => answers[index] ?? finishOne(unit, one));
}

/** Fewer are as quick one by one. */
const plainMin = 4;

/**
 * Ends all that are just done, which is nearly all of a busy queue, with one statement for each
 * claim they come from. What that statement does not find still held is left to `finishOne`.
 */
function finishPlain(unit: Unit, finishes: readonly Finish[]): readonly (Finished | undefined)[] {
  const answers: (Finished | undefined)[] = [];
  if (finishes.length < plainMin || hasCancelledTasks(unit)) return answers;
  const byToken = new Map<number, number[]>();
  const seen = new Set<number>();
  for (const [index, { id, token, outcome, add: added, raise: raised }] of finishes.entries()) {
    seen.add(id);
    if (outcome.kind !== "done" || outcome.result !== null || added || raised) continue;
    const ofClaim = byToken.get(token);
    if (ofClaim) ofClaim.push(index);
    else byToken.set(token, [index]);
  }
  // Two finishes of one task must be judged in their order.
  if (seen.size < finishes.length) return answers;
  for (const [token, indexes] of byToken) {
    const ended = endAll(
      unit,
      token,
      indexes.map((index) => finishes[index]!.id),
    );
    for (const index of indexes) {
      const { id, sinceStartMs = 0 } = finishes[index]!;
      const lane = ended(id);
      if (lane === undefined) continue;
      leave(unit, { token }, lane, sinceStartMs);
      move(unit, lane, "running", "done");
      answers[index] = lane.gate === "" ? doneUngated : decided(unit, lane, done);
    }
  }
  return answers;
}

/** Says of an id in which lane it ended, or undefined if its lease was not held. */
function endAll(
  unit: Unit,
  token: number,
  ids: readonly number[],
): (id: number) => LaneRow | undefined {
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

/** Quicker than asking which ones ended, but of use only if all did: else it is undone. */
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

/** Those are lost to their workers, which takes a look at each. */
function hasCancelledTasks(unit: Unit): boolean {
  unit.flush();
  const found = "select 1 from job where ended = 'cancelled' and running > 0 limit 1";
  return statement(unit.db, found).get() !== undefined;
}

function finishOne(unit: Unit, one: Finish): Finished {
  const held = heldTask(unit, one);
  if (!held) {
    const row = unit.sql.read.get(one.id) as TaskRow | undefined;
    const lane = row && unit.rows.lane(row.lane);
    const before = row && lane && toTask(row, lane);
    return before && isRepeat(before, one) ? decided(unit, lane!, before) : lost;
  }
  const { task, lane } = held;
  if (one.add) add(unit, { op: "add", tasks: one.add, by: one });
  if (one.raise) raise(unit, one.raise);
  leave(unit, task, lane, one.sinceStartMs ?? 0);
  return decided(unit, lane, end(unit, task, lane, one.outcome));
}

/** How a finish left its task. */
interface Ended {
  readonly state: TaskState;
  readonly dueAtMs: number;
}
const done: Ended = { state: "done", dueAtMs: 0 };

function end(unit: Unit, task: HeldRow, lane: LaneRow, outcome: Outcome): Ended {
  const { sql, now } = unit;
  if (outcome.kind === "done") {
    sql.done.run(outcome.result, now.ms, task.id);
    move(unit, lane, "running", "done");
    return done;
  }
  const attempts = noted(task, attemptOf(outcome, now.ms));
  if (outcome.kind === "retry" && task.used < task.attempts_max) {
    const dueAtMs = dueAfterMs(now, outcome.delayMs);
    const isSuspect = task.is_suspect === 1;
    const state = pendingState({ dueAtMs, hasRun: true, isSuspect }, now.wallMs);
    noteDue(unit, dueAtMs);
    sql.requeue.run(taskStates[state], attempts, dueAtMs, task.is_suspect, task.id);
    move(unit, lane, "running", state);
    return { state: "pending", dueAtMs };
  }
  const isCrash = outcome.kind === "crash";
  if (isCrash && task.used < attemptsOf({ attemptsMax: task.attempts_max }, outcome)) {
    requeueSuspect(unit, task, lane, attempts);
    return { state: "pending", dueAtMs: task.due_at };
  }
  const state = outcome.kind === "skip" ? "skipped" : "failed";
  sql.end.run(taskStates[state], attempts, now.ms, isCrash ? 1 : task.is_suspect, task.id);
  move(unit, lane, "running", state);
  return { state, dueAtMs: task.due_at };
}

/** Due as before, and to be handed out alone: its process died, or its lease expired. */
export function requeueSuspect(
  unit: Unit,
  task: Pick<HeldRow, "id" | "due_at">,
  lane: LaneRow,
  attempts: string,
): void {
  const due = { dueAtMs: task.due_at, hasRun: true, isSuspect: true };
  const state = pendingState(due, unit.now.wallMs);
  noteDue(unit, task.due_at);
  unit.sql.requeue.run(taskStates[state], attempts, null, 1, task.id);
  move(unit, lane, "running", state);
}

/** Held until finished, released or swept: an expired lease that nobody swept still counts. */
function heldTask({ rows, sql }: Unit, { id, token }: LeaseRef) {
  const task = sql.readHeld.get(id, token) as HeldRow | undefined;
  if (!task) return undefined;
  const lane = rows.lane(task.lane);
  return rows.job(lane.job)?.ended === "cancelled" ? undefined : { task, lane };
}

function answer({ rows, now }: Unit, lane: LaneRow): Held {
  const gate = rows.gate(lane.gate);
  return gate ? { status: "held", gate: viewGate(gate, now.ms) } : heldUngated;
}

function decided({ rows, now }: Unit, lane: LaneRow, ended: Ended): Finished {
  const gate = rows.gate(lane.gate);
  return decisionOn(ended, gate && viewGate(gate, now.ms));
}

/** A task leaves its worker's hands: the slot, the gate and the claim's count move with it. */
export function leave(
  { rows, now, left }: Unit,
  { token }: Pick<HeldRow, "token">,
  lane: LaneRow,
  sinceStartMs: number | undefined,
): void {
  let freesSlot = true;
  if (lane.gate !== "") {
    const gate = rows.gateForWrite(lane.gate);
    gate.running -= 1;
    freesSlot = gate.runSlots === 0 || gate.running < gate.runSlots;
    if (gate.running === 0) gate.runSlots = 0;
    if (sinceStartMs !== undefined) gate.opensAtMs = opensSinceStart(gate, now, sinceStartMs);
  }
  if (freesSlot) rows.jobForWrite(lane.job).slots -= 1;
  left.set(token, (left.get(token) ?? 0) + 1);
}

export const noted = (
  task: Pick<HeldRow, "token" | "attempts">,
  attempt: Omit<Attempt, "token">,
): string =>
  JSON.stringify(withAttempt(readAttempts(task.attempts), { token: task.token, ...attempt }));
