import { assert } from "../../base/app-error.ts";
import { opensSinceStart, viewGate } from "../gate.ts";
import type {
  Crash,
  Extend,
  Finish,
  FinishAll,
  Finished,
  Held,
  Outcome,
  ReleaseAll,
} from "../operation.ts";
import { withAttempt, type Attempt, type LeaseRef, type Task } from "../task.ts";
import { addWithFinish, checkBound } from "./add.ts";
import { raise } from "./bulk.ts";
import { dueAfterMs, expiryMs } from "./now.ts";
import { gateOf, jobOf, patchGate, patchJob, putTask, type ShardDraft } from "./shard.ts";

const lost = { status: "lost" } as const;

export const extend = (draft: ShardDraft, { leases, leaseMs }: Extend): readonly Held[] =>
  leases.map((lease) => {
    const task = heldTask(draft, lease);
    if (!task) return lost;
    putTask(draft, { ...task, expiresAtMs: expiryMs(draft.now, leaseMs) });
    return held(draft, task);
  });

export const release = (draft: ShardDraft, { releases }: ReleaseAll): readonly Held[] =>
  releases.map(({ sinceStartMs, ...lease }) => {
    const task = heldTask(draft, lease);
    if (!task) return lost;
    leave(draft, task, sinceStartMs);
    putTask(draft, { ...task, state: "pending", used: task.used - 1, expiresAtMs: 0 });
    return held(draft, task);
  });

export function finish(draft: ShardDraft, { finishes }: FinishAll): readonly Finished[] {
  for (const { add } of finishes) if (add) checkBound((name) => draft.jobs.get(name), add);
  return finishes.map((one) => finishOne(draft, one));
}

function finishOne(draft: ShardDraft, one: Finish): Finished {
  const task = heldTask(draft, one);
  if (!task) {
    const before = draft.tasks.get(one.id);
    return before && isRepeat(before, one) ? decided(draft, before) : lost;
  }
  if (one.add) addWithFinish(draft, one.add, one);
  if (one.raise) raise(draft, one.raise);
  if (one.requests) {
    const { requests } = jobOf(draft, task.job);
    patchJob(draft, task.job, { requests: requests + one.requests });
  }
  leave(draft, task, one.sinceStartMs ?? 0);
  const after = finished(draft, task, one.outcome);
  putTask(draft, after);
  return decided(draft, after);
}

function finished(draft: ShardDraft, task: Task, outcome: Outcome): Task {
  const { ms } = draft.now;
  const ended = { ...task, expiresAtMs: 0 };
  switch (outcome.kind) {
    case "done":
      return { ...ended, state: "done", result: outcome.result, finishedAtMs: ms };
    case "skip":
      return {
        ...ended,
        state: "skipped",
        finishedAtMs: ms,
        attempts: noted(task, attemptOf(outcome, ms)),
      };
    case "retry":
    case "fail": {
      const attempts = noted(task, attemptOf(outcome, ms));
      return outcome.kind === "fail" || task.used >= task.attemptsMax
        ? { ...ended, state: "failed", attempts, finishedAtMs: ms }
        : { ...ended, state: "pending", attempts, dueAtMs: dueAfterMs(draft.now, outcome.delayMs) };
    }
    case "crash": {
      const attempts = noted(task, attemptOf(outcome, ms));
      const suspect = { ...ended, attempts, isSuspect: true };
      return task.used >= attemptsOf(task, outcome)
        ? { ...suspect, state: "failed", finishedAtMs: ms }
        : { ...suspect, state: "pending" };
    }
  }
}

/** The record of an attempt with this outcome. */
function attemptOf(
  outcome: Exclude<Outcome, { readonly kind: "done" }>,
  atMs: number,
): Omit<Attempt, "token"> {
  const { kind, reason } = outcome;
  return "stack" in outcome && outcome.stack !== undefined
    ? { outcome: kind, reason, atMs, stack: outcome.stack }
    : { outcome: kind, reason, atMs };
}

/** The lower of the task's limit on attempts and its handler's. */
const attemptsOf = (
  { attemptsMax }: Pick<Task, "attemptsMax">,
  crash: Pick<Crash, "attemptsMax">,
): number => Math.min(attemptsMax, crash.attemptsMax ?? Infinity);

/** True if this finish was applied before. Its answer may have been lost, so repeat the answer. */
function isRepeat(task: Task, { token, outcome }: Finish): boolean {
  if (task.token !== token || task.state === "running") return false;
  if (outcome.kind === "done") return task.state === "done" && task.result === outcome.result;
  const last = task.attempts.at(-1);
  return last?.token === token && last.outcome === outcome.kind && last.reason === outcome.reason;
}

/** A lease is held until it is finished, released or swept, even if it has expired. */
function heldTask(draft: ShardDraft, { id, token }: LeaseRef): Task | undefined {
  const task = draft.tasks.get(id);
  if (task?.state !== "running" || task.token !== token) return undefined;
  return jobOf(draft, task.job).ended === "cancelled" ? undefined : task;
}

function held(draft: ShardDraft, task: Task): Held {
  const gate = gateOf(draft, task);
  return gate ? { status: "held", gate: viewGate(gate, draft.now.ms) } : { status: "held" };
}

/** The answer to a finish that left the task like this. */
function decided(draft: ShardDraft, task: Task): Finished {
  const { state, dueAtMs } = task;
  const gate = gateOf(draft, task);
  const seen = gate && { gate: viewGate(gate, draft.now.ms) };
  if (state === "pending") return { status: "retried", dueAtMs, ...seen };
  assert(state !== "running", "a finished task does not run");
  return { status: state, ...seen };
}

/** Frees what a running task uses: its slot, its part of the gate, and its count in the claim. */
export function leave(draft: ShardDraft, task: Task, sinceStartMs: number | undefined): void {
  const gate = gateOf(draft, task);
  let freesSlot = true;
  if (gate) {
    const running = gate.running - 1;
    freesSlot = gate.runSlots === 0 || running < gate.runSlots;
    patchGate(draft, gate.name, {
      running,
      runSlots: running === 0 ? 0 : gate.runSlots,
      ...(sinceStartMs === undefined
        ? {}
        : { opensAtMs: opensSinceStart(gate, draft.now, sinceStartMs) }),
    });
  }
  if (freesSlot) patchJob(draft, task.job, { slots: jobOf(draft, task.job).slots - 1 });
  const record = draft.claims.get(task.token);
  if (record) draft.claims.set(task.token, { ...record, open: record.open - 1 });
}

export function noted(task: Task, attempt: Omit<Attempt, "token">): readonly Attempt[] {
  return withAttempt(task.attempts, { token: task.token, ...attempt });
}
